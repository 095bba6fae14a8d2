// Spends 20 % of its CPU time in cold_part and 80 % in hot_part. usage: split [MILLISECONDS=1000]
#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;

// Both functions do the same work per round, so the shares follow from the rounds alone.
#define PART(name)                                          \
  __attribute__((noinline)) void name(int rounds) {         \
    unsigned long x = sink;                                 \
    for (int i = 0; i < rounds * 1000; i++) x = x * 31 + 7; \
    sink = x;                                               \
  }
PART(cold_part)
PART(hot_part)

int main(int argc, char** argv) {
  const double seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
    cold_part(20);
    hot_part(80);
  }
  std::printf("%lu\n", static_cast<unsigned long>(sink));
}
