// Chooses, places and draws the arrows of jumps.
#include "report/jump_lanes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace prof::report {
namespace {

constexpr std::size_t kNoLane = ~std::size_t{0};
constexpr std::size_t kHeadColumns = 2;  // "─→"

// Which of the four arms a character has.
struct Arms {
  bool up = false;
  bool down = false;
  bool left = false;
  bool right = false;
};

const char* BoxCharacter(const Arms& arms) {
  static constexpr const char* kCharacters[16] = {" ", "╶", "╴", "─", "╷", "┌", "┐", "┬",
                                                  "╵", "└", "┘", "┴", "│", "├", "┤", "┼"};
  return kCharacters[(arms.up ? 8 : 0) | (arms.down ? 4 : 0) | (arms.left ? 2 : 0) |
                     (arms.right ? 1 : 0)];
}

// Rows taken in one lane: disjoint closed intervals.
class TakenRows {
 public:
  [[nodiscard]] bool IsFree(std::uint32_t first, std::uint32_t last) const {
    const auto next = ends_.lower_bound(first);  // the first one that ends at or behind `first`
    return next == ends_.end() || next->second > last;
  }
  void Take(std::uint32_t first, std::uint32_t last) { ends_.emplace(last, first); }

 private:
  std::map<std::uint32_t, std::uint32_t> ends_;  // last row -> first row
};

// How many intervals lie over each row: a tree of maxima, so that a long one costs no more than a
// short one.
class RowDepths {
 public:
  explicit RowDepths(std::size_t rows) : rows_(rows), nodes_(4 * std::max<std::size_t>(rows, 1)) {}

  // Adds an interval unless that makes any row deeper than `most`.
  bool AddWithin(std::uint32_t first, std::uint32_t last, std::size_t most) {
    if (Most(0, 0, rows_ - 1, first, last) >= most) return false;
    Add(0, 0, rows_ - 1, first, last);
    return true;
  }

 private:
  struct Node {
    std::uint32_t whole = 0;  // intervals that cover all of its rows and not all of its parent's
    std::uint32_t most = 0;   // depth of its deepest row, without what lies over its parents
  };

  std::uint32_t Most(std::size_t node, std::size_t begin, std::size_t end, std::size_t first,
                     std::size_t last) const {
    if (last < begin || end < first) return 0;
    if (first <= begin && end <= last) return nodes_[node].most;
    const std::size_t middle = begin + (end - begin) / 2;
    return nodes_[node].whole + std::max(Most(2 * node + 1, begin, middle, first, last),
                                         Most(2 * node + 2, middle + 1, end, first, last));
  }

  void Add(std::size_t node, std::size_t begin, std::size_t end, std::size_t first,
           std::size_t last) {
    if (last < begin || end < first) return;
    if (first <= begin && end <= last) {
      ++nodes_[node].whole;
      ++nodes_[node].most;
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    Add(2 * node + 1, begin, middle, first, last);
    Add(2 * node + 2, middle + 1, end, first, last);
    nodes_[node].most =
        nodes_[node].whole + std::max(nodes_[2 * node + 1].most, nodes_[2 * node + 2].most);
  }

  std::size_t rows_;
  std::vector<Node> nodes_;
};

// The lane of each interval, in the given order, each in the first one that is free.
template <class Arrow>
std::vector<std::size_t> FirstFit(const std::vector<Arrow>& arrows,
                                  const std::vector<std::size_t>& order, std::size_t most) {
  std::vector<std::size_t> lane_of(arrows.size(), kNoLane);
  std::vector<TakenRows> taken(most);
  for (const std::size_t index : order) {
    const Arrow& arrow = arrows[index];
    const auto lane = std::ranges::find_if(
        taken, [&](const TakenRows& rows) { return rows.IsFree(arrow.first, arrow.last); });
    if (lane == taken.end()) continue;
    lane->Take(arrow.first, arrow.last);
    lane_of[index] = static_cast<std::size_t>(lane - taken.begin());
  }
  return lane_of;
}

}  // namespace

bool JumpLanes::Arrow::Touches(std::uint32_t row) const {
  return row == target || std::ranges::binary_search(sources, row);
}

std::vector<JumpLanes::Arrow> JumpLanes::Group(std::span<const Jump> jumps,
                                               std::size_t instructions) {
  std::map<std::pair<std::uint32_t, bool>, Arrow> arrows;
  for (const Jump& jump : jumps) {
    if (jump.from >= instructions || jump.to >= instructions || jump.from == jump.to) continue;
    const auto [at, added] = arrows.try_emplace({jump.to, jump.to < jump.from});
    Arrow& arrow = at->second;
    if (added) arrow.first = arrow.last = arrow.target = jump.to;
    arrow.first = std::min(arrow.first, jump.from);
    arrow.last = std::max(arrow.last, jump.from);
    arrow.sources.push_back(jump.from);
  }
  std::vector<Arrow> grouped;
  grouped.reserve(arrows.size());
  for (auto& [key, arrow] : arrows) {
    std::ranges::sort(arrow.sources);
    grouped.push_back(std::move(arrow));
  }
  return grouped;
}

void JumpLanes::Rank(std::vector<Arrow>& arrows, std::span<const std::uint64_t> heat) {
  std::vector<double> sums(heat.size() + 1, 0);
  for (std::size_t i = 0; i < heat.size(); ++i)
    sums[i + 1] = sums[i] + static_cast<double>(heat[i]);
  // Per instruction, so that a hot inner loop comes before what is around it.
  const auto density = [&](const Arrow& arrow) {
    return (sums[arrow.last + 1] - sums[arrow.first]) / (1.0 + arrow.last - arrow.first);
  };
  const auto ends = [&](const Arrow& arrow) {
    auto sum = static_cast<double>(heat[arrow.target]);
    for (const std::uint32_t source : arrow.sources) sum += static_cast<double>(heat[source]);
    return sum;
  };
  struct Ranked {
    double value = 0;
    Arrow arrow;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(arrows.size());
  for (Arrow& arrow : arrows) {
    const double value = arrow.backward() ? density(arrow) : ends(arrow);
    ranked.push_back({value, std::move(arrow)});
  }
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    if (a.arrow.backward() != b.arrow.backward()) return a.arrow.backward();
    if (a.value != b.value) return a.value > b.value;
    return std::pair(a.arrow.last - a.arrow.first, a.arrow.first) <
           std::pair(b.arrow.last - b.arrow.first, b.arrow.first);
  });
  std::ranges::transform(ranked, arrows.begin(), [](Ranked& one) { return std::move(one.arrow); });
}

