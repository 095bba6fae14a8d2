// perf stat's columns: where values, units, names and comments stand, with and without labels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prof/report/stat_text.h"

namespace prof::report {

inline constexpr std::size_t kValueColumns = 18;
inline constexpr std::size_t kNameColumns = 32;
inline constexpr std::size_t kMetricColumns = 35;

enum class Shade { kGood, kBad, kDoubtful, kHint };
// `text` in that colour where style.color.
std::string Shaded(const std::string& text, Shade shade, const StatTextStyle& style);

// The value of an event as perf prints it: two decimals where it was multiplied by a fraction (as
// clocks are), else none.
std::string EventNumber(const analysis::counts::StatReport& report,
                        const analysis::counts::StatValue& value, bool grouped);

// The name of a value's event, printable.
std::string EventName(const analysis::counts::StatReport& report, model::EventId event);

// In perf's order: by event and then by label with -A and --per-thread, else by label.
std::vector<const analysis::counts::StatValue*> RowsInOrder(
    const analysis::counts::StatReport& report, const analysis::counts::StatSide& side);

// The columns before the value: "CPU0       ", "S0-D0-C0           1 ", empty for totals.
std::string LabelColumns(analysis::counts::Aggregation aggregation,
                         const analysis::counts::StatValue& value);
// The heading of interval rows: "#           time core            cpus             counts ...".
std::string IntervalHeading(analysis::counts::Aggregation aggregation, std::size_t unit_columns);
std::string IntervalColumn(double seconds);

std::size_t UnitColumns(const analysis::counts::StatSide& side);

// "              0.73 msec task-clock", with the columns before it.
std::string ValueColumns(const std::string& label, const std::string& number,
                         const std::string& unit, std::size_t unit_columns,
                         const std::string& name);

// "   0.434", " 12.34%": as perf formats the number of a comment.
std::string MetricNumber(const analysis::counts::DerivedMetric& metric);
// Without the '%' that the number has.
std::string MetricUnit(const analysis::counts::DerivedMetric& metric);
// "0.434 CPUs utilized".
std::string MetricPhrase(const analysis::counts::DerivedMetric& metric);
// One row of one run, as perf.
std::string EventRow(const analysis::counts::StatReport& report,
                     const analysis::counts::StatValue& value, std::size_t unit_columns,
                     const StatTextStyle& style);

// `text` wrapped to the width: `first` before its first line, spaces as wide before the others.
std::string Paragraph(const std::string& first, const std::string& text,
                      const StatTextStyle& style);

// "not counted here: cycles, ...: no hardware counters on this machine", `first` before it and
// spaces as wide before what follows where it is too long.
std::string RefusedSentence(const analysis::counts::RefusedLine& line, const std::string& first,
                            const StatTextStyle& style);
// Those of all reasons, each with its hint on the next line.
std::string RefusedText(const analysis::counts::StatReport& report, const StatTextStyle& style);

}  // namespace prof::report
