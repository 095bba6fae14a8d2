// Does a fixed amount of work and says how fast it was. usage: steps [THOUSANDS=10000]
#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int argc, char** argv) {
  const long thousands = argc > 1 ? std::atol(argv[1]) : 10'000;
  unsigned long x = 1;
  std::timespec begin{}, end{};
  ::clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long i = 0; i < thousands * 1000; ++i) x = x * 2'862'933'555'777'941'757UL + 3'037'000'493UL;
  ::clock_gettime(CLOCK_MONOTONIC, &end);
  const double seconds = static_cast<double>(end.tv_sec - begin.tv_sec) +
                         static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9;
  std::printf("result: %lu\nseconds: %.6f\nsteps per second: %.0f\n", x, seconds,
              static_cast<double>(thousands) * 1000 / seconds);
}
