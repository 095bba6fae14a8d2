// Converts the kernel's times.
#include "collect/cpu_time.h"

#include <sys/resource.h>

namespace prof::collect {

std::uint64_t NanosecondsOf(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_usec) * 1000U;
}

std::uint64_t OwnCpuTimeNs() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return NanosecondsOf(usage.ru_utime) + NanosecondsOf(usage.ru_stime);
}

}  // namespace prof::collect
