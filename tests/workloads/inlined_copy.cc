// A static recursive function of which the compiler inlines a level into main: one function with
// two kinds of frames. usage: inlined_copy [DEPTH=30] [ROUNDS=200000]
#include <cstdio>
#include <cstdlib>

static volatile unsigned long sink;

static unsigned long climb(unsigned long depth, unsigned long value) {
  if (depth == 0) return value + sink;
  const unsigned long below = climb(depth - 1, value * 31 + depth);
  for (int i = 0; i < 6; i++) value = value * 33 + below;
  return value + below;
}

int main(int argc, char** argv) {
  const unsigned long depth = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 30;
  const unsigned long rounds = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 200000;
  unsigned long sum = 0;
  for (unsigned long i = 0; i < rounds; i++) sum += climb(depth, i);
  sink = sum;
  std::printf("%lu\n", sum);
}
