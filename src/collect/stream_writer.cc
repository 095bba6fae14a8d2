// Defines ids before their use and emits samples in order.
#include "collect/stream_writer.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace prof::collect {

StreamWriter::StreamWriter(model::RecordSink& sink, ModuleTable& modules,
                           std::size_t nodes_per_epoch)
    : sink_(sink), modules_(modules), nodes_per_epoch_(nodes_per_epoch) {}

// Every public function that is not called with the lock held takes it here or below.
void StreamWriter::Append(const model::Record& record) {
  const auto lock = Hold();
  Emit(record);
}

void StreamWriter::Emit(const model::Record& record) {
  if (status_) status_ = sink_.Append(record);
}

Status StreamWriter::status() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

std::uint64_t StreamWriter::samples() const {
  const std::scoped_lock lock(mutex_);
  return samples_;
}

void StreamWriter::Flush() {
  const auto lock = Hold();
  if (status_) status_ = sink_.Flush();
}

void StreamWriter::Begin(const model::RecordingInfo& info,
                         const std::vector<model::EventDesc>& events) {
  const auto lock = Hold();
  Emit(info);
  for (model::EventId id = 0; id < events.size(); ++id) Emit(model::EventDef{id, events[id]});
  Emit(model::EpochBegin{epoch_++});
}

void StreamWriter::TurnEpoch() {
  if (nodes_.size() < nodes_per_epoch_) return;
  EmitWaiting(std::numeric_limits<std::uint64_t>::max());
  Emit(model::EpochBegin{epoch_++});
  nodes_.Clear();
  next_module_ = next_process_ = next_thread_ = 0;
}

model::ModuleId StreamWriter::IdOf(model::LoadedModule module) {
  if (module >= module_ids_.size()) module_ids_.resize(std::size_t{module} + 1);
  EpochId& known = module_ids_[module];
  if (known.epoch != epoch_) {
    known = {epoch_, next_module_++};
    Emit(model::ModuleDef{known.id, modules_.module(module)});
  }
  return known.id;
}

model::ProcessId StreamWriter::IdOf(ProcessState& process) {
  if (process.stream.epoch == epoch_) return process.stream.id;
  const auto parent = process.parent.lock();
  const model::ProcessId parent_id = parent == nullptr ? model::kNoProcess : IdOf(*parent);
  if (process.ns_pid == 0) process.ns_pid = modules_.NamespacePid(process.pid);
  process.stream = {epoch_, next_process_++};
  Emit(model::ProcessDef{process.stream.id, process.pid, process.ns_pid, parent_id,
                         process.start_ns});
  return process.stream.id;
}

model::ThreadId StreamWriter::IdOf(ThreadState& thread) {
  if (thread.stream.epoch == epoch_) return thread.stream.id;
  const model::ProcessId process = IdOf(*thread.process);
  thread.stream = {epoch_, next_thread_++};
  const auto& former = thread.former_names;
  Emit(model::ThreadDef{thread.stream.id, process, thread.tid, thread.start_ns,
                        former.empty() ? thread.name : former.front().name});
  for (std::size_t i = 0; i < former.size(); ++i) {
    const std::string& next = i + 1 < former.size() ? former[i + 1].name : thread.name;
    Emit(model::ThreadRename{thread.stream.id, former[i].until_ns, former[i].exec, next});
  }
  return thread.stream.id;
}

void StreamWriter::Rename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                          bool exec) {
  const auto lock = Hold();
  SetName(thread, name, time_ns, exec);
  if (thread.stream.epoch == epoch_)
    Emit(model::ThreadRename{thread.stream.id, time_ns, exec, thread.name});
}

void StreamWriter::SettleNames(ThreadState& thread, std::uint64_t time_ns) {
  const auto lock = Hold();
  collect::SettleNames(thread, time_ns);
}

model::StackId StreamWriter::Intern(model::StackId parent, const NodeKey& frame) {
  const auto [id, added] = nodes_.Insert(parent, frame);
  if (added) {
    Emit(model::StackNodeDef{id, parent, {IdOf(frame.module), frame.kind, frame.address}});
    modules_.AddHit(frame.module, model::LookupAddress(frame.address, frame.kind));
  }
  return id;
}

void StreamWriter::Add(const model::Sample& sample) {
  waiting_.push_back(sample);
  ++samples_;
}

void StreamWriter::Release(std::uint64_t time_ns) {
  const auto lock = Hold();
  if (time_ns <= released_ns_) return;  // the slowest reader has not moved
  released_ns_ = time_ns;
  EmitWaiting(time_ns);
}

void StreamWriter::EmitWaiting(std::uint64_t time_ns) {
  std::ranges::sort(waiting_, {}, [](const model::Sample& sample) {
    return std::tuple(sample.time_ns, sample.thread, sample.stack, sample.event);
  });
  const auto end = std::ranges::lower_bound(waiting_, time_ns, {}, &model::Sample::time_ns);
  for (auto it = waiting_.begin(); it != end; ++it) Emit(*it);
  waiting_.erase(waiting_.begin(), end);
}

}  // namespace prof::collect
