// Merges rows over runs and sides.
#include "analysis/diff/row_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace prof::analysis::diff {
namespace {

struct MergedRow {
  RowId id = 0;
  ItemTotals self;
  ItemTotals children;
};

class RowComparer {
 public:
  RowComparer(const EventUnits& units, const DiffOptions& options, const KeyTable& keys,
              Matching& matching, KeyTexts& texts, EventDiff& diff)
      : units_(units),
        options_(options),
        keys_(keys),
        matching_(matching),
        texts_(texts),
        diff_(diff),
        inclusive_(options.children && diff.walked) {}

  Result<std::vector<RowId>> Compare() {
    Merge();
    PickRows();
    Describe();
    PROF_TRY(TestRows());
    Sort();
    std::vector<RowId> ids;
    for (const std::uint32_t place : picked_) ids.push_back(merged_[place].id);
    return ids;
  }

 private:
  // What of a run's row counts as its children.
  [[nodiscard]] const Amount& ChildrenOf(const RunRow& row) const {
    return inclusive_ ? row.children : row.self;
  }

  void Merge() {
    for (const EventRun& run : units_.runs) {
      auto& places = places_.emplace_back();
      for (const RunRow& row : run.event->rows) {
        const RowId id = matching_.Row(run.side, row.id);
        const auto [known, fresh] =
            place_of_id_.try_emplace(id, static_cast<std::uint32_t>(merged_.size()));
        if (fresh) merged_.push_back({.id = id});
        merged_[known->second].self.Add(run, row.self);
        merged_[known->second].children.Add(run, ChildrenOf(row));
        places.push_back(known->second);
      }
    }
  }

  // Those with enough samples; the others are added up.
  void PickRows() {
    ItemTotals scarce;
    row_of_place_.assign(merged_.size(), kNoIndex);
    for (std::uint32_t place = 0; place < merged_.size(); ++place) {
      const MergedRow& row = merged_[place];
      if (row.children.Samples() == 0) continue;
      if (row.children.Samples() >= kFewestSamples) {
        picked_.push_back(place);
        continue;
      }
      ++diff_.scarce_rows;
      for (std::size_t side = 0; side < 2; ++side) {
        scarce.amount[side] += row.self.amount[side];
        scarce.samples[side] += row.self.samples[side];
      }
    }
    diff_.scarce = scarce.ToChange(units_);
    for (const std::uint32_t place : picked_) {
      DiffRow row;
      row.self = merged_[place].self.ToChange(units_);
      row.children = merged_[place].children.ToChange(units_);
      const bool before = row.children.before_samples > 0;
      const bool after = row.children.after_samples > 0;
      row.presence = before && after ? Presence::kBoth
                     : after         ? Presence::kAppeared
                                     : Presence::kGone;
      diff_.rows.push_back(std::move(row));
    }
  }

  // `totals` and `amount` are of the merged and of a run's row, `blocks` the latter's by time.
  template <class Totals, class AmountOf>
  Result<ItemMatrix::Tested> TestFamily(Totals totals, AmountOf amount,
                                        std::vector<std::uint64_t> ReducedEvent::*blocks,
                                        Change DiffRow::*change) {
    ItemMatrix matrix(units_);
    std::vector<std::uint32_t> item_of_row(picked_.size(), kNoIndex);
    for (std::uint32_t row = 0; row < picked_.size(); ++row) {
      if (!IsTestable(units_, totals(merged_[picked_[row]]))) continue;
      item_of_row[row] = static_cast<std::uint32_t>(matrix.size());
      (void)matrix.AddItem(totals(merged_[picked_[row]]));
    }
    for (std::size_t r = 0; r < units_.runs.size(); ++r) {
      const EventRun& run = units_.runs[r];
      for (std::size_t at = 0; at < run.event->rows.size(); ++at) {
        const std::uint32_t row = row_of_place_[places_[r][at]];
        if (row == kNoIndex || item_of_row[row] == kNoIndex) continue;
        const auto item = matrix.Item(item_of_row[row]);
        if (!units_.blocks) {
          item[r] += run.AmountOf(amount(run.event->rows[at]).weight);
          continue;
        }
        for (std::size_t block = 0; block < kTimeBlocks; ++block) {
          item[r * kTimeBlocks + block] +=
              run.AmountOf((run.event->*blocks)[at * kTimeBlocks + block]);
        }
      }
    }
    PROF_TRY_ASSIGN(auto tested, matrix.Test(options_.alpha));
    for (std::uint32_t row = 0; row < picked_.size(); ++row) {
      if (item_of_row[row] != kNoIndex) {
        (diff_.rows[row].*change).test = tested.items[item_of_row[row]];
      }
    }
    return tested;
  }

