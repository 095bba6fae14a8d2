// Recurses to a known depth and spends all its CPU time at the bottom. usage: recursion [DEPTH=100
// [MILLISECONDS=1000 [kernel]]] The stack of every sample in bottom is main, DEPTH times descend,
// bottom; with "kernel" the time there is spent in read(2) of /dev/zero. Built once more, with
// frame pointers, as `framed`.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

static volatile unsigned long sink;
static bool in_kernel;
static int zero = -1;

__attribute__((noinline)) void bottom(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  static char buffer[1 << 20];
  while (std::clock() < end) {
    if (in_kernel) {
      x += static_cast<unsigned long>(read(zero, buffer, sizeof(buffer)));
    } else {
      for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    }
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
  in_kernel = argc > 3 && std::strcmp(argv[3], "kernel") == 0;
  if (in_kernel) zero = open("/dev/zero", O_RDONLY);
  next = descend;
  const int result = descend(depth, seconds);
  std::printf("depth %d result %d\n", depth, result);
}
