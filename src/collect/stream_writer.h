// Turns frames, threads and samples into the record stream: ids, epochs, order.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collect/module_table.h"
#include "collect/node_table.h"
#include "collect/process_table.h"

#include "prof/model/record_sink.h"

namespace prof::collect {

// Defines modules, processes, threads and stack nodes in the sink before their first use, puts
// samples in time order, and begins a new epoch when the node table is full, so that memory stays
// bounded. The first error of the sink is kept and ends all output.
//
// Shared by the readers behind one lock. Whoever delivers a sample takes it with Hold() before
// TurnEpoch() and lets it go after Add(), so that the ids between belong to one epoch; the other
// calls take it themselves. Lock order: TargetState's lock before this one.
class StreamWriter {
 public:
  StreamWriter(model::RecordSink& sink, ModuleTable& modules, std::size_t nodes_per_epoch);

  [[nodiscard]] std::unique_lock<std::mutex> Hold() { return std::unique_lock(mutex_); }

  // With the lock held. Ends the epoch when it is full: ids given before are void afterwards.
  void TurnEpoch();
  // The node for `frame` below `parent` (a root or an earlier result of the same epoch); new ones
  // are hits of their module.
  model::StackId Intern(model::StackId parent, const NodeKey& frame);
  // A thread that samples from before a rename may still meet is defined by its former name, with
  // the rename behind it.
  model::ThreadId IdOf(ThreadState& thread);
  // Samples wait until Release: their stack and thread belong to the epoch they were interned in.
  void Add(const model::Sample& sample);

  // Without it.
  void Begin(const model::RecordingInfo& info, const std::vector<model::EventDesc>& events);
  // Gives the thread its new name, and the stream too where the thread is defined.
  void Rename(ThreadState& thread, std::string_view name, std::uint64_t time_ns, bool exec);
  void SettleNames(ThreadState& thread, std::uint64_t time_ns);
  // Emits the waiting samples older than `time_ns`, in order of time.
  void Release(std::uint64_t time_ns);
  void Append(const model::Record& record);
  void Flush();

  // With the lock held. Ids of one epoch mean nothing in another one; never 0 after Begin().
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  [[nodiscard]] Status status() const;
  [[nodiscard]] std::uint64_t samples() const;

 private:
  void Emit(const model::Record& record);
  void EmitWaiting(std::uint64_t time_ns);
  model::ModuleId IdOf(model::LoadedModule module);
  model::ProcessId IdOf(ProcessState& process);

  mutable std::mutex mutex_;  // guards everything below
  model::RecordSink& sink_;
  ModuleTable& modules_;
  NodeTable nodes_;
  std::size_t nodes_per_epoch_;
  Status status_;
  std::uint32_t epoch_ = 0;          // 1 from the first EpochBegin on
  std::vector<EpochId> module_ids_;  // by LoadedModule
  std::uint32_t next_module_ = 0, next_process_ = 0, next_thread_ = 0;
  std::vector<model::Sample> waiting_;
  std::uint64_t released_ns_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace prof::collect
