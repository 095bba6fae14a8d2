#include "analysis/statistics/count_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/moments.h"

namespace prof::analysis::statistics {
namespace {

constexpr std::size_t kFewestRuns = 3;    // of both sides together: fewer show no spread
constexpr std::size_t kFewestBlocks = 2;  // of each run
// More samples than any counter holds: their squares and sums of squares stay finite.
constexpr double kMostSamples = 1e20;

Status CheckShape(const ItemAmounts& item, CountUnits units) {
  const std::size_t before = item.before.size();
  const std::size_t after = item.after.size();
  if (units == CountUnits::kBlocks) {
    if (before == after && before >= kFewestBlocks) return {};
    return Fail(ErrorKind::kBadData,
                fmt::format("cannot compare {} blocks of time with {}: two or more are needed, as "
                            "many on either side",
                            before, after));
  }
  if (before > 0 && after > 0 && before + after >= kFewestRuns) return {};
  return Fail(ErrorKind::kBadData,
              fmt::format("cannot compare {} runs with {}: three or more are needed in all, at "
                          "least one on each side",
                          before, after));
}

Status CheckAmounts(std::span<const double> amounts, double quantum, std::size_t item) {
  for (const double amount : amounts) {
    if (amount >= 0 && std::isfinite(amount) && amount / quantum <= kMostSamples) continue;
    return Fail(ErrorKind::kBadData,
                fmt::format("cannot compare item {}: {} is no amount of samples of {} each",
                            item + 1, amount, quantum));
  }
  return {};
}

double SumOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// What the units of a side vary among each other: the sum of squares.
double SquaresOf(std::span<const double> values) {
  return MomentsOf(values).variance * static_cast<double>(values.size() - 1);
}

// What the differences of the blocks vary among each other, in samples. A changed function does not
// change alike in all blocks, but where it runs: the change is spread over the blocks by what both
// runs have in them. What one run has alone (a burst) stays; and a sample in each block is added,
// for few samples say nothing of phases.
double SquaresOfBlocks(const ItemAmounts& item, double delta) {
  const std::size_t blocks = item.before.size();
  const auto shared = [&item](std::size_t k) {
    return std::min(item.before[k], item.after[k]) / item.quantum + 1;
  };
  double all = 0;
  for (std::size_t k = 0; k < blocks; ++k) all += shared(k);
  double squares = 0;
  for (std::size_t k = 0; k < blocks; ++k) {
    const double difference = (item.after[k] - item.before[k]) / item.quantum;
    const double rest = difference - delta * (shared(k) / all);
    squares += rest * rest;
  }
  return squares;
}

}  // namespace

double CountDesign::Degrees() const {
  return static_cast<double>(units == CountUnits::kBlocks ? before - 1 : before + after - 2);
}

Result<CountDesign> CheckCounts(std::span<const ItemAmounts> items, CountUnits units) {
  PROF_TRY(CheckShape(items.front(), units));
  const CountDesign design{units, items.front().before.size(), items.front().after.size()};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const ItemAmounts& item = items[i];
    if (item.before.size() != design.before || item.after.size() != design.after) {
      return Fail(
          ErrorKind::kBadData,
          fmt::format("cannot compare item {}: it has amounts of {} and {} units, the "
                      "first of {} and {}",
                      i + 1, item.before.size(), item.after.size(), design.before, design.after));
    }
    if (!(item.quantum > 0) || !std::isfinite(item.quantum)) {
      return Fail(
          ErrorKind::kBadData,
          fmt::format("cannot compare item {}: a sample cannot stand for {}", i + 1, item.quantum));
    }
    PROF_TRY(CheckAmounts({&item.disturbance, 1}, item.quantum, i));
    PROF_TRY(CheckAmounts(item.before, item.quantum, i));
    PROF_TRY(CheckAmounts(item.after, item.quantum, i));
  }
  return design;
}

std::vector<CountRow> RowsOf(std::span<const ItemAmounts> items, const CountDesign& design) {
  std::vector<CountRow> rows;
  rows.reserve(items.size());
  for (const ItemAmounts& item : items) {
    const double before = SumOf(item.before) / item.quantum;
    const double after = SumOf(item.after) / item.quantum;
    CountRow row{.before = before / static_cast<double>(design.before),
                 .after = after / static_cast<double>(design.after),
                 .mean = (before + after) / static_cast<double>(design.before + design.after),
                 .total = before + after,
                 .disturbance = item.disturbance / item.quantum};
    double squares = 0;
    if (design.units == CountUnits::kBlocks) {
      squares = SquaresOfBlocks(item, after - before) / 2;
    } else {
      // Divided one by one: the square of a quantum may be nothing.
      squares = (SquaresOf(item.before) + SquaresOf(item.after)) / item.quantum / item.quantum;
    }
    row.variance = squares / design.Degrees();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace prof::analysis::statistics
