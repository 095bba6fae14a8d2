// Burns inside a signal handler, on the thread's own stack or on an alternate one.
// usage: signal_stack [MILLISECONDS=1000 [alternate]]
// The stack of every sample is main, interrupted_work, the kernel's signal frame, handler,
// handler_work.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

static volatile unsigned long sink;
static double handler_seconds;

__attribute__((noinline)) void handler_work(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

static void OnSignal(int) {
  handler_work(handler_seconds);
  sink = sink + 1;
}

__attribute__((noinline)) void interrupted_work() {
  ::raise(SIGUSR1);
  sink = sink + 1;
}

int main(int argc, char** argv) {
  handler_seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  if (argc > 2 && std::strcmp(argv[2], "alternate") == 0) {
    static char stack_bytes[1 << 16];
    stack_t stack = {};
    stack.ss_sp = stack_bytes;
    stack.ss_size = sizeof stack_bytes;
    ::sigaltstack(&stack, nullptr);
    action.sa_flags = SA_ONSTACK;
  }
  ::sigaction(SIGUSR1, &action, nullptr);
  interrupted_work();
  std::printf("handler_work %.0f ms\n", handler_seconds * 1000);
}
