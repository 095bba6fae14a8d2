// Works in a second thread only: the first one ends, or is replaced when the second one calls
// exec. usage: second_thread exit|exec [CPU_MILLISECONDS=1000]
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

static volatile unsigned long sink;

[[gnu::noinline]] static void second_part(int milliseconds) {
  const std::clock_t end = std::clock() + milliseconds * (CLOCKS_PER_SEC / 1000);
  while (std::clock() < end) {
    for (int i = 0; i < 200'000; ++i) sink = sink * 3 + 1;
  }
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "exit";
  const int milliseconds = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (mode == "now") {
    second_part(milliseconds);
    return 0;
  }
  std::thread worker([&] {
    if (mode == "exec") {
      ::execl("/proc/self/exe", "second_thread", "now", argc > 2 ? argv[2] : "1000", nullptr);
    }
    second_part(milliseconds);
    std::_Exit(0);
  });
  worker.detach();
  if (mode == "exit") ::pthread_exit(nullptr);
  for (;;) ::pause();
}
