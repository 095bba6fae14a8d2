// How far the addresses of an event's samples can be trusted.
#pragma once

#include <string>

#include "prof/model/event.h"

namespace prof::analysis {

// One sentence without a full stop.
[[nodiscard]] std::string SkidText(const model::EventDesc& event);

}  // namespace prof::analysis
