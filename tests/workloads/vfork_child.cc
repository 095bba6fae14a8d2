// Burns in a child of vfork(2), on the stack of its waiting parent.
// usage: vfork_child [MILLISECONDS=1000]
// The stack of every sample is main, parent, child_work.
#include <unistd.h>

#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;

__attribute__((noinline)) void child_work(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

__attribute__((noinline)) void parent(double seconds) {
  if (::vfork() == 0) {
    child_work(seconds);
    ::_exit(0);
  }
  sink = sink + 1;
}

int main(int argc, char** argv) {
  parent((argc > 1 ? std::atof(argv[1]) : 1000) / 1000);
  return 0;
}
