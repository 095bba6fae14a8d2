// A name for a --metric that has none.
#pragma once

#include <string>
#include <string_view>

namespace prof::tools {

// The literal text of a pattern before its first group, or else that behind it, without what stands
// at its ends only to set off the number: "Requests/sec: +([0-9.]+)" is called "Requests/sec",
// "([0-9.]+) fps" is "fps". Empty where no letter is among it.
std::string MetricNameOf(std::string_view pattern);

}  // namespace prof::tools
