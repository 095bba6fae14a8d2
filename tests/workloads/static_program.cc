// A static program at fixed addresses.
// usage: static_program [MILLISECONDS=1000]
// The stack of every sample is main, static_caller, qsort, compare, static_work.
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;
static double work_seconds;

__attribute__((noinline)) void static_work() {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(work_seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

__attribute__((noinline)) int compare(const void* a, const void* b) {
  static_work();
  sink = sink + 1;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

__attribute__((noinline)) void static_caller() {
  int numbers[2] = {2, 1};
  std::qsort(numbers, 2, sizeof(int), compare);
  sink = sink + static_cast<unsigned long>(numbers[0]);
}

int main(int argc, char** argv) {
  work_seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  static_caller();
  return 0;
}