  Status TestRows() {
    PROF_TRY_ASSIGN(const auto tested,
                    TestFamily([](const MergedRow& row) -> const ItemTotals& { return row.self; },
                               [](const RunRow& row) -> const Amount& { return row.self; },
                               &ReducedEvent::self_blocks, &DiffRow::self));
    diff_.units = tested.units;
    diff_.test = tested.test;
    diff_.variation = tested.variation;
    diff_.widened = tested.widened;
    if (!inclusive_) {
      for (DiffRow& row : diff_.rows) row.children.test = row.self.test;
      return {};
    }
    PROF_TRY(TestFamily([](const MergedRow& row) -> const ItemTotals& { return row.children; },
                        [](const RunRow& row) -> const Amount& { return row.children; },
                        &ReducedEvent::children_blocks, &DiffRow::children));
    return {};
  }

  void Describe() {
    std::map<std::pair<std::vector<std::string>, char>, std::uint32_t> rows_of_text;
    for (std::size_t at = 0; at < picked_.size(); ++at) {
      const RowKey& key = keys_.RowOf(merged_[picked_[at]].id);
      DiffRow& row = diff_.rows[at];
      row.keys = texts_.Row(key, options_.keys);
      row.level = keys_.FunctionOf(key.function).kernel ? 'k' : '.';
      ++rows_of_text[{row.keys, row.level}];
    }
    for (std::size_t at = 0; at < picked_.size(); ++at) {
      DiffRow& row = diff_.rows[at];
      const RowId id = merged_[picked_[at]].id;
      // Overloads are told apart by their parameters.
      if (rows_of_text[{row.keys, row.level}] > 1) {
        row.keys = texts_.Row(keys_.RowOf(id), options_.keys, true);
      }
      if (row.presence != Presence::kAppeared) row.was = WasText(id, row.keys);
    }
    // What comes of the tests must not depend on which run had a row first.
    Order([](const DiffRow& a, const DiffRow& b) {
      return std::tie(a.keys, a.level, a.self.before, a.self.after) <
             std::tie(b.keys, b.level, b.self.before, b.self.after);
    });
  }

  // The keys that differ, or the whole function names behind them.
  std::string WasText(RowId id, const std::vector<std::string>& shown) {
    const RowId before = matching_.RowBefore(id);
    if (before == id) return {};
    const auto differing = [&](const std::vector<std::string>& texts,
                               const std::vector<std::string>& others) {
      std::string text;
      for (std::size_t key = 0; key < texts.size(); ++key) {
        if (texts[key] != others[key]) text += (text.empty() ? "" : " ") + texts[key];
      }
      return text;
    };
    const std::string was = differing(texts_.Row(keys_.RowOf(before), options_.keys), shown);
    return was.empty() ? differing(texts_.Row(keys_.RowOf(before), options_.keys, true),
                                   texts_.Row(keys_.RowOf(id), options_.keys, true))
                       : was;
  }

  // Brings the rows into the order of `less`.
  template <class Less>
  void Order(Less less) {
    std::vector<std::uint32_t> order(picked_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return less(diff_.rows[a], diff_.rows[b]);
    });
    std::vector<DiffRow> rows;
    std::vector<std::uint32_t> picked;
    for (const std::uint32_t at : order) {
      rows.push_back(std::move(diff_.rows[at]));
      picked.push_back(picked_[at]);
      row_of_place_[picked.back()] = static_cast<std::uint32_t>(picked.size() - 1);
    }
    diff_.rows = std::move(rows);
    picked_ = std::move(picked);
  }

  void Sort() {
    Order([](const DiffRow& a, const DiffRow& b) {
      const auto size = [](const DiffRow& row) { return std::abs(row.self.Delta()); };
      return std::tuple(!a.self.IsSignificant(), -size(a), std::tie(a.keys, a.level)) <
             std::tuple(!b.self.IsSignificant(), -size(b), std::tie(b.keys, b.level));
    });
  }

  const EventUnits& units_;
  const DiffOptions& options_;
  const KeyTable& keys_;
  Matching& matching_;
  KeyTexts& texts_;
  EventDiff& diff_;
  bool inclusive_;
  std::vector<MergedRow> merged_;
  std::unordered_map<RowId, std::uint32_t> place_of_id_;
  std::vector<std::vector<std::uint32_t>> places_;  // in merged_, by run and row of it
  std::vector<std::uint32_t> picked_;               // in merged_, by row
  std::vector<std::uint32_t> row_of_place_;
};

}  // namespace

Result<std::vector<RowId>> CompareRows(const EventUnits& units, const DiffOptions& options,
                                       const KeyTable& keys, Matching& matching, KeyTexts& texts,
                                       EventDiff& diff) {
  return RowComparer(units, options, keys, matching, texts, diff).Compare();
}

}  // namespace prof::analysis::diff
