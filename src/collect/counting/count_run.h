// One run: a command, or a span of a running target, with counters on it.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collect/counting/count_records.h"
#include "collect/counting/counter_set.h"
#include "collect/counting/noise_witness.h"
#include "collect/counting/number_search.h"
#include "collect/counting/output_capture.h"
#include "collect/counting/run_schedule.h"
#include "collect/counting/target_watch.h"
#include "collect/counting/thread_usage.h"
#include "collect/stop_signals.h"
#include "collect/workload.h"

#include "prof/base/result.h"

namespace prof::collect {

// What all runs of a session share.
struct CountContext {
  const CountOptions& options;
  const HostFs& fs;
  const CountPlan& plan;
  const perf::KernelLimits& limits;
  StopSignals& signals;
  CountRecords& records;
};

// What a signal asks for: nothing for SIGCHLD.
std::optional<StopReason> ReasonOf(const StopSignals::Taken& signal);

// Lifts the limit of open files while it lives: commands must not inherit that.
class RaisedFileLimit {
 public:
  RaisedFileLimit();
  ~RaisedFileLimit();
  RaisedFileLimit(const RaisedFileLimit&) = delete;
  RaisedFileLimit& operator=(const RaisedFileLimit&) = delete;

 private:
  rlimit old_{};
};

// Steps: Prepare, Start, Watch, Finish. One thread.
class CountRun {
 public:
  CountRun(const CountContext& context, const std::vector<std::string>& command);
  ~CountRun();
  CountRun(const CountRun&) = delete;
  CountRun& operator=(const CountRun&) = delete;

  // Forks the command, held, and opens the counters.
  Status Prepare();
  [[nodiscard]] const std::vector<CounterSet::Failure>& failures() const { return failures_; }
  // Threads kept starting while their processes were attached to, so that some may be missing.
  [[nodiscard]] bool threads_missed() const { return threads_missed_; }
  // Lets it go. Errors are those of the command's exec.
  Status Start();
  // Until it ends; with `append_as` interval readings are appended under that number.
  StopReason Watch(std::optional<std::uint32_t> append_as);
  // Readings at the end, times and noise; `run` and `side` of the definition are left alone.
  void Finish(model::RunDef& run);
  // The last readings of all counters; after Finish.
  [[nodiscard]] const std::vector<CounterValue>& values() const { return values_; }
  // When they were read: at the end, or with the last of `interval_count` intervals.
  [[nodiscard]] std::uint64_t read_ns() const { return read_ns_; }
  [[nodiscard]] std::uint64_t end_ns() const { return end_ns_; }
  [[nodiscard]] std::uint64_t start_ns() const { return start_ns_; }
  // Interval readings were appended.
  [[nodiscard]] bool appended() const { return appended_; }
  [[nodiscard]] const NumberSearch& numbers() const { return numbers_; }

 private:
  [[nodiscard]] bool IsCommand() const {
    return context_.options.target.kind == model::TargetKind::kCommand;
  }
  [[nodiscard]] bool WholeCpus() const {
    return context_.options.target.kind == model::TargetKind::kSystem ||
           context_.options.target.kind == model::TargetKind::kCpus;
  }
  Status Fork(const std::vector<std::string>& command);
  Result<std::vector<CounterSpot>> FindSpots() const;
  Status OpenCounters();
  void TakeSignals();
  void TakeLateSignals();
  void TakeSteps(std::uint64_t now_ns, std::optional<std::uint32_t> append_as);
  void WaitForNews(std::optional<std::uint64_t> deadline_ns);
  [[nodiscard]] bool HasEnded();
  void Stop(StopReason reason);
  void ReadAlong();
  void FinishCommand(model::RunDef& run);
  void FinishTarget(model::RunDef& run);

  CountContext context_;
  const std::vector<std::string>& command_;
  NumberSearch numbers_;
  std::unique_ptr<OutputCapture> capture_;
  std::optional<Workload> workload_;
  std::optional<RaisedFileLimit> file_limit_;
  std::vector<CounterSpot> spots_;
  CounterSet counters_;
  std::vector<CounterSet::Failure> failures_;
  TargetWatch target_;
  std::optional<RunSchedule> schedule_;
  std::optional<StopReason> stop_;  // why the run is to end, or has
  std::vector<CounterValue> values_;
  MachineState machine_before_;
  std::uint64_t wait_before_ns_ = 0;
  UsageByThread usage_before_;
  std::uint64_t start_ns_ = 0, end_ns_ = 0, read_ns_ = 0;
  bool threads_missed_ = false, started_ = false, appended_ = false, values_are_last_ = false;
};

}  // namespace prof::collect
