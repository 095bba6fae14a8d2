// Recurses to a known depth and spends all its CPU time at the bottom. usage: recursion [DEPTH=100
// [MILLISECONDS=1000]] The stack of every sample in bottom is main, DEPTH times descend, bottom.
#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;

__attribute__((noinline)) void bottom(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

// The addition after the call keeps the compiler from turning it into a jump or a loop; the pointer
// hides the callee.
static int (*volatile next)(int, double);

__attribute__((noinline)) int descend(int depth, double seconds) {
  if (depth <= 1) {
    bottom(seconds);
    return static_cast<int>(sink & 1);
  }
  return next(depth - 1, seconds) + static_cast<int>(sink & 1);
}

int main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 100;
  const double seconds = (argc > 2 ? std::atof(argv[2]) : 1000) / 1000;
  next = descend;
  const int result = descend(depth, seconds);
  std::printf("depth %d result %d\n", depth, result);
}
