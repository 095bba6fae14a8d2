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
// order may need a lane more than there are; arrows that overlap such a one, also by way of others,
// keep the lanes of the fallback, which has room for all.
std::vector<std::size_t> JumpLanes::Nest(const std::vector<Arrow>& arrows,
                                         const std::vector<std::size_t>& fallback,
                                         std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < arrows.size(); ++i) {
    if (fallback[i] != kNoLane) chosen.push_back(i);
  }
  std::vector<std::size_t> by_length = chosen;
  std::ranges::sort(by_length, {},
                    [&](std::size_t i) { return std::pair(arrows[i].last - arrows[i].first, i); });
  std::vector<std::size_t> nested = FirstFit(arrows, by_length, most);

  std::ranges::sort(chosen, {}, [&](std::size_t i) { return std::pair(arrows[i].first, i); });
  for (auto begin = chosen.begin(); begin != chosen.end();) {
    std::uint32_t last = arrows[*begin].last;
    auto end = begin;
    for (; end != chosen.end() && arrows[*end].first <= last; ++end)
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
  std::vector<std::size_t> ranked(arrows.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i] = i;
  const std::vector<std::size_t> lane_of =
      Nest(arrows, FirstFit(arrows, ranked, most_lanes), most_lanes);

  std::size_t used = 0;
  for (const std::size_t lane : lane_of) {
    if (lane != kNoLane) used = std::max(used, lane + 1);
  }
  lanes_.resize(used);
  for (std::size_t i = 0; i < arrows.size(); ++i) {
    if (lane_of[i] != kNoLane) lanes_[used - 1 - lane_of[i]].push_back(std::move(arrows[i]));
  }
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
