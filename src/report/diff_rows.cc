// Selects the rows of a diff, and rounds their amounts so that they add up.
#include "report/diff_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "report/stat_numbers.h"

namespace prof::report {
namespace {

using analysis::SortKey;
using analysis::diff::Change;
using analysis::diff::DiffRow;
using analysis::diff::EventDiff;

struct KeyWords {
  SortKey key;
  const char* one;
  const char* many;
  bool is_code;
};

// The most telling first.
constexpr KeyWords kWords[] = {
    {SortKey::kSym, "function", "functions", true}, {SortKey::kSrcLine, "line", "lines", true},
    {SortKey::kSrcFile, "file", "files", true},     {SortKey::kDso, "module", "modules", false},
    {SortKey::kTid, "thread", "threads", false},    {SortKey::kPid, "process", "processes", false},
    {SortKey::kComm, "command", "commands", false}, {SortKey::kCpu, "CPU", "CPUs", false}};

bool Has(const std::vector<SortKey>& keys, SortKey key) {
  return std::ranges::find(keys, key) != keys.end();
}

void Fold(const Change& change, PrintedDiff& printed) {
  PrintedSum& sum = printed.folded;
  ++sum.rows;
  sum.before += change.before;
  sum.after += change.after;
  sum.before_samples += change.before_samples;
  sum.after_samples += change.after_samples;
  if (!change.test) {
    ++printed.folded_untested;
    return;
  }
  for (const double end : {change.test->interval.low, change.test->interval.high})
    if (std::isfinite(end)) printed.folded_reach = std::max(printed.folded_reach, std::abs(end));
}

// One side's column, apportioned over what is printed of it.
void ApportionSide(const EventDiff& diff, PrintedDiff& printed, double Change::*side,
                   double PrintedSum::*sum, std::int64_t PrintedAmounts::*into) {
  std::vector<double> parts;
  parts.reserve(printed.rows.size() + 2);
  for (const std::size_t row : printed.rows) parts.push_back(diff.rows[row].self.*side);
  const std::size_t named = parts.size();
  if (printed.folded.rows > 0) parts.push_back(printed.folded.*sum);
  if (printed.scarce.rows > 0) parts.push_back(printed.scarce.*sum);
  const std::vector<std::int64_t> digits = printed.scale.Apportion(parts, diff.total.change.*side);
  for (std::size_t i = 0; i < named; ++i) printed.amounts[i].*into = digits[i];
  std::size_t at = named;
  if (printed.folded.rows > 0) printed.folded.amounts.*into = digits[at++];
  if (printed.scarce.rows > 0) printed.scarce.amounts.*into = digits[at];
}

}  // namespace

std::vector<std::size_t> RowOrder(const EventDiff& diff, bool children) {
  std::vector<std::size_t> order(diff.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!children) return order;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const Change& left = diff.rows[a].children;
    const Change& right = diff.rows[b].children;
    if (left.IsSignificant() != right.IsSignificant()) return left.IsSignificant();
    const double left_size = std::abs(left.Delta());
    const double right_size = std::abs(right.Delta());
    return left_size != right_size ? left_size > right_size : a < b;
  });
  return order;
}

PrintedDiff PrintRows(const EventDiff& diff, const DiffTextOptions& options) {
  PrintedDiff printed;
  printed.scale = AmountScale::Of(diff, options.children);
  for (const std::size_t row : RowOrder(diff, options.children)) {
    const Change& change = ChangeOf(diff.rows[row], options.children);
    if (options.all_rows || change.IsSignificant()) {
      printed.rows.push_back(row);
      printed.amounts.push_back(
          {printed.scale.Digits(change.before), printed.scale.Digits(change.after)});
    } else {
      Fold(change, printed);
    }
  }
  PrintedSum& scarce = printed.scarce;
  scarce.rows = diff.scarce_rows;
  scarce.before = diff.scarce.before;
  scarce.after = diff.scarce.after;
  scarce.before_samples = diff.scarce.before_samples;
  scarce.after_samples = diff.scarce.after_samples;
  printed.total = {printed.scale.Digits(diff.total.change.before),
                   printed.scale.Digits(diff.total.change.after)};
  if (options.children) return printed;
  ApportionSide(diff, printed, &Change::before, &PrintedSum::before, &PrintedAmounts::before);
  ApportionSide(diff, printed, &Change::after, &PrintedSum::after, &PrintedAmounts::after);
  return printed;
}

std::string RowWord(const std::vector<SortKey>& keys, std::uint64_t count) {
  // Functions and lines are told apart by their module, too; of several threads or commands,
  // "functions" would be wrong.
  const bool with_module = keys.size() == 2 && Has(keys, SortKey::kDso);
  for (const KeyWords& words : kWords) {
    if (Has(keys, words.key) && (keys.size() == 1 || (with_module && words.is_code)))
      return count == 1 ? words.one : words.many;
  }
  return count == 1 ? "row" : "rows";
}

std::string CountedRows(const std::vector<SortKey>& keys, std::uint64_t count) {
  return GroupDigits(std::to_string(count)) + ' ' + RowWord(keys, count);
}

std::string RowName(const DiffRow& row, const std::vector<SortKey>& keys) {
  for (const KeyWords& words : kWords) {
    const auto at = static_cast<std::size_t>(std::ranges::find(keys, words.key) - keys.begin());
    if (at < row.keys.size()) return row.keys[at];
  }
  return row.keys.empty() ? "" : row.keys.back();
}

}  // namespace prof::report
