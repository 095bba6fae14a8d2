// Numbers as reports show them.
#pragma once

#include <cstdint>
#include <string>

namespace prof::report {

// "5.01 s", "12.3 ms"; counted in decimal.
std::string SecondsText(double seconds);
inline std::string NanosecondsText(std::uint64_t ns) {
  return SecondsText(static_cast<double>(ns) / 1e9);
}

// A share in percent with as many digits as matter: "46 %", "99.2 %", "0.04 %".
std::string ShareText(double share);

// perf's short count and unit letter: "212 ", "12K".
std::string ShortCount(std::uint64_t count);

// part / whole, 0 when there is no whole.
double Share(double part, double whole);

struct Interval {
  double low = 0;
  double high = 0;
};
// The 95 % Wilson score interval of `hits` of `samples`.
Interval WilsonInterval(std::uint64_t hits, std::uint64_t samples);

}  // namespace prof::report
