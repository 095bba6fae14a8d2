// The processes and threads of the target over time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/module_table.h"

#include "prof/model/address_space.h"
#include "prof/model/record.h"
#include "prof/perf/record_decoder.h"

namespace prof::collect {

// An id in the stream, valid only in the epoch it was given in.
struct EpochId {
  std::uint32_t epoch = 0;  // 0: never defined; epochs count from 1 here
  std::uint32_t id = 0;
};

// Whose stack it is: one per thread and per program that it executes, never used again (tids are).
using StackOwner = std::uint64_t;

struct ProcessState {
  std::uint32_t pid = 0;
  std::uint32_t ns_pid = 0;
  std::weak_ptr<ProcessState> parent;
  std::shared_ptr<model::AddressSpace>
      space;  // shared with a forked child until one of them maps something
  std::uint64_t start_ns = model::kUnknownTime;
  std::uint64_t snapshot_ns = 0;  // /proc was read at this time: older side-band is in it already
  std::uint64_t samples = 0;
  std::uint64_t used_ns = 0;
  std::size_t threads = 0;  // in the table; the first thread may end long before the others
  bool accounted = false;   // counted in CPU usage
  EpochId stream;
};

struct ThreadState {
  std::uint32_t tid = 0;
  std::shared_ptr<ProcessState> process;
  std::string name;
  pid_t origin = 0;          // whose events it inherited; samples of other origins are duplicates
  bool owns_events = false;  // they were opened on itself: nothing reports its CPU time at its end
  std::uint64_t start_ns = model::kUnknownTime;
  std::uint64_t exited_ns = 0;  // 0: alive
  std::uint64_t sampled_ns = 0;
  std::uint64_t exiting_sampled_ns = 0;  // of that, after its counters were gone
  std::uint64_t used_ns = 0;             // from PERF_RECORD_READ
  // Group members read with their leader's samples: the last value, by event id.
  std::unordered_map<std::uint64_t, std::uint64_t> group_values;
  EpochId stream;
  StackOwner stack_owner = 0;
};

// Which threads that side-band records announce belong to the target.
enum class Following : std::uint8_t {
  kNobody,    // only those that are added
  kChildren,  // of known threads
  kEverybody,
};

// Follows side-band records, which must come in time order. One thread.
class ProcessTable {
 public:
  // Called when a thread's name changes, and when a dead thread is forgotten (with its CPU time
  // final).
  struct Observer {
    virtual ~Observer() = default;
    virtual void OnRename(ThreadState& thread, std::uint64_t time_ns, bool exec) = 0;
    virtual void OnThreadGone(ThreadState& thread) = 0;
  };
  ProcessTable(ModuleTable& modules, Observer& observer, Following following)
      : modules_(modules), observer_(observer), following_(following) {}

  // The command: known from its exec on.
  void ExpectCommand(std::uint32_t pid) { command_pid_ = pid; }
  // A thread that was there before; joins or creates its process. `origin`: on whose behalf its
  // events were opened.
  ThreadState& AddThread(std::uint32_t pid, std::uint32_t tid, std::string name, pid_t origin);
  void Apply(const perf::MmapRecord& record);
  void Apply(const perf::CommRecord& record);
  void Apply(const perf::ForkRecord& record);
  void Apply(const perf::ExitRecord& record);
  void Apply(const perf::ReadRecord& record);

  [[nodiscard]] ThreadState* FindThread(std::uint32_t tid);
  [[nodiscard]] std::shared_ptr<ProcessState> FindProcess(std::uint32_t pid) const;
  // Maps a file into a process, as a snapshot of /proc does.
  void Map(ProcessState& process, const MappedFileId& file, model::FileOffset offset);
  // Forgets threads that ended before `time_ns`: no older sample can come.
  void Purge(std::uint64_t time_ns);
  void ForEachThread(const std::function<void(ThreadState&)>& visit);
  // Whether the command, or any thread added, is still alive.
  [[nodiscard]] std::size_t live_threads() const { return live_threads_; }

 private:
  ThreadState& InsertThread(std::uint32_t tid, ThreadState thread);
  void Forget(ThreadState& thread);
  ThreadState* TakeOverByExec(const perf::CommRecord& record);
  void End(ThreadState& thread, std::uint64_t time_ns);
  static model::AddressSpace& Writable(ProcessState& process);

  ModuleTable& modules_;
  Observer& observer_;
  Following following_;
  std::uint32_t command_pid_ = 0;
  std::unordered_map<std::uint32_t, ThreadState> threads_;                      // by tid
  std::unordered_map<std::uint32_t, std::shared_ptr<ProcessState>> processes_;  // by pid
  std::vector<std::pair<std::uint64_t, std::uint32_t>> exited_;  // (time, tid), ascending
  std::size_t live_threads_ = 0;
  StackOwner last_stack_owner_ = 0;
};

}  // namespace prof::collect
