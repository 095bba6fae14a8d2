// Writes what was counted as records of the model.
#pragma once

#include <sys/types.h>

#include <map>
#include <span>

#include "collect/counting/counter_set.h"

#include "prof/base/host_fs.h"
#include "prof/collect/count_session.h"
#include "prof/model/record_sink.h"

namespace prof::collect {

// Keeps the first refusal of the sink and appends nothing after it. One thread.
class CountRecords {
 public:
  CountRecords(const CountOptions& options, const HostFs& fs, model::RecordSink& sink)
      : options_(options), fs_(fs), sink_(sink) {}

  // Everything before the first epoch, and its begin.
  void Head(const CountPlan& plan);
  // Names threads while they are still there; those of readings that it has not seen are named
  // then.
  void DefineThreads(std::span<const CounterSpot> spots);
  // The readings of the wanted events, added up as the split asks for it.
  void Readings(std::uint32_t run, std::span<const CounterValue> values, std::size_t wanted,
                std::uint64_t time_ns);
  void Append(const model::Record& record);
  void Flush();
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  [[nodiscard]] bool SamePlace(const CounterValue& a, const CounterValue& b) const;
  model::ThreadId ThreadOf(pid_t tid);

  const CountOptions& options_;
  const HostFs& fs_;
  model::RecordSink& sink_;
  Status status_;
  std::map<pid_t, model::ProcessId> processes_;
  std::map<pid_t, model::ThreadId> threads_;
};

}  // namespace prof::collect
