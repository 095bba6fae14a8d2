// Spends its time in every kind of frame that is hard to unwind.
// usage: hard_stacks [MILLISECONDS=1000 [THREADS=4]]
// Each thread's stack ends in Worker, which calls, in turn: throwing and catching through ten
// frames, functions with alloca and with realigned stacks, qsort with a callback, recursion, and
// work interrupted by a timer whose handler works, too.
#include <alloca.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static thread_local volatile unsigned long sink;

__attribute__((noinline)) void Spin(int rounds) {
  unsigned long x = sink;
  for (int i = 0; i < rounds; i++) x = x * 31 + 7;
  sink = x;
}

__attribute__((noinline)) void HandlerWork() {
  Spin(20000);
  sink = sink + 1;
}

static void OnTimer(int) {
  HandlerWork();
  sink = sink + 1;
}

__attribute__((noinline)) int ThrowBelow(int depth) {
  if (depth == 0) {
    Spin(50);
    throw std::runtime_error("thrown");
  }
  std::string in_the_way(static_cast<std::size_t>(depth) + 20, 'x');
  const int below = ThrowBelow(depth - 1);
  return below + static_cast<int>(in_the_way.size());
}

__attribute__((noinline)) void CatchAbove() {
  try {
    ThrowBelow(10);
  } catch (const std::runtime_error& error) {
    sink = sink + static_cast<unsigned long>(error.what()[0]);
  }
}

__attribute__((noinline)) void VariableFrame(std::size_t size) {
  auto* bytes = static_cast<volatile char*>(alloca(size));
  bytes[0] = 1;
  Spin(500);
  bytes[size - 1] = 1;
}

__attribute__((noinline)) void RealignedFrame(std::size_t size, int depth) {
  alignas(64) volatile char block[64] = {};
  auto* bytes = static_cast<volatile char*>(alloca(size));
  bytes[0] = block[0];
  if (depth > 0) RealignedFrame(size + 8, depth - 1);
  Spin(500);
  bytes[size - 1] = block[1];
}

static int CompareSlowly(const void* a, const void* b) {
  Spin(20);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

__attribute__((noinline)) void SortNumbers() {
  std::array<int, 64> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 37 % 64);
  std::qsort(numbers.data(), numbers.size(), sizeof(int), CompareSlowly);
  sink = sink + static_cast<unsigned long>(numbers[3]);
}

__attribute__((noinline)) void Recurse(int depth) {
  if (depth > 0) Recurse(depth - 1);
  Spin(20);
}

static double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

static void Worker(double seconds) {
  while (ThreadSeconds() < seconds) {
    CatchAbove();
    VariableFrame(100 + sink % 64);
    RealignedFrame(100, 3);
    SortNumbers();
    Recurse(40);
  }
}

int main(int argc, char** argv) {
  const double seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  const int count = argc > 2 ? std::atoi(argv[2]) : 4;
  struct sigaction action = {};
  action.sa_handler = OnTimer;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPROF, &action, nullptr);
  const itimerval every{{0, 2000}, {0, 2000}};
  ::setitimer(ITIMER_PROF, &every, nullptr);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(Worker, seconds / count);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d threads, %.0f ms\n", count, seconds * 1000);
}
