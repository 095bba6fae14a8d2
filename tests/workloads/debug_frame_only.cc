// Built with its unwind information in .debug_frame alone, compressed where the linker can.
// usage: debug_frame_only [MILLISECONDS=1000]
// The stack of every sample is main, climb (ten times), inside_sort, qsort, compare, burn.
#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;
static double burn_seconds;

__attribute__((noinline)) void burn() {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(burn_seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

__attribute__((noinline)) int compare(const void* a, const void* b) {
  burn();
  sink = sink + 1;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

__attribute__((noinline)) void inside_sort() {
  int numbers[2] = {2, 1};
  std::qsort(numbers, 2, sizeof(int), compare);
  sink = sink + static_cast<unsigned long>(numbers[0]);
}

__attribute__((noinline)) void climb(int left) {
  if (left > 1) {
    climb(left - 1);
  } else {
    inside_sort();
  }
  sink = sink + 1;
}

int main(int argc, char** argv) {
  burn_seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  climb(10);
  std::printf("burn %.0f ms\n", burn_seconds * 1000);
}
