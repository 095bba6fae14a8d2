// Turns frames, threads and samples into the record stream: ids, epochs, order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collect/module_table.h"
#include "collect/node_table.h"
#include "collect/process_table.h"

#include "prof/model/record_sink.h"

namespace prof::collect {

// Defines modules, processes, threads and stack nodes in the sink before their first use, puts
// samples in time order, and begins a new epoch when the node table is full, so that memory stays
// bounded. The first error of the sink is kept and ends all output. One thread.
class StreamWriter {
 public:
  StreamWriter(model::RecordSink& sink, ModuleTable& modules, std::size_t nodes_per_epoch);

  void Begin(const model::RecordingInfo& info, const std::vector<model::EventDesc>& events);
  // The node for `frame` below `parent` (a root or an earlier result of the same epoch); new ones
  // are hits of their module.
  model::StackId Intern(model::StackId parent, const NodeKey& frame);
  model::ThreadId IdOf(ThreadState& thread);
  void Rename(ThreadState& thread, std::uint64_t time_ns, bool exec);
  // Samples wait until Release: their stack and thread belong to the epoch they were interned in.
  void Add(const model::Sample& sample);
  // Emits the waiting samples older than `time_ns`, in order of time.
  void Release(std::uint64_t time_ns);
  // Ends the epoch when it is full. Call between samples: ids given before are void afterwards.
  void TurnEpoch();
  void Append(const model::Record& record);
  void Flush();

  [[nodiscard]] const Status& status() const { return status_; }
  // Ids of one epoch mean nothing in another one; never 0 after Begin().
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }

 private:
  model::ModuleId IdOf(model::LoadedModule module);
  model::ProcessId IdOf(ProcessState& process);

  model::RecordSink& sink_;
  ModuleTable& modules_;
  NodeTable nodes_;
  std::size_t nodes_per_epoch_;
  Status status_;
  std::uint32_t epoch_ = 0;          // 1 from the first EpochBegin on
  std::vector<EpochId> module_ids_;  // by LoadedModule
  std::uint32_t next_module_ = 0, next_process_ = 0, next_thread_ = 0;
  std::vector<model::Sample> waiting_;
  std::uint64_t samples_ = 0;
};

}  // namespace prof::collect
