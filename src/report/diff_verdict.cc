// Puts what a diff found into sentences.
#include "report/diff_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/diff_amounts.h"
#include "report/diff_rows.h"
#include "report/stat_numbers.h"
#include "report/text_fit.h"

#include "prof/report/diff_text.h"

namespace prof::report {
namespace {

using analysis::diff::DiffRow;
using analysis::diff::EventDiff;
using analysis::diff::ProfileDiff;
using analysis::diff::Side;
using analysis::diff::SideTotals;
using analysis::diff::TotalVerdict;
using analysis::statistics::CountTest;
using analysis::statistics::CountUnits;

constexpr std::size_t kNamedWithTotal = 3;  // rows that changed as the total did
constexpr std::size_t kNamedAgainst = 2;    // and the other way
constexpr std::size_t kNameColumns = 40;    // a sentence is no place for more
constexpr std::size_t kNamedFiles = 4;

// "8.1", "0.42", "120": percents that are printed together share the decimals of the first.
int PercentDecimals(double share) {
  const double percent = std::abs(share) * 100;
  if (percent >= 100) return 0;
  return percent < 0.95 ? 2 : 1;
}

std::string Percent(double share, int decimals) { return FixedText(100 * share, decimals, true); }

std::string Percent(double share) { return Percent(share, PercentDecimals(share)); }

std::string Join(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

bool IsTime(const EventDiff& event) { return event.unit.unit == model::EventUnit::kNanoseconds; }

// "is 8.1 % faster (6.9 to 9.4, p < 0.001)".
std::string TotalPhrase(const EventDiff& event, const AmountScale& scale) {
  const auto& total = event.total;
  const bool higher = total.verdict == TotalVerdict::kHigher;
  const std::string name = Printable(event.event.name);
  const std::string p =
      total.change.test ? "p " +
                              [&] {
                                const std::string text = DiffProbability(total.change.test->p);
                                return text.starts_with('<') ? "< " + text.substr(1) : "= " + text;
                              }()
                        : std::string();
  if (!total.share || !std::isfinite(*total.share)) {
    return fmt::format("after needs {}, before {}{}", scale.Sentence(total.change.after),
                       scale.Sentence(total.change.before), p.empty() ? "" : " (" + p + ")");
  }
  const double sign = higher ? 1 : -1;
  const int decimals = PercentDecimals(*total.share);
  const std::string percent = Percent(sign * *total.share, decimals);
  std::string text;
  if (!IsTime(event)) {
    const char* less = event.unit.unit == model::EventUnit::kBytes ? "less" : "fewer";
    text = fmt::format("after needs {} % {} {}", percent, higher ? "more" : less, name);
    if (event.unit.per_second) text += " per second";
  } else if (event.unit.per_second) {
    text = fmt::format("after uses {} % {} CPU", percent, higher ? "more" : "less");
  } else {
    text = fmt::format("after is {} % {}", percent, higher ? "slower" : "faster");
  }
  std::vector<std::string> sure;
  if (total.share_interval) {
    double low = sign * total.share_interval->low;
    double high = sign * total.share_interval->high;
    if (low > high) std::swap(low, high);
    sure.push_back(Percent(low, decimals) + " to " + Percent(high, decimals));
  }
  if (!p.empty()) sure.push_back(p);
  if (!sure.empty()) text += " (" + Join(sure, ", ") + ')';
  return text;
}

// "after took 5.104 s of CPU, before 5.251 s".
std::string BothTotals(const EventDiff& event, const AmountScale& scale) {
  const std::string what = IsTime(event) ? " of CPU" : " " + Printable(event.event.name);
  return fmt::format("after {} {}{}, before {}", IsTime(event) ? "took" : "needed",
                     scale.Sentence(event.total.change.after), what,
                     scale.Sentence(event.total.change.before));
}

std::string NoDifferencePhrase(const EventDiff& event) {
  const auto& total = event.total;
  std::string text = "no difference shown";
  if (total.share && std::isfinite(*total.share) && total.share_interval) {
    const int decimals = std::min(PercentDecimals(total.share_interval->low),
                                  PercentDecimals(total.share_interval->high));
    text += fmt::format(" (between {} and {} %)", Percent(total.share_interval->low, decimals),
                        Percent(total.share_interval->high, decimals));
  }
  if (total.detectable_share && std::isfinite(*total.detectable_share))
    text += fmt::format("; a change by {} % would have been", Percent(*total.detectable_share));
  return text;
}

std::string TooNoisyPhrase(const EventDiff& event) {
  const auto& total = event.total;
  std::string text = "too noisy: ";
  if (total.detectable_share && std::isfinite(*total.detectable_share)) {
    text += fmt::format("only a change by {} % or more would have been shown",
                        Percent(*total.detectable_share));
  } else {
    text += "no change that these runs could have shown";
  }
  for (const std::string& reason : total.noise) text += "; " + Printable(reason);
  return text;
}

std::string TooFewPhrase(const EventDiff& event, const AmountScale& scale) {
  const std::size_t before = event.before.runs.size();
  const std::size_t after = event.after.runs.size();
  if (std::min(before, after) <= 1) {
    return fmt::format("one run {} side: nothing is known of how much runs differ; {}",
                       std::max(before, after) <= 1 ? "a" : "on a", BothTotals(event, scale));
  }
  std::string text = before == after ? fmt::format("{} runs a side", before)
                                     : fmt::format("{} against {} runs", before, after);
  text += fmt::format(" can reach no p below {}", FixedText(event.total.smallest_p, 2));
  if (event.total.runs_needed > 0)
    text +=
        fmt::format(", {}{} are needed", event.total.runs_needed, before == after ? "" : " a side");
  return text + "; " + BothTotals(event, scale);
}

// What to do about too few runs.
std::string MoreRunsHint(const EventDiff& event) {
  const std::size_t needed = event.total.runs_needed;
  if (event.total.verdict != TotalVerdict::kTooFewRuns || needed == 0) return {};
  // Attached and system-wide recordings are made by hand.
  if (event.unit.per_second) return fmt::format("; {} recordings a side can show it", needed);
  return fmt::format("; {} runs a side can show it: prof diff --runs {} ...", needed, needed);
}

// "`parse_row` -0.42 s, `memcpy` -0.11 s; `alloc` +0.05 s", of significant rows alone.
std::string RowsPhrase(const ProfileDiff& diff, const EventDiff& event, const AmountScale& scale,
                       bool children) {
  const bool lower = event.total.change.Delta() < 0;
  std::vector<std::string> with;
  std::vector<std::string> against;
  std::size_t others = 0;
  for (const std::size_t index : RowOrder(event, children)) {
    const DiffRow& row = event.rows[index];
    const auto& change = ChangeOf(row, children);
    if (!change.IsSignificant()) break;
    const bool same = (change.Delta() < 0) == lower;
    auto& named = same ? with : against;
    if (named.size() >= (same ? kNamedWithTotal : kNamedAgainst)) {
      ++others;
      continue;
    }
    std::string what = scale.ChangeSentence(change.Delta());
    if (row.presence == analysis::diff::Presence::kAppeared) what += " (appeared)";
    if (row.presence == analysis::diff::Presence::kGone) what += " (gone)";
    named.push_back(
        fmt::format("`{}` {}", FitName(Printable(RowName(row, diff.keys)), kNameColumns), what));
  }
  std::string text = Join(with, ", ");
  if (!against.empty()) text += (text.empty() ? "" : "; ") + Join(against, ", ");
  if (others > 0) text += fmt::format("; and {} more", others);
  return text;
}

std::string TotalSentence(const EventDiff& event, const AmountScale& scale) {
  switch (event.total.verdict) {
    case TotalVerdict::kLower:
    case TotalVerdict::kHigher:
      return TotalPhrase(event, scale);
    case TotalVerdict::kNoDifferenceShown:
      return NoDifferencePhrase(event);
    case TotalVerdict::kTooNoisy:
      return TooNoisyPhrase(event);
    case TotalVerdict::kTooFewRuns:
      return TooFewPhrase(event, scale);
  }
  return "";
}

const SideTotals& TotalsOf(const EventDiff& event, Side side) {
  return side == Side::kBefore ? event.before : event.after;
}

}  // namespace

std::string DiffVerdict(const ProfileDiff& diff, const EventDiff& event, bool children) {
  const AmountScale scale = AmountScale::Of(event, children);
  std::string text = TotalSentence(event, scale);
  const bool decided =
      event.total.verdict == TotalVerdict::kLower || event.total.verdict == TotalVerdict::kHigher;
  const std::string rows = RowsPhrase(diff, event, scale, children);
  if (rows.empty()) {
    text += fmt::format(
        "; no {} {}", RowWord(diff.keys, 1),
        event.rows.empty() ? "has samples enough to be judged" : "changed significantly");
  } else if (decided) {
    text += ": " + rows;
  } else {
    text += (event.units == CountUnits::kBlocks ? "; by blocks of time: " : "; yet ") + rows;
  }
  return text + MoreRunsHint(event);
}

std::string DiffProbability(double p) {
  if (!std::isfinite(p)) return kNoNumber;
  if (p < 0.001) return "<0.001";
  if (p >= 0.995) return "1.0";
  return FixedText(p, p < 0.1 ? 3 : 2);
}

std::string SideSentence(const ProfileDiff& diff, const EventDiff& event, Side side) {
  const AmountScale scale = AmountScale::Of(event, false);
  const SideTotals& totals = TotalsOf(event, side);
  std::vector<std::string> files;
  for (const auto& run : diff.runs)
    if (run.side == side) files.push_back(Printable(run.name));
  std::string names;
  const std::size_t named = files.size() > kNamedFiles ? kNamedFiles - 1 : files.size();
  const std::size_t more = files.size() - named;
  files.resize(named);
  names = Join(files, ", ");
  if (more > 0) names += fmt::format(" and {} more", more);
  std::string text = side == Side::kBefore ? "before: " : "after:  ";
  if (totals.runs.size() == 1) {
    text += names + ", ";
  } else {
    text += fmt::format("{} runs ({}), ", totals.runs.size(), names);
  }
  text += scale.Sentence(totals.mean);
  if (totals.runs.size() > 1) {
    const auto [least, most] = std::ranges::minmax(totals.runs);
    text += fmt::format(" a run ({} to {})", scale.Text(scale.Digits(least)),
                        scale.Text(scale.Digits(most)));
  }
  return text + fmt::format(", {} sample{}", GroupDigits(std::to_string(totals.samples)),
                            totals.samples == 1 ? "" : "s");
}

std::string TestSentence(const ProfileDiff& diff, const EventDiff& event) {
  const std::string rows = RowWord(diff.keys, 2);
  std::string text;
  if (event.units == CountUnits::kBlocks) {
    text =
        fmt::format("{} judged by blocks of time of one run each, weaker than several runs", rows);
    if (event.widened > 1.005)
      text += fmt::format("; intervals made {} times as wide for how far apart the runs are",
                          FixedText(event.widened, 1));
  } else {
    text = fmt::format("{} judged by {} against {} runs{}", rows, event.before.runs.size(),
                       event.after.runs.size(),
                       event.test == CountTest::kPermutation ? ", all ways to deal them out" : "");
    if (event.variation > 0 && std::isfinite(event.variation))
      text += fmt::format("; a {} varies by {} % from run to run beyond chance",
                          RowWord(diff.keys, 1), Percent(event.variation));
  }
  return text + fmt::format("; of those called significant {} % at most should be false",
                            FixedText(100 * diff.alpha, diff.alpha < 0.01 ? 1 : 0));
}

}  // namespace prof::report
