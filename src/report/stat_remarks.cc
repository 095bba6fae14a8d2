// Explains the numbers: which run was slow and why, where the values lie, what disturbed.
#include "report/stat_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "report/stat_layout.h"
#include "report/stat_noise.h"
#include "report/stat_numbers.h"
#include "report/text_fit.h"

namespace prof::report {

using analysis::counts::ExplainedOutlier;
using analysis::counts::QuantityKind;
using analysis::counts::RunRow;
using analysis::counts::StatSide;

namespace {

constexpr const char* kOutlierMark = "  <-- outlier";
// Bins without values that are left out: a far outlier would make most of the histogram empty.
constexpr std::size_t kLongGap = 3;
constexpr int kWidestHistogram = 60;

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The first ones, as many as fit behind `line`, one at least.
std::string JoinedToFit(const std::vector<std::string>& words, const std::string& line,
                        std::size_t width) {
  std::string text;
  for (const std::string& word : words) {
    const std::size_t taken = DisplayWidth(line) + DisplayWidth(text) + 2 + DisplayWidth(word);
    if (!text.empty() && taken > width) break;
    text += (text.empty() ? " " : ", ") + word;
  }
  return text;
}

std::string MetricLines(const StatSide& side, const StatTextStyle& style) {
  std::string text;
  for (const auto& metric : side.metrics) {
    if (style.metric_only) break;  // there with the others
    text +=
        metric.is_percent && std::isfinite(metric.value)
            ? fmt::format("{:>{}.1f} % {}\n", metric.value, kValueColumns, MetricUnit(metric))
            : PadLeft(NumberText(metric.value), kValueColumns) + ' ' + MetricUnit(metric) + '\n';
  }
  if (!text.empty()) text += '\n';
  for (const std::string& verdict : side.verdicts) text += Paragraph(" ", verdict, style);
  return text;
}

// "run 7 took 1.31 s (median 0.90 s): waited 0.41 s for a CPU".
std::string OutlierText(const ExplainedOutlier& outlier) {
  const auto& quantity = outlier.quantity;
  const double largest = std::max(std::abs(outlier.value), std::abs(outlier.median));
  const ReadableUnit unit = ReadableUnitOf(quantity.unit, largest);
  const int decimals =
      DecimalsFor(std::abs(outlier.value - outlier.median) * unit.factor, largest * unit.factor);
  const std::string suffix = unit.name.empty() ? "" : ' ' + unit.name;
  const std::string what = quantity.kind == QuantityKind::kElapsed ? " took" : ": " + quantity.name;
  return fmt::format(
      "run {}{} {}{} (median {}{}): {}", outlier.run, what,
      FixedText(outlier.value * unit.factor, decimals), suffix,
      FixedText(outlier.median * unit.factor, decimals), suffix,
      outlier.causes.empty() ? "nothing the kernel reports explains it" : Joined(outlier.causes));
}

// How many bins without values begin at `from`.
std::size_t EmptyBins(const analysis::statistics::Histogram& histogram, std::size_t from) {
  std::size_t at = from;
  while (at < histogram.counts.size() && histogram.counts[at] == 0) ++at;
  return at - from;
}

std::string HistogramText(const StatSide& side, const StatTextStyle& style) {
  const auto& histogram = *side.histogram;
  const std::size_t bins = histogram.counts.size();
  if (bins == 0 || histogram.edges.size() != bins + 1 || side.quantities.empty()) return {};
  const auto& quantity = side.quantities.front().quantity;
  const double largest =
      std::max(std::abs(histogram.edges.front()), std::abs(histogram.edges.back()));
  const ReadableUnit unit = ReadableUnitOf(quantity.unit, largest);
  const double step = (histogram.edges[1] - histogram.edges[0]) * unit.factor;
  const int decimals = DecimalsFor(step, largest * unit.factor);
  std::vector<std::string> labels;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    labels.push_back(FixedText(histogram.edges[i] * unit.factor, decimals, style.big_numbers) +
                     (unit.name.empty() ? "" : ' ' + unit.name));
    columns = std::max(columns, DisplayWidth(labels.back()));
  }
  const std::size_t most = std::ranges::max(histogram.counts);
  const std::size_t taken = columns + 12;  // margins, the bar's foot, the number behind it
  const std::size_t width = static_cast<std::size_t>(std::clamp(style.width, 40, kWidestHistogram));
  const std::size_t room = width > taken + 10 ? width - taken : 10;
  std::string text = fmt::format("\n distribution of {}:\n", Printable(quantity.name));
  for (std::size_t i = 0; i < bins; ++i) {
    const std::size_t count = histogram.counts[i];
    const std::size_t empty = EmptyBins(histogram, i);
    if (empty >= kLongGap) {
      text += "   " + PadLeft("...", columns) + '\n';
      i += empty - 1;
      continue;
    }
    // Whatever is there shows at least one mark.
    const std::size_t bar = most == 0 ? 0 : (count * room + most - 1) / most;
    text += fmt::format("   {} |{}{}\n", PadLeft(labels[i], columns), std::string(bar, '#'),
                        count == 0 ? "" : fmt::format(" {}", count));
  }
  return text + '\n';
}

// What has a warning of its own, and what only says it once more, is not said twice.
model::RunNoise NoiseWithoutWarning(const StatSide& side) {
  model::RunNoise rest = side.noise.total;
  for (const auto& warning : side.noise.warnings) {
    rest.*warning.witness = model::kNotKnown;
    if (warning.witness == &model::RunNoise::wait_ns ||
        warning.witness == &model::RunNoise::other_cpu_ns)
      rest.cpu_pressure_ns = model::kNotKnown;
  }
  return rest;
}

std::string NoiseText(const StatSide& side, const StatTextStyle& style) {
  const NoiseWords words = DescribeNoise(NoiseWithoutWarning(side), side.noise.elapsed_s);
  const bool repeated = side.runs > 1;
  std::string text;
  if (!words.some.empty()) {
    if (repeated) text = fmt::format("in all {} runs: ", side.runs);
    text += Joined(words.some);
  } else if (!words.none.empty() && side.noise.warnings.empty()) {
    text = fmt::format("nothing disturbed {}: {}", repeated ? "these runs" : "this run",
                       Joined(words.none));
  }
  if (!repeated) {
    const auto memory = std::ranges::find(side.quantities, QuantityKind::kMaxRss,
                                          [](const auto& q) { return q.quantity.kind; });
    if (memory != side.quantities.end())
      text += (text.empty() ? "" : "; ") +
              ("peak memory " + MeasureText(memory->value, memory->quantity.unit));
  }
  return text.empty() ? text : Paragraph(" ", text, style);
}

}  // namespace

