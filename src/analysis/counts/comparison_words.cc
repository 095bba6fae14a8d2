// Words for verdicts.
#include "analysis/counts/comparison_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/counts/value_text.h"

namespace prof::analysis::counts {
namespace {

using statistics::Interval;
using statistics::Verdict;

const char* Direction(const Quantity& quantity, bool is_lower) {
  if (IsTime(quantity)) return is_lower ? "faster" : "slower";
  return is_lower ? "lower" : "higher";
}

// Numbers of a metric say nothing about good and bad without it.
std::string Judgement(const Quantity& quantity, bool is_lower) {
  if (IsTime(quantity)) return {};
  return is_lower != quantity.higher_is_better ? "better; " : "worse; ";
}

struct Change {
  double by = 0;  // above 0 in the direction that was found
  std::optional<Interval> interval;
};

// From b - a, or b / a - 1, to the size of a change in the direction found.
Change Directed(double by, const std::optional<Interval>& interval, bool is_lower) {
  if (!is_lower) return {.by = by, .interval = interval};
  Change change{.by = -by};
  if (interval) change.interval = Interval{.low = -interval->high, .high = -interval->low};
  return change;
}

std::string Sized(const QuantityComparison& headline, bool is_lower) {
  const statistics::Comparison& comparison = headline.comparison;
  const std::string p = ProbabilityText(headline.p);
  const std::string judgement = Judgement(headline.quantity, is_lower);
  if (comparison.ratio) {
    std::optional<Interval> percent;
    if (const auto& interval = comparison.ratio->interval) {
      percent = Interval{.low = 100 * (interval->low - 1), .high = 100 * (interval->high - 1)};
    }
    const Change change = Directed(100 * (comparison.ratio->estimate - 1), percent, is_lower);
    std::string text = PercentText(change.by) + " (" + judgement;
    if (change.interval) {
      text += PercentNumber(change.interval->low, change.by) + " to " +
              PercentNumber(change.interval->high, change.by) + ", ";
    }
    return text + p + ")";
  }
  // Values of 0 or below have no ratio.
  const Change change = Directed(comparison.shift.estimate, comparison.shift.interval, is_lower);
  const std::string unit = headline.quantity.unit.empty() ? "" : " " + headline.quantity.unit;
  std::string text = fmt::format("{:.4g}{} ({}", change.by, unit, judgement);
  if (change.interval) {
    text += fmt::format("{:.4g} to {:.4g}, ", change.interval->low, change.interval->high);
  }
  return text + p + ")";
}

std::string TooFewRuns(const statistics::Comparison& comparison, std::size_t comparisons) {
  const bool is_corrected = comparisons > 1;
  const double factor = is_corrected ? static_cast<double>(comparisons) : 1;
  const double smallest = std::min(1.0, comparison.smallest_p * factor);
  const std::string number = fmt::format("{:.{}f}", smallest, smallest < 0.01 ? 4 : 2);
  const std::string correction =
      is_corrected ? fmt::format(", corrected for {} comparisons,", comparisons) : "";
  return fmt::format(
      "too few runs: the smallest p that {} against {} runs can reach{} is {}; {} "
      "of each are needed",
      comparison.a.n, comparison.b.n, correction, number, comparison.runs_needed);
}

// "A" and "B" are the words of the options: A is the --vs command, B the one behind --.
void AddNoise(const char* side, const Quantity& quantity, const statistics::Summary& summary,
              const statistics::SideNoise& noise, std::vector<std::string>& reasons) {
  if (noise.spread && summary.variation) {
    reasons.push_back(fmt::format("{}: {} varies by {} from run to run", side, quantity.name,
                                  PercentText(100 * *summary.variation)));
  }
  if (noise.drift) {
    reasons.push_back(fmt::format("{}: {} drifts while the runs go on", side, quantity.name));
  }
  if (noise.outliers.empty()) return;
  std::string runs;
  constexpr std::size_t kNamed = 5;
  for (std::size_t at = 0; at < std::min(noise.outliers.size(), kNamed); ++at) {
    runs += (at == 0 ? "" : ", ") + std::to_string(noise.outliers[at].run + 1);
  }
  if (noise.outliers.size() > kNamed) runs += ", ...";
  reasons.push_back(fmt::format("{}: far from the other runs: {} {}", side,
                                noise.outliers.size() == 1 ? "run" : "runs", runs));
}

}  // namespace

std::string VerdictSentence(const QuantityComparison& headline, std::size_t comparisons) {
  const statistics::Comparison& comparison = headline.comparison;
  switch (headline.verdict) {
    case Verdict::kLower:
    case Verdict::kHigher: {
      const bool is_lower = headline.verdict == Verdict::kLower;
      return fmt::format("{} by {}", Direction(headline.quantity, is_lower),
                         Sized(headline, is_lower));
    }
    case Verdict::kNoDifferenceShown:
      if (!comparison.smallest_change) {
        return "no difference shown (" + ProbabilityText(headline.p) + ")";
      }
      return fmt::format("no difference shown (the smallest this could have shown: {})",
                         PercentText(100 * *comparison.smallest_change));
    case Verdict::kTooNoisy:
      return fmt::format("too noisy: the smallest change this could have shown is {}",
                         PercentText(100 * comparison.smallest_change.value_or(0)));
    case Verdict::kTooFewRuns:
      return TooFewRuns(comparison, comparisons);
  }
  return {};
}

std::vector<std::string> ReasonsFor(const QuantityComparison& headline) {
  const statistics::Comparison& comparison = headline.comparison;
  std::vector<std::string> reasons;
  if (headline.verdict == Verdict::kTooFewRuns) {
    return {fmt::format("-r {}, or -r auto, runs often enough", comparison.runs_needed)};
  }
  if (headline.verdict != Verdict::kTooNoisy) return reasons;
  AddNoise("A", headline.quantity, comparison.a, comparison.noise_a, reasons);
  AddNoise("B", headline.quantity, comparison.b, comparison.noise_b, reasons);
  // Few runs alone make wide intervals, too.
  reasons.emplace_back("more runs (-r auto) or a quieter machine would show smaller changes");
  return reasons;
}

std::string DriftSentence(const Quantity& quantity, const statistics::Drift& drift) {
  const bool is_lower = drift.shift < 0;
  std::string by;
  if (drift.relative) {
    by = PercentText(100 * std::abs(*drift.relative));
  } else {
    by = fmt::format("{:.4g}{}", std::abs(drift.shift),
                     quantity.unit.empty() ? "" : " " + quantity.unit);
  }
  return fmt::format("{} drifts: the last third of the runs is {} {} than the first ({})",
                     quantity.name, by, Direction(quantity, is_lower), ProbabilityText(drift.p));
}

std::optional<double> WorseShare(const QuantityComparison& headline) {
  const statistics::Comparison& comparison = headline.comparison;
  double more = 0;
  if (comparison.ratio) {
    more = comparison.ratio->estimate - 1;
  } else if (comparison.a.median != 0) {
    more = comparison.shift.estimate / std::abs(comparison.a.median);
  } else {
    return std::nullopt;
  }
  return headline.quantity.higher_is_better ? -more : more;
}

}  // namespace prof::analysis::counts
