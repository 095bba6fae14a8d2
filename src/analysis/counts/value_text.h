// Numbers inside sentences.
#pragma once

#include <cstdint>
#include <string>

namespace prof::analysis::counts {

// "3,012"; rounded to whole numbers.
std::string CountText(double count);
// "0.41 s", "12 s", "3.2 ms".
std::string SecondsText(double seconds);
// "14.2 %", "0.31 %", of a value in percent.
std::string PercentText(double percent);
// Without the unit, of the same digits for all that stand together: those of `like`.
std::string PercentNumber(double percent, double like);
// "p = 0.0002", "p < 0.0001".
std::string ProbabilityText(double p);
// "1 run", "3 runs".
std::string Plural(std::uint64_t count, const std::string& noun);

}  // namespace prof::analysis::counts
