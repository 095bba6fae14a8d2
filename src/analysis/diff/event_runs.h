// The runs of both sides of one event, and what their weights come to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/diff/matching.h"
#include "analysis/diff/run_reduction.h"

#include "prof/analysis/diff/profile_diff.h"

namespace prof::analysis::diff {

// One run of the event.
struct EventRun {
  const ReducedEvent* event = nullptr;
  Side side = Side::kBefore;
  double divisor = 1;  // from weights to AmountUnit

  [[nodiscard]] double AmountOf(std::uint64_t weight) const {
    return static_cast<double>(weight) / divisor;
  }
};

// What changes are tested by: runs, or blocks of time of single runs. Unit numbers count the before
// side's first.
struct EventUnits {
  std::vector<EventRun> runs;  // before first
  std::size_t before_runs = 0;
  bool blocks = false;    // kTimeBlocks units of each of the two runs
  bool testable = false;  // else nothing can be tested: single runs without times

  [[nodiscard]] std::size_t after_runs() const { return runs.size() - before_runs; }
  [[nodiscard]] std::size_t RunsOf(Side side) const {
    return side == Side::kBefore ? before_runs : after_runs();
  }
  [[nodiscard]] std::size_t PerRun() const { return blocks ? kTimeBlocks : 1; }
  [[nodiscard]] std::size_t Units() const { return runs.size() * PerRun(); }
};

// What one item (a row, a node) has in each run.
struct ItemTotals {
  std::array<double, 2> amount{};  // sums over the runs of a side, in AmountUnit
  std::array<std::uint64_t, 2> samples{};

  void Add(const EventRun& run, const Amount& amount_of_run) {
    const auto side = static_cast<std::size_t>(run.side);
    amount[side] += run.AmountOf(amount_of_run.weight);
    samples[side] += amount_of_run.samples;
  }
  [[nodiscard]] std::uint64_t Samples() const { return samples[0] + samples[1]; }
  // Means over the runs, untested.
  [[nodiscard]] Change ToChange(const EventUnits& units) const;
};

// Amounts of many items by unit, to be tested together.
class ItemMatrix {
 public:
  explicit ItemMatrix(const EventUnits& units) : units_(&units) {}
  // Amounts are 0 at first.
  std::span<double> AddItem(const ItemTotals& totals);
  [[nodiscard]] std::span<double> Item(std::size_t item) {
    return std::span(amounts_).subspan(item * units_->Units(), units_->Units());
  }
  [[nodiscard]] std::size_t size() const { return quanta_.size(); }

  struct Tested {
    std::vector<ChangeTest> items;
    statistics::CountUnits units = statistics::CountUnits::kRuns;
    statistics::CountTest test = statistics::CountTest::kModerated;
    double variation = 0;
    double widened = 1;
  };
  [[nodiscard]] Result<Tested> Test(double alpha) const;

 private:
  const EventUnits* units_;
  std::vector<double> amounts_;
  std::vector<double> quanta_;
};

// Whether an item has enough samples to be tested, and amounts that could differ.
[[nodiscard]] bool IsTestable(const EventUnits& units, const ItemTotals& totals);

}  // namespace prof::analysis::diff
