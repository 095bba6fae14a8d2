// The amounts of a diff as they are printed: one unit and as many decimals for a whole table, so
// that printed numbers add up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prof/analysis/diff/profile_diff.h"

namespace prof::report {

// Amounts are held as whole numbers of the last printed digit. Everything is symmetric: two diffs
// that differ in which side is before have the same scale.
class AmountScale {
 public:
  // Four significant digits of the larger total, and up to two more where a significant change
  // (of `children` or self) would have fewer than two. Counts that are all whole have no decimals.
  static AmountScale Of(const analysis::diff::EventDiff& diff, bool children);

  // Rounded; beyond kMost: kMost.
  [[nodiscard]] std::int64_t Digits(double amount) const;
  // Of each part, so that they add up to Digits(total): each is rounded up or down, those with the
  // largest remainders up (Hamilton's method). Parts whose sum is not the total get the difference
  // spread over them.
  [[nodiscard]] std::vector<std::int64_t> Apportion(std::span<const double> parts,
                                                    double total) const;

  // "0.801", "1,234"; not grouped for programs.
  [[nodiscard]] std::string Text(std::int64_t digits, bool grouped = true) const;
  // "+0.021", "-0.420", "0.000".
  [[nodiscard]] std::string SignedText(std::int64_t digits, bool grouped = true) const;
  // In a sentence: "5.251 s", "1,234"; a change with two significant digits where it has more:
  // "-0.42 s".
  [[nodiscard]] std::string Sentence(double amount) const;
  [[nodiscard]] std::string ChangeSentence(double change) const;

  // "s", "ms", "us", "", "K", "M", "G", "T", "KB", ..; per second with "/s" behind.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  // What the columns are in: "seconds of CPU per run", "millions of cache-misses per second".
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  // Far above any sum of recordings, and low enough to add millions of.
  static constexpr double kMost = 1e12;

  [[nodiscard]] std::string WithUnit(std::string number) const;

  double factor_ = 1;  // of an amount, to the unit
  int decimals_ = 0;
  std::string unit_;
  std::string description_;
};

}  // namespace prof::report
