// The first library that dlopen_midrun loads.
#include <ctime>

static volatile unsigned long sink;

extern "C" __attribute__((noinline)) void first_plugin_work(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}
