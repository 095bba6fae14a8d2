// Prints a diff as perf diff does: shares of the totals, no statistics.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "report/diff_rows.h"
#include "report/head_text.h"
#include "report/key_names.h"
#include "report/number_text.h"
#include "report/stat_numbers.h"
#include "report/table_text.h"
#include "report/text_fit.h"

#include "prof/report/diff_text.h"

namespace prof::report {
namespace {

using analysis::SortKey;
using analysis::diff::DiffRow;
using analysis::diff::EventDiff;
using analysis::diff::Presence;
using analysis::diff::ProfileDiff;
using analysis::diff::RunFacts;
using analysis::diff::Side;

// perf's widths.
constexpr int kBaselineColumns = 8;
constexpr int kPeriodColumns = 14;
constexpr int kFormulaColumns = 70;
constexpr double kLargestPeriod = 9e15;

class PerfTable {
 public:
  PerfTable(const ProfileDiff& diff, const EventDiff& event, const PerfDiffOptions& options)
      : diff_(diff), event_(event), options_(options) {
    const bool relative = options.relative_percentage;
    total_before_ = Period(relative ? event.before.mean : event.before.whole);
    total_after_ = Period(relative ? event.after.mean : event.after.whole);
  }

  std::string Render() {
    std::vector<std::string> titles = {"Baseline"};
    widths_ = {kBaselineColumns};
    const auto column = [&](const char* title, int width) {
      titles.emplace_back(title);
      widths_.push_back(width);
    };
    if (options_.period) column("Base period", kPeriodColumns);
    column(ComputeTitle(), ComputeColumns());
    if (options_.formula) column("Formula", kFormulaColumns);
    if (options_.period) column("Period", kPeriodColumns);
    for (const SortKey key : diff_.keys)
      column(KeyTitle(key), -static_cast<int>(DisplayWidth(KeyTitle(key))));
    std::vector<std::vector<Cell>> lines;
    for (const std::size_t row : Order()) lines.push_back(Cells(event_.rows[row]));
    FitWidths(lines);
    std::string text = options_.quiet ? "" : RenderHeadings(titles, widths_, options_.separator);
    for (const auto& line : lines) text += JoinCells(line, widths_, options_.separator);
    return text;
  }

  // The rows that are in no line of the table.
  [[nodiscard]] std::string Foot() const {
    if (event_.scarce_rows == 0 || options_.baseline_only) return {};
    return Comment(fmt::format("{} with too few samples: {:.2f}% of before, {:.2f}% of after",
                               CountedRows(diff_.keys, event_.scarce_rows),
                               SharePercent(Period(event_.scarce.before), total_before_),
                               SharePercent(Period(event_.scarce.after), total_after_)),
                   0);
  }

 private:
  [[nodiscard]] std::int64_t Period(double amount) const {
    const double factor = event_.unit.unit == model::EventUnit::kNanoseconds ? 1e9 : 1;
    const double period = amount * factor;
    return std::isfinite(period) ? std::llround(std::clamp(period, 0.0, kLargestPeriod)) : 0;
  }

  static double SharePercent(std::int64_t part, std::int64_t whole) {
    return 100 * Share(static_cast<double>(part), static_cast<double>(whole));
  }

  [[nodiscard]] const char* ComputeTitle() const {
    switch (options_.compute) {
      case PerfCompute::kDelta:
        return "Delta";
      case PerfCompute::kDeltaAbs:
        return "Delta Abs";
      case PerfCompute::kRatio:
        return "Ratio";
      case PerfCompute::kWeightedDiff:
        return "Weighted diff";
    }
    return "";
  }

  [[nodiscard]] int ComputeColumns() const {
    switch (options_.compute) {
      case PerfCompute::kDelta:
        return 7;
      case PerfCompute::kDeltaAbs:
        return 9;
      case PerfCompute::kRatio:
      case PerfCompute::kWeightedDiff:
        return kPeriodColumns;
    }
    return 0;
  }

  [[nodiscard]] bool IsDelta() const {
    return options_.compute == PerfCompute::kDelta || options_.compute == PerfCompute::kDeltaAbs;
  }

  [[nodiscard]] double Computed(const DiffRow& row) const {
    const std::int64_t before = Period(row.self.before);
    const std::int64_t after = Period(row.self.after);
    switch (options_.compute) {
      case PerfCompute::kDelta:
      case PerfCompute::kDeltaAbs:
        return SharePercent(after, total_after_) - SharePercent(before, total_before_);
      case PerfCompute::kRatio:
        return Share(static_cast<double>(after), static_cast<double>(before));
      case PerfCompute::kWeightedDiff:
        return static_cast<double>(after) * static_cast<double>(options_.weight_after) -
               static_cast<double>(before) * static_cast<double>(options_.weight_before);
    }
    return 0;
  }

  // Rows with a computed value first, then those that appeared where that says nothing, then gone
  // ones.
  [[nodiscard]] int Rank(const DiffRow& row) const {
    if (row.presence == Presence::kGone) return 2;
    return row.presence == Presence::kAppeared && !IsDelta() ? 1 : 0;
  }

