// Climbs from the samples of a row to its callers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/diff/merged_tree.h"

namespace prof::analysis::diff {
namespace {

constexpr std::size_t kMostLevels = 64;
// Callers below this share of their row, on both sides, are listed together.
constexpr double kLeastShare = 0.005;

// Samples of a row on their way from caller to caller.
struct Walker {
  std::uint32_t node = 0;  // of the merged tree
  ItemTotals totals;
};

void AddTo(ItemTotals& sum, const ItemTotals& more) {
  for (std::size_t side = 0; side < 2; ++side) {
    sum.amount[side] += more.amount[side];
    sum.samples[side] += more.samples[side];
  }
}

ItemTotals SumOf(std::span<const Walker> walkers) {
  ItemTotals sum;
  for (const Walker& walker : walkers) AddTo(sum, walker.totals);
  return sum;
}

class CallerComparer {
 public:
  CallerComparer(const EventUnits& units, const MergedTree& merged, const KeyTable& keys,
                 KeyTexts& texts)
      : units_(units), merged_(merged), keys_(keys), texts_(texts) {}

  std::vector<CallerChange> Compare(std::vector<Walker> walkers) {
    const Change row = SumOf(walkers).ToChange(units_);
    least_before_ = row.before * kLeastShare;
    least_after_ = row.after * kLeastShare;
    return CallersOf(std::move(walkers), 0);
  }

 private:
  using Key = std::pair<FunctionId, bool>;
  [[nodiscard]] Key KeyOf(const Walker& walker) const {
    return {merged_.nodes[walker.node].function, merged_.nodes[walker.node].inlined};
  }

  // Moves all to their callers; those whose stack ends here are gone. Walkers that meet are joined.
  [[nodiscard]] std::vector<Walker> Climb(std::vector<Walker> walkers) const {
    for (Walker& walker : walkers) walker.node = merged_.nodes[walker.node].parent;
    std::erase_if(walkers, [](const Walker& walker) { return walker.node == 0; });
    std::ranges::sort(walkers, [&](const Walker& a, const Walker& b) {
      return std::tuple(KeyOf(a), a.node) < std::tuple(KeyOf(b), b.node);
    });
    std::size_t kept = 0;
    for (std::size_t at = 0; at < walkers.size(); ++at) {
      if (kept > 0 && walkers[kept - 1].node == walkers[at].node) {
        AddTo(walkers[kept - 1].totals, walkers[at].totals);
      } else {
        walkers[kept++] = walkers[at];
      }
    }
    walkers.resize(kept);
    return walkers;
  }

  std::vector<CallerChange> CallersOf(std::vector<Walker> walkers, std::size_t level) {
    std::vector<CallerChange> callers;
    if (level == kMostLevels) return callers;
    walkers = Climb(std::move(walkers));
    ItemTotals small;
    std::uint64_t folded = 0;
    for (auto begin = walkers.begin(); begin != walkers.end();) {
      const auto end = std::find_if(begin, walkers.end(), [&](const Walker& walker) {
        return KeyOf(walker) != KeyOf(*begin);
      });
      const ItemTotals sum = SumOf({begin, end});
      const Change change = sum.ToChange(units_);
      if (change.before <= least_before_ && change.after <= least_after_) {
        AddTo(small, sum);
        ++folded;
      } else {
        const FunctionId function = KeyOf(*begin).first;
        callers.push_back({.name = texts_.Frame(function),
                           .level = keys_.FunctionOf(function).kernel ? 'k' : '.',
                           .inlined = KeyOf(*begin).second,
                           .change = change,
                           .callers = CallersOf({begin, end}, level + 1)});
      }
      begin = end;
    }
    const auto size = [](const CallerChange& caller) { return std::abs(caller.change.Delta()); };
    std::ranges::sort(callers, [&](const CallerChange& a, const CallerChange& b) {
      return std::tuple(-size(a), std::tie(a.name, a.inlined)) <
             std::tuple(-size(b), std::tie(b.name, b.inlined));
    });
    if (folded > 0) {
      callers.push_back({.name = fmt::format("{} more caller{}", folded, folded == 1 ? "" : "s"),
                         .folded = folded,
                         .change = small.ToChange(units_)});
    }
    return callers;
  }

  const EventUnits& units_;
  const MergedTree& merged_;
  const KeyTable& keys_;
  KeyTexts& texts_;
  double least_before_ = 0;
  double least_after_ = 0;
};

}  // namespace

std::vector<std::vector<CallerChange>> CompareCallers(const EventUnits& units,
                                                      const MergedTree& merged,
                                                      const std::vector<RowId>& ids,
                                                      const EventDiff& diff, const KeyTable& keys,
                                                      Matching& matching, KeyTexts& texts) {
  std::unordered_map<RowId, std::size_t> wanted;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (diff.rows[row].self.IsSignificant()) wanted.emplace(ids[row], row);
  }
  std::vector<std::vector<Walker>> walkers(ids.size());
  for (std::size_t r = 0; r < units.runs.size(); ++r) {
    const EventRun& run = units.runs[r];
    for (const RunTree::Leaf& leaf : run.event->tree.leaves) {
      const auto row = wanted.find(matching.Row(run.side, leaf.row));
      if (row == wanted.end()) continue;
      Walker walker{.node = merged.place[r][leaf.node]};
      walker.totals.Add(run, {leaf.weight, leaf.samples});
      walkers[row->second].push_back(walker);
    }
  }
  CallerComparer comparer(units, merged, keys, texts);
  std::vector<std::vector<CallerChange>> callers;
  callers.reserve(walkers.size());
  for (auto& of_row : walkers) callers.push_back(comparer.Compare(std::move(of_row)));
  return callers;
}

}  // namespace prof::analysis::diff
