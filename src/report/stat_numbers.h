// Numbers as `prof stat` prints them: as many digits as mean something, never "nan" or "inf".
#pragma once

#include <string>

#include "prof/analysis/statistics/summary.h"

namespace prof::report {

// What is printed for a value that is no number.
inline constexpr const char* kNoNumber = "-";

// 1,234,567 as en_US groups them: digits before the decimal point only.
std::string GroupDigits(const std::string& digits);

// With `decimals` digits behind the point; kScientific, and any value of 1e15 and up: 5 significant
// digits with an exponent.
inline constexpr int kScientific = -1;
std::string FixedText(double value, int decimals, bool grouped = false);

// Decimals that leave two significant digits of a spread (the width of an interval, a standard
// deviation) in values as large as `magnitude`, of which at most nine digits are shown. A spread of
// 0: four significant digits of the magnitude, none behind the point if it is whole.
int DecimalsFor(double spread, double magnitude);

// Of the median of a summary and its interval, minimum and maximum.
int DecimalsOf(const analysis::statistics::Summary& summary);
// One of them; whole numbers of counts have no decimals.
std::string SummaryText(const analysis::statistics::Summary& summary, double value, bool grouped);

// By itself: four significant digits, whole numbers as they are.
std::string NumberText(double value, bool grouped = false);

// Seconds are shown in the unit that gives readable numbers of `magnitude`; other units stay.
struct ReadableUnit {
  double factor = 1;
  std::string name;  // "s", "ms", "us", "ns", or the unit given
};
ReadableUnit ReadableUnitOf(const std::string& unit, double magnitude);

// "1.31 s", "0.41 ms", "12 MB": three significant digits without zeros at the end.
std::string MeasureText(double value, const std::string& unit);

// "0.0002", "0.034", "<0.0001", with two significant digits; with the sign as in a sentence:
// "p = 0.0002", "p < 0.0001".
std::string ProbabilityText(double p);

// "trustworthy", "moderate", "investigate".
const char* TrustWord(analysis::statistics::Trust trust);

}  // namespace prof::report
