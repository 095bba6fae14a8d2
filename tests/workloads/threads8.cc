// Eight threads named worker-1 to worker-8; worker-N spends N/36 of the CPU time, in thread_work.
// usage: threads8 [MILLISECONDS=1800 [START_AFTER_MILLISECONDS=0]]      (CPU time of all together)
#include <pthread.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

static double ThreadCpuSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

__attribute__((noinline)) void thread_work(double seconds) {
  volatile unsigned long sink = 0;
  while (ThreadCpuSeconds() < seconds) {
    unsigned long x = sink;
    for (int i = 0; i < 100000; i++) x = x * 31 + 7;
    sink = x;
  }
}

int main(int argc, char** argv) {
  const double seconds = (argc > 1 ? std::atof(argv[1]) : 1800) / 1000;
  std::this_thread::sleep_for(std::chrono::milliseconds(argc > 2 ? std::atoi(argv[2]) : 0));
  std::vector<std::thread> threads;
  for (int n = 1; n <= 8; ++n) {
    threads.emplace_back([n, seconds] {
      ::pthread_setname_np(::pthread_self(), ("worker-" + std::to_string(n)).c_str());
      thread_work(seconds * n / 36);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int n = 1; n <= 8; ++n) std::printf("worker-%d %.1f %%\n", n, 100.0 * n / 36);
}
