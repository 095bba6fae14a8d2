// Chooses unit and decimals of a diff's amounts, and apportions rounded ones.
#include "report/diff_amounts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "report/stat_numbers.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::diff::Change;
using analysis::diff::DiffRow;
using analysis::diff::EventDiff;

constexpr int kMostDecimals = 6;

struct UnitChoice {
  double from = 0;  // the smallest total it is taken for
  double factor = 1;
  const char* unit = "";
  const char* description = "";
};

constexpr UnitChoice kSeconds[] = {
    {1, 1, "s", "seconds"}, {1e-3, 1e3, "ms", "milliseconds"}, {0, 1e6, "us", "microseconds"}};
// Up to seven digits stay as they are.
constexpr UnitChoice kCounts[] = {{1e13, 1e-12, "T", "trillions of "},
                                  {1e10, 1e-9, "G", "billions of "},
                                  {1e7, 1e-6, "M", "millions of "},
                                  {0, 1, "", ""}};
constexpr UnitChoice kBytes[] = {{1e13, 1e-12, "TB", "TB"},
                                 {1e10, 1e-9, "GB", "GB"},
                                 {1e7, 1e-6, "MB", "MB"},
                                 {0, 1, "bytes", "bytes"}};

UnitChoice Choose(std::span<const UnitChoice> units, double largest) {
  for (const UnitChoice& unit : units)
    if (largest >= unit.from) return unit;
  return units.back();
}

UnitChoice ChooseUnit(const EventDiff& diff, double largest) {
  switch (diff.unit.unit) {
    case model::EventUnit::kNanoseconds:
      // Nothing at all is not measured in microseconds.
      return largest > 0 ? Choose(kSeconds, largest) : kSeconds[0];
    case model::EventUnit::kBytes:
      return Choose(kBytes, largest);
    case model::EventUnit::kCount:
      break;
  }
  return Choose(kCounts, largest);
}

std::string Describe(const EventDiff& diff, const UnitChoice& unit) {
  std::string text = unit.description;
  switch (diff.unit.unit) {
    case model::EventUnit::kNanoseconds:
      text += " of CPU";
      break;
    case model::EventUnit::kBytes:
      text += " (" + Printable(diff.event.name) + ")";
      break;
    case model::EventUnit::kCount:
      text += Printable(diff.event.name);
      break;
  }
  return text + (diff.unit.per_second ? " per second of wall time" : " per run");
}

bool IsWhole(const Change& change) {
  return std::floor(change.before) == change.before && std::floor(change.after) == change.after;
}

bool AllWhole(const EventDiff& diff) {
  return IsWhole(diff.total.change) && IsWhole(diff.scarce) &&
         std::ranges::all_of(diff.rows, [](const DiffRow& row) {
           return IsWhole(row.self) && IsWhole(row.children);
         });
}

// The power of ten of the first digit.
int ExponentOf(double value) { return static_cast<int>(std::floor(std::log10(value))); }

double SmallestSignificant(const EventDiff& diff, bool children) {
  double smallest = 0;
  for (const DiffRow& row : diff.rows) {
    const Change& change = children ? row.children : row.self;
    const double size = std::abs(change.Delta());
    if (change.IsSignificant() && size > 0 && (smallest == 0 || size < smallest)) smallest = size;
  }
  return smallest;
}

}  // namespace

AmountScale AmountScale::Of(const EventDiff& diff, bool children) {
  double largest = std::max(diff.total.change.before, diff.total.change.after);
  if (!std::isfinite(largest) || largest < 0) largest = 0;
  const UnitChoice choice = ChooseUnit(diff, largest);
  AmountScale scale;
  scale.factor_ = choice.factor;
  scale.unit_ = choice.unit;
  if (diff.unit.per_second) scale.unit_ += "/s";
  scale.description_ = Describe(diff, choice);
  if (largest == 0) return scale;
  const double shown = largest * choice.factor;
  scale.decimals_ = std::clamp(3 - ExponentOf(shown), 0, kMostDecimals);
  if (choice.factor == 1 && diff.unit.unit != model::EventUnit::kNanoseconds && AllWhole(diff)) {
    scale.decimals_ = 0;
    return scale;
  }
  const double smallest = SmallestSignificant(diff, children) * choice.factor;
  for (int more = 0; more < 2 && smallest > 0 && scale.decimals_ < kMostDecimals; ++more) {
    if (smallest * std::pow(10.0, scale.decimals_) < 10) ++scale.decimals_;
  }
  return scale;
}

std::int64_t AmountScale::Digits(double amount) const {
  if (std::isnan(amount)) return 0;
  const double digits = amount * factor_ * std::pow(10.0, decimals_);
  return std::llround(std::clamp(digits, -kMost, kMost));
}

std::vector<std::int64_t> AmountScale::Apportion(std::span<const double> parts,
                                                 double total) const {
  std::vector<std::int64_t> digits(parts.size());
  if (parts.empty()) return digits;
  std::vector<double> remainders(parts.size());
  std::int64_t left = Digits(total);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double exact = parts[i] * factor_ * std::pow(10.0, decimals_);
    const double whole = std::isfinite(exact) ? std::clamp(std::floor(exact), -kMost, kMost) : 0;
    digits[i] = static_cast<std::int64_t>(whole);
    remainders[i] = std::isfinite(exact) ? exact - whole : 0;
    left -= digits[i];
  }
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t each = left / count - (left % count < 0 ? 1 : 0);
  left -= each * count;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return remainders[a] != remainders[b] ? remainders[a] > remainders[b] : a < b;
  });
  for (std::int64_t i = 0; i < count; ++i)
    digits[order[static_cast<std::size_t>(i)]] += each + (i < left ? 1 : 0);
  return digits;
}

std::string AmountScale::Text(std::int64_t digits, bool grouped) const {
  std::string number = std::to_string(std::abs(digits));
  const auto decimals = static_cast<std::size_t>(decimals_);
  if (decimals > 0) {
    if (number.size() <= decimals) number.insert(0, decimals + 1 - number.size(), '0');
    number.insert(number.size() - decimals, 1, '.');
  }
  if (digits < 0) number.insert(0, 1, '-');
  return grouped ? GroupDigits(number) : number;
}

std::string AmountScale::SignedText(std::int64_t digits, bool grouped) const {
  return (digits > 0 ? "+" : "") + Text(digits, grouped);
}

std::string AmountScale::WithUnit(std::string number) const {
  if (unit_.empty()) return number;
  return std::move(number.append(unit_.starts_with('/') ? "" : " ").append(unit_));
}

std::string AmountScale::Sentence(double amount) const { return WithUnit(Text(Digits(amount))); }

std::string AmountScale::ChangeSentence(double change) const {
  AmountScale coarse = *this;
  if (const double size = std::abs(change * factor_); size > 0 && std::isfinite(size))
    coarse.decimals_ = std::clamp(1 - ExponentOf(size), 0, decimals_);
  return WithUnit(coarse.SignedText(coarse.Digits(change)));
}

}  // namespace prof::report
