// Forks children that never exec; they burn in forked_child_work and the parent as much in
// parent_work. usage: forks [CHILDREN=4 [MILLISECONDS=250]]      (CPU time of each child; the
// parent uses one child's)
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;

static void Burn(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

__attribute__((noinline)) void forked_child_work(double seconds) {
  Burn(seconds);
  sink = sink + 1;
}

__attribute__((noinline)) void parent_work(double seconds) {
  Burn(seconds);
  sink = sink + 1;
}

int main(int argc, char** argv) {
  const int children = argc > 1 ? std::atoi(argv[1]) : 4;
  const double seconds = (argc > 2 ? std::atof(argv[2]) : 250) / 1000;
  for (int i = 0; i < children; ++i) {
    if (::fork() == 0) {
      forked_child_work(seconds);
      ::_exit(0);
    }
  }
  parent_work(seconds);
  while (::wait(nullptr) > 0) {
  }
  std::printf("forked_child_work %.1f %%\n", 100.0 * children / (children + 1));
}
