// Programs whose recordings are simulated: what varies, and by how much, is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "unit/analysis/statistics_samples.h"

#include "prof/analysis/statistics/count_changes.h"

namespace prof::analysis::statistics::test {

// Poisson's distribution; normal where nobody can tell.
inline double DrawPoisson(double mean, Random& random) {
  if (mean > 50) return std::max(0.0, std::round(mean + std::sqrt(mean) * random.Normal()));
  double product = random.Uniform();
  const double limit = std::exp(-mean);
  double count = 0;
  for (; product > limit; ++count) product *= random.Uniform();
  return count;
}

// A factor of mean 1 that varies by the share `variation`.
inline double DrawFactor(double variation, Random& random) {
  const double sigma = std::sqrt(std::log1p(variation * variation));
  return std::exp(sigma * random.Normal() - sigma * sigma / 2);
}

struct SimulatedFunction {
  double mean = 0;       // samples of a run
  double variation = 0;  // of its own, from run to run
  double begin = 0;      // when it runs, as a share of the time of a run
  double end = 1;
  double jitter = 1;  // variance of its samples beside Poisson's: a clock's is smaller
};

struct SimulatedProgram {
  std::vector<SimulatedFunction> functions;
  double machine = 0;         // all functions together vary by this share from run to run
  double blocks_vary = 0;     // a function varies by this share from block to block,
  double blocks_hang = 0;     // which hangs together with the block before by this correlation
  double outlier_chance = 0;  // that a run takes three times as long in one function in five

  // Samples of one run: of each function, of each block.
  [[nodiscard]] std::vector<std::vector<double>> Run(std::size_t blocks, Random& random) const {
    const double speed = DrawFactor(machine, random);
    const bool outlier = random.Uniform() < outlier_chance;
    std::vector<std::vector<double>> run;
    for (const SimulatedFunction& function : functions) {
      double mean = function.mean * speed * DrawFactor(function.variation, random);
      if (outlier && random.Uniform() < 0.2) mean *= 3;
      run.push_back(Blocks(function, mean, blocks, random));
    }
    return run;
  }

 private:
  [[nodiscard]] std::vector<double> Blocks(const SimulatedFunction& function, double mean,
                                           std::size_t blocks, Random& random) const {
    std::vector<double> counts(blocks);
    const auto n = static_cast<double>(blocks);
    double state = random.Normal();
    for (std::size_t k = 0; k < blocks; ++k) {
      const double begin = std::max(function.begin, static_cast<double>(k) / n);
      const double end = std::min(function.end, static_cast<double>(k + 1) / n);
      const double share = std::max(0.0, end - begin) / (function.end - function.begin);
      const double here = mean * share * std::max(0.0, 1 + blocks_vary * state);
      state = blocks_hang * state + std::sqrt(1 - blocks_hang * blocks_hang) * random.Normal();
      counts[k] = function.jitter == 1
                      ? DrawPoisson(here, random)
                      : std::max(0.0, std::round(here + std::sqrt(function.jitter * here) *
                                                            random.Normal()));
    }
    return counts;
  }
};

// Functions as programs have them: from a fifth of all samples to a few.
inline std::vector<SimulatedFunction> SomeFunctions(std::size_t count, double samples,
                                                    double variation) {
  std::vector<SimulatedFunction> functions(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += 1 / static_cast<double>(i + 2);
  for (std::size_t i = 0; i < count; ++i) {
    functions[i] = {.mean = samples / static_cast<double>(i + 2) / sum, .variation = variation};
  }
  return functions;
}

// Amounts of both sides, with what they are seen through.
class Sides {
 public:
  // `before` and `after` runs; kBlocks: one of each, by their blocks.
  Sides(const SimulatedProgram& before, std::size_t runs_before, const SimulatedProgram& after,
        std::size_t runs_after, CountUnits units, Random& random, std::size_t blocks = 20) {
    before_ = Draw(before, runs_before, units, random, blocks);
    after_ = Draw(after, runs_after, units, random, blocks);
    for (std::size_t i = 0; i < before_.size(); ++i) items_.push_back({before_[i], after_[i], 1});
  }
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;

  [[nodiscard]] const std::vector<ItemAmounts>& items() const { return items_; }

 private:
  static std::vector<std::vector<double>> Draw(const SimulatedProgram& program, std::size_t runs,
                                               CountUnits units, Random& random,
                                               std::size_t blocks) {
    if (units == CountUnits::kBlocks) return program.Run(blocks, random);
    std::vector<std::vector<double>> amounts(program.functions.size());
    for (std::size_t run = 0; run < runs; ++run) {
      // One block is the whole run, unless blocks differ.
      const auto drawn = program.Run(program.blocks_vary > 0 ? blocks : 1, random);
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        double sum = 0;
        for (const double count : drawn[i]) sum += count;
        amounts[i].push_back(sum);
      }
    }
    return amounts;
  }

  std::vector<std::vector<double>> before_;
  std::vector<std::vector<double>> after_;
  std::vector<ItemAmounts> items_;
};

}  // namespace prof::analysis::statistics::test
