// The threads that read the rings: how many, which CPUs each one has, and their life.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collect/reader_pair.h"
#include "collect/ring_waiter.h"
#include "collect/wake_event.h"

#include "prof/collect/record_options.h"

namespace prof::collect {

// The CPUs of each pair, as indices into the session's CPUs: neighbours together, none left out.
std::vector<std::vector<std::size_t>> PlanReaders(const ReaderChoice& choice, std::size_t cpus);

// How a thread that shall run at once on one CPU came to be scheduled; the best that is permitted.
enum class Scheduling : std::uint8_t {
  kNormal,    // the kernel's defaults
  kFifo,      // SCHED_FIFO, priority 1: runs before the target goes on
  kNice,      // the lowest nice value permitted
  kPinned,    // on its CPU, without any priority
  kUnpinned,  // not even that: the CPU is closed to prof (a cpuset)
};

// One thread per pair, each asleep until a ring of its CPUs fills up.
class Readers {
 public:
  struct Reader {
    std::unique_ptr<ReaderPair> pair;
    std::vector<int> ring_fds;      // owners of the pair's rings
    std::optional<int> pin_to_cpu;  // and run there before others do
  };
  // `after_pass` is called by the readers' threads.
  static Result<std::unique_ptr<Readers>> Create(std::vector<Reader> readers,
                                                 std::function<void()> after_pass);
  ~Readers();
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  // Returns when all threads run. They inherit the caller's signal mask.
  Status Start();
  // Nothing more will come into the rings: reads what is there, and ends the threads.
  void Finish();
  // Between Start and Finish this is constant; one sentence.
  [[nodiscard]] std::string Describe() const;
  // Before Start or after Finish.
  [[nodiscard]] PairCounts counts() const;
  [[nodiscard]] WalkCounts walks() const;

 private:
  struct Thread {
    Reader reader;
    RingWaiter waiter;
    Scheduling scheduling = Scheduling::kNormal;  // by the thread itself
    std::thread thread;
  };
  Readers(std::vector<Reader> readers, WakeEvent stop, std::function<void()> after_pass);
  void Run(Thread& thread);

  std::latch started_;  // all are scheduled as they shall be
  WakeEvent stop_;
  std::atomic<bool> stopping_ = false;
  std::function<void()> after_pass_;
  std::vector<Thread> threads_;
};

}  // namespace prof::collect
