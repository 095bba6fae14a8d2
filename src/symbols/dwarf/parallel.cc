// Spreads work over threads.
#include "symbols/dwarf/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace prof::symbols {
namespace {

constexpr std::size_t kMaxThreads = 4;
constexpr std::uint64_t kWorthThreads = 4 << 20;

struct Queue {
  std::atomic<std::size_t> next = 0;
  std::size_t count = 0;
  const std::function<void(std::size_t)>* work = nullptr;

  void Drain() {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) (*work)(i);
  }
};

void* DrainOnThread(void* queue) {
  static_cast<Queue*>(queue)->Drain();
  return nullptr;
}

}  // namespace

std::size_t MaxThreads() {
  cpu_set_t cpus;
  if (::sched_getaffinity(0, sizeof(cpus), &cpus) != 0) return 1;
  return std::clamp<std::size_t>(static_cast<std::size_t>(CPU_COUNT(&cpus)), 1, kMaxThreads);
}

std::size_t ThreadsForDwarf(std::uint64_t bytes) {
  return bytes < kWorthThreads ? 1 : MaxThreads();
}

void ForEachInParallel(std::size_t count, std::size_t threads,
                       const std::function<void(std::size_t)>& work) {
  Queue queue;
  queue.count = count;
  queue.work = &work;
  std::vector<pthread_t> helpers;
  if (std::min(threads, count) > 1) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // std::thread would throw where no thread can be had.
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
      pthread_t helper;
      if (::pthread_create(&helper, nullptr, DrainOnThread, &queue) != 0) break;
      helpers.push_back(helper);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  queue.Drain();
  for (const pthread_t helper : helpers) ::pthread_join(helper, nullptr);
}

}  // namespace prof::symbols
