// What the value of a metric means, where it is out of the ordinary.
#pragma once

#include <string>

#include "prof/analysis/counts/derived_metrics.h"

namespace prof::analysis::counts {

// One plain line, or nothing for an unremarkable value; the thresholds are in docs/metrics.md.
// `cpu_s`: CPU time that the metric was measured over, 0 if not known; start-up alone makes the
// numbers of very short programs.
std::string VerdictOn(const DerivedMetric& metric, const MetricInputs& inputs, double cpu_s);

}  // namespace prof::analysis::counts
