// Names the rows and words of `prof stat` for programs.
#include "report/stat_schema.h"

#include <algorithm>
#include <cmath>

#include "report/stat_layout.h"

namespace prof::report {

using analysis::counts::CountState;
using analysis::counts::QuantityKind;
using analysis::counts::StatReport;
using analysis::counts::StatSide;
using analysis::counts::StatValue;

double VariancePercent(const analysis::statistics::Summary& summary) {
  if (!summary.deviation || summary.mean == 0) return 0;
  const double percent =
      100 * *summary.deviation / std::sqrt(static_cast<double>(summary.n)) / std::abs(summary.mean);
  return std::isfinite(percent) ? percent : 0;
}

bool HasRow(const StatReport& report, const StatValue& value) {
  return value.state != CountState::kNotSupported || value.event >= report.events.size() ||
         !report.events[value.event].is_default;
}

QuantityName RowNameOf(const analysis::counts::Quantity& quantity) {
  const double to_ns = quantity.unit == "seconds" ? 1e9 : 1;
  switch (quantity.kind) {
    case QuantityKind::kElapsed:
      return {"duration_time", "ns", to_ns, true};
    case QuantityKind::kUser:
      return {"user_time", "ns", to_ns, true};
    case QuantityKind::kSystem:
      return {"system_time", "ns", to_ns, true};
    case QuantityKind::kMaxRss:
      return {"prof:max-rss", quantity.unit, 1, false};
    case QuantityKind::kMetric:
      return {"prof:metric:" + quantity.name, quantity.unit, 1, false};
    case QuantityKind::kEvent:
      break;
  }
  return {quantity.name, quantity.unit, 1, false};
}

bool HasCounted(const StatReport& report, const StatSide& side, const std::string& event) {
  return std::ranges::any_of(side.values, [&](const StatValue& value) {
    return value.event < report.events.size() && report.events[value.event].name == event &&
           HasRow(report, value);
  });
}

std::string MetricDigits(const analysis::counts::DerivedMetric& metric) {
  const std::string number = MetricNumber(metric);
  const std::size_t begin = number.find_first_of("-0123456789");
  if (!std::isfinite(metric.value) || begin == std::string::npos) return {};
  return number.substr(begin, number.find_last_of("0123456789") + 1 - begin);
}

const char* VerdictName(analysis::statistics::Verdict verdict) {
  switch (verdict) {
    case analysis::statistics::Verdict::kLower:
      return "lower";
    case analysis::statistics::Verdict::kHigher:
      return "higher";
    case analysis::statistics::Verdict::kNoDifferenceShown:
      return "no difference shown";
    case analysis::statistics::Verdict::kTooNoisy:
      return "too noisy";
    case analysis::statistics::Verdict::kTooFewRuns:
      return "too few runs";
  }
  return "";
}

const char* MethodName(analysis::statistics::PMethod method) {
  switch (method) {
    case analysis::statistics::PMethod::kExact:
      return "exact";
    case analysis::statistics::PMethod::kExactTies:
      return "exact with ties";
    case analysis::statistics::PMethod::kNormal:
      return "normal";
    case analysis::statistics::PMethod::kRandomPermutations:
      return "random permutations";
  }
  return "";
}

}  // namespace prof::report
