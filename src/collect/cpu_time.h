// CPU times as getrusage(2) and wait4(2) give them.
#pragma once

#include <sys/time.h>

#include <cstdint>

namespace prof::collect {

std::uint64_t NanosecondsOf(const timeval& time);
// User and system time of this process so far.
std::uint64_t OwnCpuTimeNs();

}  // namespace prof::collect
