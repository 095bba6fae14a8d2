// Recurses down two branches in turn and works at every level on the way down, three times as long
// below left_branch as below right_branch. Levels take the same places on the stack in both.
// usage: deep_branches [LEVELS=60 [MILLISECONDS=2000]]
#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;
static int (*volatile next)(int, double);  // hides the callee: no inlining, no loop

__attribute__((noinline)) void work(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 20000; i++) x = x * 31 + 7;
    sink = x;
  }
}

__attribute__((noinline)) int level(int left, double seconds) {
  volatile char room[200];
  room[0] = static_cast<char>(left);
  work(seconds);
  return (left <= 1 ? 0 : next(left - 1, seconds)) + room[0];
}

__attribute__((noinline)) int left_branch(int levels, double seconds) {
  return next(levels, seconds) + static_cast<int>(sink & 1);
}

__attribute__((noinline)) int right_branch(int levels, double seconds) {
  return next(levels, seconds) + static_cast<int>(sink & 1);
}

int main(int argc, char** argv) {
  const int levels = argc > 1 ? std::atoi(argv[1]) : 60;
  const double seconds = (argc > 2 ? std::atof(argv[2]) : 2000) / 1000;
  next = level;
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  int result = 0;
  while (std::clock() < end) {
    result += left_branch(levels, 0.003);
    result += right_branch(levels, 0.001);
  }
  std::printf("result %d\n", result);
}