  [[nodiscard]] std::vector<std::size_t> Order() const {
    struct Place {
      std::size_t row = 0;
      int rank = 0;
      double computed = 0;
      std::int64_t baseline = 0;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < event_.rows.size(); ++i) {
      const DiffRow& row = event_.rows[i];
      if (row.self.before_samples == 0 && row.self.after_samples == 0) continue;
      if (options_.baseline_only && row.presence != Presence::kBoth) continue;
      double computed = Rank(row) == 0 ? Computed(row) : 0;
      if (options_.compute == PerfCompute::kDeltaAbs) computed = std::abs(computed);
      places.push_back({i, Rank(row), computed, Period(row.self.before)});
    }
    const bool by_baseline = options_.order == 0U;
    std::ranges::sort(places, [&](const Place& a, const Place& b) {
      if (by_baseline && a.baseline != b.baseline) return a.baseline > b.baseline;
      if (a.rank != b.rank) return a.rank < b.rank;
      if (a.computed != b.computed) return a.computed > b.computed;
      if (a.baseline != b.baseline) return a.baseline > b.baseline;
      return event_.rows[a.row].keys != event_.rows[b.row].keys
                 ? event_.rows[a.row].keys < event_.rows[b.row].keys
                 : a.row < b.row;
    });
    std::vector<std::size_t> order;
    for (const Place& place : places) order.push_back(place.row);
    return order;
  }

  [[nodiscard]] std::string ComputedText(const DiffRow& row) const {
    if (row.presence == Presence::kGone) return {};
    const double value = Computed(row);
    if (IsDelta()) return fmt::format("{:+.2f}%", value);
    if (row.presence == Presence::kAppeared) return "N/A";
    if (options_.compute == PerfCompute::kRatio)
      return value > 0 ? fmt::format("{:.6f}", value) : std::string();
    return value != 0 ? fmt::format("{:.0f}", value) : std::string();
  }

  [[nodiscard]] std::string Formula(const DiffRow& row) const {
    if (row.presence == Presence::kGone) return {};
    const std::int64_t before = Period(row.self.before);
    const std::int64_t after = Period(row.self.after);
    switch (options_.compute) {
      case PerfCompute::kDelta:
      case PerfCompute::kDeltaAbs:
        return fmt::format("({} * 100 / {}) - ({} * 100 / {})", after, total_after_, before,
                           total_before_);
      case PerfCompute::kRatio:
        return fmt::format("{} / {}", after, before);
      case PerfCompute::kWeightedDiff:
        return fmt::format("({} * {}) - ({} * {})", after, options_.weight_after, before,
                           options_.weight_before);
    }
    return {};
  }

  [[nodiscard]] std::vector<Cell> Cells(const DiffRow& row) const {
    const bool appeared = row.presence == Presence::kAppeared;
    const bool gone = row.presence == Presence::kGone;
    const char* sign = options_.separator.empty() ? "%" : "";
    std::vector<Cell> cells;
    cells.push_back(
        {appeared ? ""
                  : fmt::format("{:.2f}{}", SharePercent(Period(row.self.before), total_before_),
                                sign)});
    if (options_.period) cells.push_back({std::to_string(Period(row.self.before))});
    cells.push_back({ComputedText(row)});
    if (options_.formula) cells.push_back({Formula(row)});
    if (options_.period) cells.push_back({gone ? "" : std::to_string(Period(row.self.after))});
    for (std::size_t i = 0; i < diff_.keys.size(); ++i) {
      std::string key = i < row.keys.size() ? Printable(row.keys[i]) : "";
      if (diff_.keys[i] == SortKey::kSym) key = fmt::format("[{}] {}", row.level, key);
      cells.push_back({std::move(key)});
    }
    return cells;
  }

  void FitWidths(const std::vector<std::vector<Cell>>& lines) {
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      int width = std::abs(widths_[i]);
      for (const auto& line : lines)
        width = std::max(width, static_cast<int>(DisplayWidth(line[i].text)));
      widths_[i] = widths_[i] > 0 ? width : -std::min(width, kWidestColumn);
    }
  }

  const ProfileDiff& diff_;
  const EventDiff& event_;
  const PerfDiffOptions& options_;
  std::int64_t total_before_ = 0;
  std::int64_t total_after_ = 0;
  std::vector<int> widths_;
};

// As perf lists them where there are more than two.
std::string DataFiles(const ProfileDiff& diff) {
  if (diff.runs.size() <= 2) return {};
  std::string text = "# Data files:\n";
  for (std::size_t i = 0; i < diff.runs.size(); ++i) {
    const RunFacts& run = diff.runs[i];
    text += fmt::format("#  [{}] {} ({})\n", i, Printable(run.name),
                        run.side == Side::kBefore ? "Baseline" : "after");
  }
  return text + "# Periods are means of each side's.\n#\n";
}

}  // namespace

std::string RenderPerfDiff(const ProfileDiff& diff, const PerfDiffOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < diff.events.size(); ++i) {
    const EventDiff& event = diff.events[i];
    if (!options.quiet) {
      text += fmt::format("{}# Event '{}'\n#\n", i > 0 ? "\n" : "", Printable(event.event.name));
      text += DataFiles(diff);
    }
    PerfTable table(diff, event, options);
    text += table.Render();
    if (!options.quiet) text += table.Foot();
  }
  return text;
}

}  // namespace prof::report
