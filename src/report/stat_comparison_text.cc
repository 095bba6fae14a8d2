// Writes the verdicts of comparisons, and a table of every quantity that was compared.
#include "report/stat_comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/stat_layout.h"
#include "report/stat_numbers.h"
#include "report/text_fit.h"

namespace prof::report {

using analysis::counts::QuantityComparison;
using analysis::counts::QuantityKind;
using analysis::counts::SideComparison;
using analysis::counts::StatReport;
using analysis::statistics::Shift;
using analysis::statistics::Verdict;

namespace {

// Columns of the table; a longer quantity or value pushes the rest of its row.
constexpr std::size_t kQuantityColumns = 16;
constexpr std::size_t kMedianColumns = 9;
constexpr std::size_t kRatioColumns = 20;
constexpr std::size_t kProbabilityColumns = 7;
constexpr std::size_t kEffectColumns = 5;

bool IsDecided(Verdict verdict) {
  return verdict == Verdict::kLower || verdict == Verdict::kHigher;
}

Shade ShadeOf(const QuantityComparison& compared) {
  if (!IsDecided(compared.verdict)) return Shade::kDoubtful;
  const bool higher = compared.verdict == Verdict::kHigher;
  return higher == compared.quantity.higher_is_better ? Shade::kGood : Shade::kBad;
}

std::string WordOf(const QuantityComparison& compared) {
  switch (compared.verdict) {
    case Verdict::kLower:
      return IsTime(compared.quantity) ? "faster" : "lower";
    case Verdict::kHigher:
      return IsTime(compared.quantity) ? "slower" : "higher";
    case Verdict::kNoDifferenceShown:
      return "-";
    case Verdict::kTooNoisy:
      return "noisy";
    case Verdict::kTooFewRuns:
      return "few";
  }
  return "";
}

std::string Signed(double value, int decimals, bool grouped = false) {
  const std::string text = FixedText(value, decimals, grouped);
  return value > 0 && std::isfinite(value) ? '+' + text : text;
}

// "typical difference -0.127 s (-0.139 to -0.115), Cohen's d -4.20"; Cliff's delta is in the table.
std::string DifferenceText(const QuantityComparison& compared, const StatTextStyle& style) {
  const Shift& shift = compared.comparison.shift;
  const double largest =
      std::max(std::abs(shift.estimate), shift.interval ? shift.interval->Width() : 0);
  const ReadableUnit unit = ReadableUnitOf(compared.quantity.unit, largest);
  const int decimals = DecimalsFor(shift.interval ? shift.interval->Width() * unit.factor : 0,
                                   shift.estimate * unit.factor);
  std::string text =
      "typical difference " + Signed(shift.estimate * unit.factor, decimals, style.big_numbers);
  if (!unit.name.empty()) text += ' ' + unit.name;
  if (shift.interval)
    text += fmt::format(" ({} to {})",
                        Signed(shift.interval->low * unit.factor, decimals, style.big_numbers),
                        Signed(shift.interval->high * unit.factor, decimals, style.big_numbers));
  if (compared.comparison.effect)
    text += ", Cohen's d " + Signed(compared.comparison.effect->cohens_d, 2);
  return text;
}

// "'./new' is faster by 14.2 % (...) than './old'", "'./new' against './old': no difference ...".
std::string VerdictText(const StatReport& report, const SideComparison& comparison) {
  const std::string a = SideName(report, comparison.a);
  const std::string b = SideName(report, comparison.b);
  const bool decided =
      !comparison.quantities.empty() && IsDecided(comparison.quantities.front().verdict);
  return decided ? fmt::format("{} is {} than {}", b, comparison.verdict, a)
                 : fmt::format("{} against {}: {}", b, a, comparison.verdict);
}

std::string RatioText(const QuantityComparison& compared) {
  const auto& ratio = compared.comparison.ratio;
  if (!ratio) {
    const auto& medians = compared.comparison.median_ratio;
    return medians ? FixedText(*medians, DecimalsFor(0.01, *medians)) : kNoNumber;
  }
  // To 0.1 %, closer only where the interval is.
  const double fine = 0.02 * std::max(1.0, ratio->estimate);
  const double width = ratio->interval ? ratio->interval->Width() : fine;
  const bool narrow = width > 0 && width < 0.001 * ratio->estimate;
  const int decimals = DecimalsFor(narrow ? width : fine, ratio->estimate);
  std::string text = FixedText(ratio->estimate, decimals);
  if (ratio->interval)
    text += fmt::format(" [{}, {}]", FixedText(ratio->interval->low, decimals),
                        FixedText(ratio->interval->high, decimals));
  return text;
}

double LargerMedian(const QuantityComparison& compared) {
  return std::max(std::abs(compared.comparison.a.median), std::abs(compared.comparison.b.median));
}

// The medians in one unit, with digits that tell them apart; all times in the unit of the
// `longest`.
std::string RowText(const QuantityComparison& compared, double longest,
                    const StatTextStyle& style) {
  const auto& a = compared.comparison.a;
  const auto& b = compared.comparison.b;
  const ReadableUnit unit = ReadableUnitOf(compared.quantity.unit, longest);
  const auto median = [&](const analysis::statistics::Summary& side) {
    const double shown = side.median * unit.factor;
    const bool whole = std::floor(a.median * unit.factor) == a.median * unit.factor &&
                       std::floor(b.median * unit.factor) == b.median * unit.factor;
    return FixedText(shown, whole ? 0 : DecimalsFor(std::abs(shown) / 100, shown),
                     style.big_numbers);
  };
  const std::string name =
      Printable(compared.quantity.name) + (unit.name.empty() ? "" : ", " + Printable(unit.name));
  const std::string line =
      ' ' + PadRight(name, kQuantityColumns) + ' ' + PadLeft(median(a), kMedianColumns) + ' ' +
      PadLeft(median(b), kMedianColumns) + "  " + PadRight(RatioText(compared), kRatioColumns) +
      ' ' + PadLeft(ProbabilityText(compared.p), kProbabilityColumns) + ' ' +
      PadLeft(Signed(compared.comparison.mann_whitney.cliffs_delta, 2), kEffectColumns) + ' ';
  return line +
         (IsDecided(compared.verdict) ? Shaded(WordOf(compared), ShadeOf(compared), style)
                                      : WordOf(compared)) +
         '\n';
}

// What the words of undecided rows mean, of those that are there.
std::string LegendText(const SideComparison& comparison, const StatTextStyle& style) {
  static constexpr struct {
    Verdict verdict;
    const char* meaning;
  } kLegend[] = {
      {Verdict::kNoDifferenceShown, " -: no difference shown\n"},
      {Verdict::kTooNoisy, " noisy: no difference shown, nor would one of 10 % have been\n"},
      {Verdict::kTooFewRuns, " few: so few runs cannot show any difference\n"},
  };
  std::string text;
  for (const auto& legend : kLegend)
    if (std::ranges::find(comparison.quantities, legend.verdict, &QuantityComparison::verdict) !=
        comparison.quantities.end())
      text += Shaded(legend.meaning, Shade::kHint, style);
  return text;
}

std::string TableText(const StatReport& report, const SideComparison& comparison,
                      const StatTextStyle& style) {
  const auto side = [&](const char* letter, std::uint32_t id, std::size_t runs) {
    return Paragraph(fmt::format(" {}: ", letter),
                     fmt::format("{}, {} runs", SideName(report, id), runs), style);
  };
  if (comparison.quantities.empty()) return {};
  const auto& headline = comparison.quantities.front().comparison;
  std::string text = side("A", comparison.a, headline.a.n) + side("B", comparison.b, headline.b.n);
  text += fmt::format("\n {:<{}} {:>{}} {:>{}}  {:<{}} {:>{}} {:>{}}\n", "median of",
                      kQuantityColumns, "A", kMedianColumns, "B", kMedianColumns, "B / A [95 %]",
                      kRatioColumns, "p", kProbabilityColumns, "delta", kEffectColumns);
  double longest = 0;
  for (const QuantityComparison& compared : comparison.quantities)
    if (IsTime(compared.quantity)) longest = std::max(longest, LargerMedian(compared));
  for (const QuantityComparison& compared : comparison.quantities)
    text += RowText(compared, IsTime(compared.quantity) ? longest : LargerMedian(compared), style);
  return text + LegendText(comparison, style);
}

}  // namespace

std::string SideName(const StatReport& report, std::uint32_t side) {
  if (side >= report.sides.size() || report.sides[side].side.text.empty())
    return fmt::format("side {}", side);
  const std::string& text = report.sides[side].side.text;
  return Printable(text.starts_with('\'') ? text : '\'' + text + '\'');
}

std::string ComparisonsText(const StatReport& report, const StatTextStyle& style) {
  std::string text;
  for (const SideComparison& comparison : report.comparisons) {
    const bool judged = !comparison.quantities.empty();
    text += Shaded(Paragraph(" ", VerdictText(report, comparison), style),
                   judged ? ShadeOf(comparison.quantities.front()) : Shade::kDoubtful, style);
    if (judged)
      text += Paragraph("   ", DifferenceText(comparison.quantities.front(), style), style);
    for (const std::string& reason : comparison.reasons) text += Paragraph("   ", reason, style);
  }
  for (const SideComparison& comparison : report.comparisons) {
    const std::string table = TableText(report, comparison, style);
    if (!table.empty()) text += '\n' + table;
    for (const std::string& unusable : comparison.unusable)
      text += Paragraph(" not compared: ", unusable, style);
  }
  return text;
}

}  // namespace prof::report