// Lanes from the inside out: the shortest arrows first, so that longer ones go around them. That
// order may need a lane more than there are. In order of their first rows arrows never do, as no
// row has more than `most` of them: so are those placed that overlap such a one, also by way of
// others.
std::vector<std::size_t> JumpLanes::Nest(const std::vector<Arrow>& arrows, std::size_t most) {
  std::vector<std::size_t> by_length(arrows.size());
  for (std::size_t i = 0; i < arrows.size(); ++i) by_length[i] = i;
  std::vector<std::size_t> by_first = by_length;
  std::ranges::sort(by_length, {},
                    [&](std::size_t i) { return std::pair(arrows[i].last - arrows[i].first, i); });
  std::ranges::sort(by_first, {}, [&](std::size_t i) { return std::pair(arrows[i].first, i); });

  std::vector<std::size_t> nested = FirstFit(arrows, by_length, most);
  const std::vector<std::size_t> fallback = FirstFit(arrows, by_first, most);
  for (auto begin = by_first.begin(); begin != by_first.end();) {
    std::uint32_t last = arrows[*begin].last;
    auto end = begin;
    for (; end != by_first.end() && arrows[*end].first <= last; ++end)
      last = std::max(last, arrows[*end].last);
    if (std::any_of(begin, end, [&](std::size_t i) { return nested[i] == kNoLane; }))
      std::for_each(begin, end, [&](std::size_t i) { nested[i] = fallback[i]; });
    begin = end;
  }
  return nested;
}

JumpLanes::JumpLanes(std::span<const Jump> jumps, std::span<const std::uint64_t> heat,
                     std::size_t most_lanes) {
  std::ranges::copy_if(jumps, std::back_inserter(directed_), [&](const Jump& jump) {
    return jump.from < heat.size() && jump.to < heat.size();
  });
  std::ranges::sort(directed_, {}, [](const Jump& jump) { return std::pair(jump.from, jump.to); });

  std::vector<Arrow> arrows = Group(jumps, heat.size());
  Rank(arrows, heat);
  RowDepths depths(heat.size());
  std::erase_if(arrows, [&](const Arrow& arrow) {
    return !depths.AddWithin(arrow.first, arrow.last, most_lanes);
  });
  const std::vector<std::size_t> lane_of = Nest(arrows, most_lanes);

  for (const std::size_t lane : lane_of) {
    if (lane >= lanes_.size()) lanes_.resize(lane + 1);
  }
  for (std::size_t i = 0; i < arrows.size(); ++i)
    lanes_[lanes_.size() - 1 - lane_of[i]].push_back(std::move(arrows[i]));
  for (Lane& lane : lanes_) std::ranges::sort(lane, {}, &Arrow::first);
}

std::size_t JumpLanes::width() const {
  return directed_.empty() ? 0 : lanes_.size() + kHeadColumns;
}

const JumpLanes::Arrow* JumpLanes::Covering(const Lane& lane, std::uint32_t row) {
  const auto behind = std::ranges::upper_bound(lane, row, {}, &Arrow::first);
  if (behind == lane.begin()) return nullptr;
  const Arrow& arrow = *std::prev(behind);
  return row <= arrow.last ? &arrow : nullptr;
}

std::string JumpLanes::At(std::uint32_t instruction, std::size_t reach) const {
  if (directed_.empty()) return {};
  std::string drawn;
  bool across = false;  // a line runs to the code from a lane further out
  bool arrives = false;
  for (const Lane& lane : lanes_) {
    Arms arms{.left = across, .right = across};
    if (const Arrow* arrow = Covering(lane, instruction); arrow != nullptr) {
      arms.up = instruction > arrow->first;
      arms.down = instruction < arrow->last;
      if (arrow->Touches(instruction)) arms.right = across = true;
      arrives |= arrow->target == instruction;
    }
    drawn += BoxCharacter(arms);
  }
  for (std::size_t i = 0; i <= reach; ++i) drawn += across ? "─" : " ";
  const auto jump = std::ranges::lower_bound(directed_, instruction, {}, &Jump::from);
  if (arrives) {
    drawn += "→";
  } else if (jump != directed_.end() && jump->from == instruction) {
    drawn += jump->to <= instruction ? "↑" : "↓";
  } else {
    drawn += " ";
  }
  return drawn;
}

std::string JumpLanes::Before(std::uint32_t instruction) const {
  if (directed_.empty()) return {};
  std::string drawn;
  for (const Lane& lane : lanes_) {
    const Arrow* arrow = Covering(lane, instruction);
    drawn += arrow != nullptr && arrow->first < instruction ? "│" : " ";
  }
  return drawn + std::string(kHeadColumns, ' ');
}

}  // namespace prof::report
