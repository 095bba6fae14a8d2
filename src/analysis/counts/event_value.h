// From raw counts to the numbers that people read.
#pragma once

#include <optional>
#include <string>

#include "prof/analysis/counts/run_set.h"
#include "prof/model/event.h"

namespace prof::analysis::counts {

// "msec" for clocks, else EventDesc::scale_unit, "bytes" or nothing.
std::string EventUnitText(const model::EventDesc& event);
// `raw` counts of the event in that unit.
double InUnitOf(const model::EventDesc& event, double raw);
// Scaled for multiplexing if `scale`; none where it was not counted.
std::optional<double> EventValue(const model::EventDesc& event, const Count& count, bool scale);

// Finite and small enough for a Sample.
bool IsUsable(double value);

}  // namespace prof::analysis::counts
