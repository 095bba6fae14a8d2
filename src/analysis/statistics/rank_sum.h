// The distribution of the rank sum, or of U, when both samples come from one distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace prof::analysis::statistics {

// Whether the exact distribution without ties is cheap enough.
[[nodiscard]] bool HasExactU(std::size_t n_a, std::size_t n_b);

// P(U = 0), ..., P(U = limit) without ties. The caller has asked HasExactU.
[[nodiscard]] std::vector<double> ProbabilitiesOfU(std::size_t n_a, std::size_t n_b,
                                                   std::size_t limit);

// The ranks of the values of two samples taken together, doubled to be whole when ties share one.
struct Midranks {
  std::vector<std::uint32_t> doubled;  // ascending, of both samples
  std::uint64_t doubled_sum_b = 0;     // of the second sample
  double tie_term = 0;                 // sum over groups of t ties of t^3 - t
};
// Both ascending.
[[nodiscard]] Midranks RankTogether(std::span<const double> a, std::span<const double> b);

// Additions that CountTied takes.
[[nodiscard]] double CostOfTied(std::span<const std::uint32_t> doubled, std::size_t chosen);
// P(|S - E(S)| >= |doubled_sum - E(S)|), S the sum of `chosen` of the ranks drawn at random.
[[nodiscard]] double TwoSidedTied(std::span<const std::uint32_t> doubled, std::size_t chosen,
                                  std::uint64_t doubled_sum);

// The largest c with P(U < c) <= tail, 0 if there is none: U in [c, n_a n_b - c] has probability
// at least 1 - 2 tail. `outside` is P(U < c). Normal above what HasExactU allows.
struct CriticalU {
  std::size_t value = 0;
  double outside = 0;
};
[[nodiscard]] CriticalU FindCriticalU(std::size_t n_a, std::size_t n_b, double tail);

}  // namespace prof::analysis::statistics
