// Samples for the tests of statistics: literal, and simulated with the same numbers on every
// machine (the standard library's distributions differ between libraries, its generators do not).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics::test {

inline Sample Of(std::vector<double> values) {
  Result<Sample> sample = Sample::Create(std::move(values));
  EXPECT_TRUE(sample.has_value());
  return *std::move(sample);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  double Uniform() {  // in (0, 1)
    return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53;
  }
  double Normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  std::mt19937_64 generator_;
};

// What the runs of a program may look like, all with the median `median`.
struct Shape {
  const char* name;
  std::function<double(Random&)> draw;
  double median;
  double mean;
};

// Of spread `s` (a share of the median): normal; lognormal; two modes of equal weight, 3 s apart.
inline std::vector<Shape> Shapes(double s) {
  return {{"normal", [s](Random& random) { return 1 + s * random.Normal(); }, 1, 1},
          {"lognormal", [s](Random& random) { return std::exp(s * random.Normal()); }, 1,
           std::exp(s * s / 2)},
          {"bimodal",
           [s](Random& random) {
             const double mode = random.Uniform() < 0.5 ? 1 - 1.5 * s : 1 + 1.5 * s;
             return mode + s * random.Normal();
           },
           1, 1}};
}

inline std::vector<double> Draw(const Shape& shape, std::size_t n, Random& random) {
  std::vector<double> values(n);
  for (double& value : values) value = shape.draw(random);
  return values;
}

// Whether `hits` of `trials` may come of `probability`: within 3.3 standard deviations (1 in 1,000
// checks fails by chance; the seeds are fixed).
inline bool WithinBinomial(double hits, double trials, double probability) {
  return std::abs(hits - trials * probability) <=
         3.3 * std::sqrt(trials * probability * (1 - probability)) + 0.5;
}

}  // namespace prof::analysis::statistics::test
