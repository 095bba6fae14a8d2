// Starts a thread every few milliseconds, named late-1, late-2 ...; all burn in late_work until a
// common end. usage: thread_chain [THREADS=48 [INTERVAL_MILLISECONDS=15 [MILLISECONDS=2500]]]
#include <pthread.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

__attribute__((noinline)) void late_work(Clock::time_point end) {
  volatile unsigned long sink = 0;
  while (Clock::now() < end) {
    unsigned long x = sink;
    for (int i = 0; i < 100000; i++) x = x * 31 + 7;
    sink = x;
  }
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 48;
  const std::chrono::milliseconds interval(argc > 2 ? std::atoi(argv[2]) : 15);
  const auto end = Clock::now() + std::chrono::milliseconds(argc > 3 ? std::atoi(argv[3]) : 2500);
  std::vector<std::thread> threads;
  for (int n = 1; n <= count; ++n) {
    threads.emplace_back([n, end] {
      ::pthread_setname_np(::pthread_self(), ("late-" + std::to_string(n)).c_str());
      late_work(end);
    });
    std::this_thread::sleep_for(interval);
  }
  for (std::thread& thread : threads) thread.join();
}
