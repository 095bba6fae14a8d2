// From the rings to the sink: the threads of a recording and what they share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collect/event_set.h"
#include "collect/module_table.h"
#include "collect/process_table.h"
#include "collect/queued_sink.h"
#include "collect/readers.h"
#include "collect/stream_writer.h"
#include "collect/target_state.h"
#include "collect/wake_event.h"

#include "prof/collect/record_options.h"

namespace prof::collect {

// docs/architecture.md, "Threads". Owned by the session, whose thread makes all calls. Steps:
// Build, Start, FinishReading, FinishWriting.
class Pipeline {
 public:
  Pipeline(model::RecordSink& sink, ModuleTable& modules);

  // Any thread may use it, also before Build.
  [[nodiscard]] StreamWriter& writer() { return writer_; }
  [[nodiscard]] const StreamWriter& writer() const { return writer_; }

  // `events` has its rings, `processes` what is known of the target so far; both outlive this and
  // belong to the readers from Start to FinishReading.
  Status Build(const RecordOptions& options, EventSet& events, ProcessTable& processes,
               SampleScope scope);
  Status Start() { return readers_->Start(); }
  // Reads side-band; the readers may be busy with one pass for long.
  void Drain() { target_->Drain(); }
  // Once the events are disabled: the readers take what is left, and end.
  void FinishReading();
  // Waits until the sink has everything, as long as that takes. It is the caller's from then on.
  Status FinishWriting() { return queue_.Finish(); }

  // Readable when the target seemed to have ended; look at live_threads().
  [[nodiscard]] const WakeEvent& target_ended() const { return *target_ended_; }
  [[nodiscard]] std::size_t live_threads() const { return target_->live_threads(); }
  [[nodiscard]] bool AnyAlive(const std::function<bool(std::uint32_t tid)>& is_alive) const {
    return target_->AnyAlive(is_alive);
  }
  [[nodiscard]] std::string Describe() const { return readers_->Describe(); }
  // After FinishReading.
  [[nodiscard]] PairCounts counts() const { return readers_->counts(); }
  [[nodiscard]] WalkCounts walks() const { return readers_->walks(); }
  [[nodiscard]] SideBandCounts side_band() const { return target_->counts(); }

 private:
  Readers::Reader MakeReader(std::size_t number, const std::vector<std::size_t>& cpus,
                             const RecordOptions& options, EventSet& events,
                             std::size_t overflow_bytes);

  ModuleTable& modules_;
  QueuedSink queue_;
  StreamWriter writer_;
  std::unique_ptr<TargetState> target_;
  std::optional<WakeEvent> target_ended_;
  std::unique_ptr<Readers> readers_;  // last: its threads use all of the above
};

}  // namespace prof::collect
