// Comparisons and drifts as sentences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {

// "faster by 14.2 % (12.9 to 15.6, p = 0.0002)". Percent are of A: faster by 14.2 % means that B
// takes 14.2 % less time than A (1 - ratio); slower by 10 % that it takes 10 % more. `comparisons`
// were made together.
std::string VerdictSentence(const QuantityComparison& headline, std::size_t comparisons);

// Why the headline is too noisy, or has too few runs, and what would help; else nothing.
std::vector<std::string> ReasonsFor(const QuantityComparison& headline);

// "time elapsed drifts: the last third of the runs is 3.1 % slower than the first (p = 0.002)".
std::string DriftSentence(const Quantity& quantity, const statistics::Drift& drift);

// By which share of A the headline of B is worse; below 0: better. None without a ratio or shift.
std::optional<double> WorseShare(const QuantityComparison& headline);

}  // namespace prof::analysis::counts
