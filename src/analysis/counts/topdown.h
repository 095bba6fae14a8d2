// Where the slots of the pipeline went: level 1 of the top-down method.
#pragma once

#include <vector>

#include "analysis/counts/event_role.h"

#include "prof/analysis/counts/derived_metrics.h"

namespace prof::analysis::counts {

// The categories in percent, of the first kind of events that is complete; empty without one.
std::vector<DerivedMetric> DeriveTopdown(const RoleValues& values, const MetricInputs& inputs);

}  // namespace prof::analysis::counts
