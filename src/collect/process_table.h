// The processes and threads of the target over time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collect/mapping_history.h"
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

// The fields of both states are written and read under the lock of TargetState, except where they
// say otherwise. What is set at the birth never changes afterwards and is read by everybody.
struct ProcessState {
  std::uint32_t pid = 0;                         // at the birth
  std::uint32_t ns_pid = 0;                      // under the lock of StreamWriter
  std::weak_ptr<ProcessState> parent;            // at the birth
  std::uint64_t start_ns = model::kUnknownTime;  // at the birth
  MappingHistory mappings;
  std::uint64_t snapshot_ns = 0;  // /proc was read at this time: older side-band is in it already
  std::uint64_t samples = 0;
  std::uint64_t used_ns = 0;
  std::size_t threads = 0;  // in the table; the first thread may end long before the others
  bool accounted = false;   // counted in CPU usage
  EpochId stream;           // under the lock of StreamWriter
};

// A name that a thread had before.
struct FormerName {
  std::string name;
  std::uint64_t until_ns = 0;
  bool exec = false;  // an execve ended it
};

struct ThreadState {
  std::uint32_t tid = 0;                  // at the birth
  std::shared_ptr<ProcessState> process;  // at the birth
  // Written under both locks, so read under either.
  std::string name;
  std::vector<FormerName> former_names;  // of moments that samples may still come from, ascending
  pid_t origin = 0;          // whose events it inherited; samples of other origins are duplicates
  bool owns_events = false;  // they were opened on itself: nothing reports its CPU time at its end
  std::uint64_t start_ns = model::kUnknownTime;
  std::uint64_t exited_ns = 0;  // 0: alive
  std::uint64_t sampled_ns = 0;
  std::uint64_t exiting_sampled_ns = 0;  // of that, after its counters were gone
  std::uint64_t used_ns = 0;             // from PERF_RECORD_READ
  // Group members read with their leader's samples: the last value, by event id.
  std::unordered_map<std::uint64_t, std::uint64_t> group_values;
  EpochId stream;  // under the lock of StreamWriter
  StackOwner stack_owner = 0;
};

// Which threads that side-band records announce belong to the target.
enum class Following : std::uint8_t {
  kNobody,    // only those that are added
  kChildren,  // of known threads
  kEverybody,
};

// Follows side-band records, which should come in time order. One thread at a time.
class ProcessTable {
 public:
  struct Observer {
    virtual ~Observer() = default;
    // Gives a thread another name (SetName below), under a lock of its own where other threads read
    // names.
    virtual void OnRename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                          bool exec) = 0;
    // A dead thread has been forgotten; its CPU time is final.
    virtual void OnThreadGone(ThreadState& thread) = 0;
    // No sample before `time_ns` will come: SettleNames below, under the same lock.
    virtual void OnNamesSettled(ThreadState& thread, std::uint64_t time_ns) = 0;
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

  // Null when there is none. Who keeps it may use it after the table has forgotten it.
  [[nodiscard]] std::shared_ptr<ThreadState> FindThread(std::uint32_t tid) const;
  [[nodiscard]] std::shared_ptr<ProcessState> FindProcess(std::uint32_t pid) const;
  // Where a file's bytes appear in a process, as a record or a line of /proc/PID/maps says.
  model::Mapping MappingOf(const MappedFileId& file, model::FileOffset offset);
  // What a process has mapped at `time_ns`, instead of what was known.
  void ReplaceMappings(const std::shared_ptr<ProcessState>& process, std::uint64_t time_ns,
                       model::AddressSpace space);
  // Drops names and mappings that were over before `time_ns`: no older sample can come.
  void Settle(std::uint64_t time_ns);
  // Forgets threads that ended before `time_ns`.
  void Purge(std::uint64_t time_ns);
  void ForEachThread(const std::function<void(ThreadState&)>& visit);
  // Whether the command, or any thread added, is still alive.
  [[nodiscard]] std::size_t live_threads() const { return live_threads_; }

 private:
  std::shared_ptr<ThreadState> InsertThread(std::uint32_t tid, ThreadState thread);
  void Forget(ThreadState& thread);
  std::shared_ptr<ThreadState> TakeOverByExec(const perf::CommRecord& record);
  void End(ThreadState& thread, std::uint64_t time_ns);
  void Remember(const std::shared_ptr<ProcessState>& process);

  ModuleTable& modules_;
  Observer& observer_;
  Following following_;
  std::uint32_t command_pid_ = 0;
  std::unordered_map<std::uint32_t, std::shared_ptr<ThreadState>> threads_;     // by tid
  std::unordered_map<std::uint32_t, std::shared_ptr<ProcessState>> processes_;  // by pid
  std::vector<std::pair<std::uint64_t, std::uint32_t>> exited_;  // (time, tid), ascending
  std::vector<std::shared_ptr<ProcessState>> changed_;           // whose mappings are not settled
  std::vector<std::shared_ptr<ThreadState>> renamed_;            // with former names
  std::size_t live_threads_ = 0;
  StackOwner last_stack_owner_ = 0;
};

// What an Observer does to a thread's names.
void SetName(ThreadState& thread, std::string_view name, std::uint64_t time_ns, bool exec);
void SettleNames(ThreadState& thread, std::uint64_t time_ns);

}  // namespace prof::collect
