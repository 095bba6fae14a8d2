// Burns in a coroutine that has a stack of its own (makecontext(3)).
// usage: coroutine [MILLISECONDS=1000]
// The stack of every sample is coroutine_main, coroutine_work: nobody called coroutine_main.
#include <ucontext.h>

#include <cstdlib>
#include <ctime>
#include <vector>

static volatile unsigned long sink;
static double work_seconds;

__attribute__((noinline)) void coroutine_work() {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(work_seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

static void coroutine_main() {
  coroutine_work();
  sink = sink + 1;
}

int main(int argc, char** argv) {
  work_seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  std::vector<char> stack(1 << 17);
  ucontext_t here{};
  ucontext_t there{};
  ::getcontext(&there);
  there.uc_stack.ss_sp = stack.data();
  there.uc_stack.ss_size = stack.size();
  there.uc_link = &here;
  ::makecontext(&there, coroutine_main, 0);
  ::swapcontext(&here, &there);
  return 0;
}
