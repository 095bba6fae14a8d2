// What events are, in one sentence; the kernel gives most of them nothing but a name.
#pragma once

#include <string>
#include <string_view>

namespace prof::perf {

// Of a generic event ("cycles", "L1-dcache-load-misses"), by its usual name.
std::string DescribeGenericEvent(std::string_view name);

// Of an event that the kernel's drivers call by the same name wherever they have it ("slots",
// "energy-pkg"); empty for any other.
std::string_view DescribePmuEvent(std::string_view name);

}  // namespace prof::perf