std::string MeasurementTable(const StatSide& side, const StatTextStyle& style) {
  if (side.table.empty()) return {};
  double shortest = side.table.front().elapsed_s;
  for (const RunRow& row : side.table) shortest = std::min(shortest, row.elapsed_s);
  const int decimals = DecimalsFor(shortest * 0.01, shortest);
  std::string text = "           # Table of individual measurements:\n";
  for (const RunRow& row : side.table) {
    const double change = row.elapsed_s > 0 ? std::abs(row.difference_s) / row.elapsed_s : 0;
    // perf's: one mark, and one for each 5 % of difference; at most 12.
    const auto bar = 1 + static_cast<std::size_t>(std::min(change * 20, 11.0));
    const std::string difference = FixedText(row.difference_s, decimals);
    std::string line =
        fmt::format("{} ({}{}) {:<4}", PadLeft(FixedText(row.elapsed_s, decimals), kValueColumns),
                    difference.starts_with('-') ? "" : "+", difference, std::string(bar, '#'));
    const NoiseWords noise = DescribeNoise(row.noise, row.elapsed_s);
    const bool outlier =
        std::ranges::find(side.outliers, row.run, &ExplainedOutlier::run) != side.outliers.end();
    const std::string mark = outlier ? kOutlierMark : "";
    line += JoinedToFit(noise.some, line,
                        static_cast<std::size_t>(std::max(style.width, 40)) - mark.size()) +
            mark;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text + "\n           # Final result:\n";
}

std::string SideRemarks(const StatSide& side, const StatTextStyle& style) {
  std::string text = MetricLines(side, style);
  if (side.runs > 1 && side.runs < analysis::statistics::RunsForMedianInterval())
    text += Paragraph(" ",
                      fmt::format("no interval of the median below {} runs",
                                  analysis::statistics::RunsForMedianInterval()),
                      style);
  for (const ExplainedOutlier& outlier : side.outliers)
    text += Paragraph(" ", OutlierText(outlier), style);
  for (const std::string& drift : side.drifts)
    text += Shaded(Paragraph(" ", drift, style), Shade::kDoubtful, style);
  if (style.histogram && side.histogram) text += HistogramText(side, style);
  std::vector<std::string> warnings;
  for (const auto& warning : side.noise.warnings) warnings.push_back(warning.words);
  if (!warnings.empty())
    text += Shaded(Paragraph(" disturbed: ", Joined(warnings), style), Shade::kDoubtful, style);
  text += NoiseText(side, style);
  return text;
}

}  // namespace prof::report
