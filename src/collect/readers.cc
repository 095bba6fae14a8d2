// Starts the readers' threads, pins them where asked, and ends them.
#include "collect/readers.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collect/start_thread.h"

namespace prof::collect {
namespace {

constexpr std::size_t kCpusPerReader = 32;
constexpr int kPassMs = 100;  // side-band is drained at least this often

// Before the target runs on, if the kernel lets us: see RecordOptions.
Scheduling PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) return Scheduling::kUnpinned;
  const sched_param fifo{.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_FIFO, &fifo) == 0) return Scheduling::kFifo;
  rlimit limit{};
  ::getrlimit(RLIMIT_NICE, &limit);  // 20 minus the lowest nice value that it permits
  const int lowest = 20 - static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 40));
  for (const int nice : {-20, lowest}) {
    if (nice < 0 && ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), nice) == 0)
      return Scheduling::kNice;
  }
  return Scheduling::kPinned;
}

const char* Name(Scheduling scheduling) {
  switch (scheduling) {
    case Scheduling::kFifo:
      return "SCHED_FIFO 1";
    case Scheduling::kNice:
      return "the lowest nice value permitted";
    case Scheduling::kPinned:
      return "no priority (ulimit -r 1 or CAP_SYS_NICE gives it)";
    case Scheduling::kUnpinned:
      return "no priority and not pinned (the CPU is closed to prof: taskset -p $$)";
    case Scheduling::kNormal:
      break;
  }
  return "normal priority";
}

}  // namespace

std::vector<std::vector<std::size_t>> PlanReaders(const ReaderChoice& choice, std::size_t cpus) {
  std::size_t readers = (cpus + kCpusPerReader - 1) / kCpusPerReader;
  if (choice.pinned) readers = cpus;
  if (choice.count != 0) readers = std::min<std::size_t>(choice.count, cpus);
  std::vector<std::vector<std::size_t>> plan(readers);
  for (std::size_t cpu = 0; cpu < cpus; ++cpu) plan[cpu * readers / cpus].push_back(cpu);
  return plan;
}

Result<std::unique_ptr<Readers>> Readers::Create(std::vector<Reader> readers,
                                                 std::function<void()> after_pass) {
  PROF_TRY_ASSIGN(WakeEvent stop, WakeEvent::Create());
  return std::unique_ptr<Readers>(
      new Readers(std::move(readers), std::move(stop), std::move(after_pass)));
}

Readers::Readers(std::vector<Reader> readers, WakeEvent stop, std::function<void()> after_pass)
    : started_(static_cast<std::ptrdiff_t>(readers.size())),
      stop_(std::move(stop)),
      after_pass_(std::move(after_pass)) {
  threads_.reserve(readers.size());
  for (Reader& reader : readers) {
    RingWaiter waiter(stop_.fd(), reader.ring_fds);
    threads_.push_back({.reader = std::move(reader), .waiter = std::move(waiter)});
  }
}

Readers::~Readers() { Finish(); }

Status Readers::Start() {
  for (Thread& thread : threads_)
    PROF_TRY(StartThread(thread.thread, [this, &thread] { Run(thread); }));
  started_.wait();
  return {};
}

void Readers::Run(Thread& thread) {
  if (thread.reader.pin_to_cpu) thread.scheduling = PinTo(*thread.reader.pin_to_cpu);
  started_.count_down();
  ReaderPair& pair = *thread.reader.pair;
  for (;;) {
    thread.waiter.Wait(pair.SleepMs(kPassMs));
    if (stopping_.load(std::memory_order_acquire)) break;
    pair.Pass(false);
    after_pass_();
  }
  pair.Pass(true);
}

void Readers::Finish() {
  stopping_.store(true, std::memory_order_release);
  stop_.Signal();
  for (Thread& thread : threads_) {
    if (thread.thread.joinable()) thread.thread.join();
  }
}

std::string Readers::Describe() const {
  std::string text = std::to_string(threads_.size()) +
                     (threads_.size() == 1 ? " reader and unwinder" : " readers and unwinders");
  if (!threads_.front().reader.pin_to_cpu) return text;
  // The worst of them is what can be counted on.
  const Scheduling worst = std::ranges::max_element(threads_, {}, &Thread::scheduling)->scheduling;
  return text + ", each on its CPU, with " + Name(worst);
}

PairCounts Readers::counts() const {
  PairCounts sum;
  for (const Thread& thread : threads_) sum += thread.reader.pair->counts();
  return sum;
}

WalkCounts Readers::walks() const {
  WalkCounts sum;
  for (const Thread& thread : threads_) {
    const WalkCounts& walks = thread.reader.pair->walks();
    sum.walked += walks.walked;
    sum.complete += walks.complete;
    sum.truncated += walks.truncated;
    sum.joined += walks.joined;
  }
  return sum;
}

}  // namespace prof::collect
