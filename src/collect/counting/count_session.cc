// A session of counting: the plan, the head of the stream, the runs and their numbers, the totals.
#include "prof/collect/count_session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "collect/counting/count_run.h"
#include "collect/cpu_time.h"

#include "prof/base/clock.h"

namespace prof::collect {

class CountSession::Impl {
 public:
  Impl(CountOptions options, const HostFs& fs, model::RecordSink& sink, StopSignals signals)
      : options_(std::move(options)),
        fs_(fs),
        signals_(std::move(signals)),
        limits_(perf::ReadKernelLimits(fs_)),
        plan_(PlanCounters(options_, limits_, fs_)),
        records_(options_, fs_, sink) {}

  Result<RunOutcome> Run(const RunRequest& request);
  Result<int> RunAside(const std::string& command);
  std::optional<StopReason> Interrupted();
  Status Close();

  std::vector<model::EventDesc> events_;

 private:
  const std::vector<std::string>& CommandOf(const RunRequest& request) const;
  Status Begin(CountRun& run);
  [[nodiscard]] Status CheckSomethingCounts() const;
  Status Append(CountRun& run, const model::RunDef& definition);

  CountOptions options_;
  HostFs fs_;
  StopSignals signals_;
  perf::KernelLimits limits_;
  CountPlan plan_;
  CountRecords records_;
  bool begun_ = false;                   // the head was appended
  std::optional<StopReason> interrupt_;  // a signal that has not ended a run yet
  std::uint32_t next_run_ = 0;
  std::uint32_t exit_status_ = 0;
  std::uint64_t begin_ns_ = 0, end_ns_ = 0, target_cpu_ns_ = 0;
  std::vector<std::string> notes_;
};

const std::vector<std::string>& CountSession::Impl::CommandOf(const RunRequest& request) const {
  const bool is_timer = options_.target.kind != model::TargetKind::kCommand;
  return is_timer && request.command.empty() ? options_.target.command : request.command;
}

// What could not be opened at first is refused for good and not tried again; what fails later is a
// run without that event.
Status CountSession::Impl::Begin(CountRun& run) {
  if (run.threads_missed())
    notes_.push_back(
        "threads kept starting while prof attached to the target; some may be missing");
  if (begun_) {
    for (const CounterSet::Failure& failure : run.failures()) {
      if (failure.index >= plan_.wanted) continue;
      notes_.push_back("run " + std::to_string(next_run_ + 1) + ": " +
                       plan_.counters[failure.index].desc.name +
                       " could not be counted: " + failure.error.message);
    }
    return records_.status();
  }
  std::optional<bool> core_pmu;
  for (const CounterSet::Failure& failure : run.failures()) {
    Error why = failure.error;
    if (why.kind == ErrorKind::kUnsupported &&
        perf::IsOfTheCores(plan_.counters[failure.index].attr)) {
      // Said once for all of them, and nothing on this machine would help.
      if (!core_pmu) core_pmu = perf::HasCorePmu(fs_);
      if (!*core_pmu) why = {why.kind, "no hardware counters on this machine", ""};
    }
    Refuse(plan_, failure.index, why);
  }
  for (std::size_t index = 0; index < plan_.wanted; ++index)
    events_.push_back(plan_.counters[index].desc);
  PROF_TRY(CheckSomethingCounts());
  records_.Head(plan_);
  begun_ = true;
  return records_.status();
}

// A command has its times, whatever happens; of a running target nothing would be left to say.
Status CountSession::Impl::CheckSomethingCounts() const {
  const bool all_refused = std::ranges::all_of(
      events_, [](const model::EventDesc& event) { return !event.refused.empty(); });
  if (options_.target.kind == model::TargetKind::kCommand || events_.empty() || !all_refused)
    return {};
  return Fail(ErrorKind::kUnsupported, "nothing can be counted: " + events_.front().refused,
              events_.front().refused_hint);
}

Result<RunOutcome> CountSession::Impl::Run(const RunRequest& request) {
  if (const auto reason = Interrupted()) {
    interrupt_.reset();
    return RunOutcome{.reason = *reason};
  }
  CountRun run({options_, fs_, plan_, limits_, signals_, records_}, CommandOf(request));
  PROF_TRY(run.Prepare());
  PROF_TRY(Begin(run));
  PROF_TRY(run.Start());
  if (begin_ns_ == 0) begin_ns_ = run.start_ns();
  const bool keep = !request.discard;
  RunOutcome outcome{.reason = run.Watch(keep ? std::optional(next_run_) : std::nullopt)};
  outcome.run.run = next_run_;
  outcome.run.side = request.side;
  run.Finish(outcome.run);
  end_ns_ = run.end_ns();
  exit_status_ = outcome.run.exit_status;
  if (outcome.run.user_ns != model::kNotKnown && outcome.run.system_ns != model::kNotKnown)
    target_cpu_ns_ += outcome.run.user_ns + outcome.run.system_ns;
  PROF_TRY(records_.status());
  const bool broken_off =
      outcome.reason == StopReason::kInterrupted || outcome.reason == StopReason::kTerminated;
  const bool is_command = options_.target.kind == model::TargetKind::kCommand;
  outcome.unmatched_metric = run.numbers().FirstMissing();
  const bool whole = !(broken_off && is_command) || request.keep_interrupted;
  outcome.appended = keep && whole && !outcome.unmatched_metric;
  if (outcome.appended) PROF_TRY(Append(run, outcome.run));
  if (outcome.appended || run.appended()) ++next_run_;
  return outcome;
}

Status CountSession::Impl::Append(CountRun& run, const model::RunDef& definition) {
  records_.Readings(definition.run, run.values(), plan_.wanted, run.read_ns());
  records_.Append(definition);
  return records_.status();
}

Result<int> CountSession::Impl::RunAside(const std::string& command) {
  const std::vector<std::string> words = {"sh", "-c", command};
  PROF_TRY_ASSIGN(Workload workload,
                  Workload::Fork(words, signals_.old_mask(), {.out = STDERR_FILENO}));
  PROF_TRY(workload.Release());
  while (!workload.Poll()) {
    pollfd signal{signals_.fd(), POLLIN, 0};
    ::poll(&signal, 1, -1);
    while (const auto taken = signals_.Take()) {
      const auto reason = ReasonOf(*taken);
      if (!reason) continue;
      if (!interrupt_) interrupt_ = reason;
      if (taken->from_process) workload.Signal(taken->number);
    }
  }
  return workload.ExitStatus();
}

std::optional<StopReason> CountSession::Impl::Interrupted() {
  while (const auto taken = signals_.Take()) {
    if (const auto reason = ReasonOf(*taken); reason && !interrupt_) interrupt_ = reason;
  }
  return interrupt_;
}

Status CountSession::Impl::Close() {
  model::RecordingEnd end{.sampling_begin_ns = begin_ns_,
                          .sampling_end_ns = end_ns_,
                          .target_cpu_ns = target_cpu_ns_,
                          .prof_cpu_ns = OwnCpuTimeNs(),
                          .exit_status = exit_status_,
                          .notes = notes_};
  const ClockReading now = ReadClocks();
  end.end = {now.monotonic_ns, now.realtime_ns, now.boottime_ns};
  if (begun_) records_.Append(end);
  return records_.status();
}

CountSession::CountSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CountSession::~CountSession() = default;

Result<std::unique_ptr<CountSession>> CountSession::Open(CountOptions options, const HostFs& fs,
                                                         model::RecordSink& sink) {
  const model::TargetKind kind = options.target.kind;
  const bool whole_cpus = kind == model::TargetKind::kSystem || kind == model::TargetKind::kCpus;
  if (options.split == CountSplit::kCpu && !whole_cpus) {
    return Fail(ErrorKind::kUsage, "counts per CPU are those of whole CPUs",
                "add -a (all CPUs) or -C LIST");
  }
  const bool command_or_cpus =
      kind == model::TargetKind::kCommand || kind == model::TargetKind::kCpus;
  if (options.split == CountSplit::kThread && command_or_cpus) {
    return Fail(ErrorKind::kUsage, "counts per thread need threads that are running already",
                "add -p PID, -t TID or -a");
  }
  PROF_TRY_ASSIGN(StopSignals signals, StopSignals::Block());
  return std::unique_ptr<CountSession>(
      new CountSession(std::make_unique<Impl>(std::move(options), fs, sink, std::move(signals))));
}

Result<RunOutcome> CountSession::Run(const RunRequest& request) { return impl_->Run(request); }
Result<int> CountSession::RunAside(const std::string& command) { return impl_->RunAside(command); }
std::optional<StopReason> CountSession::Interrupted() { return impl_->Interrupted(); }
const std::vector<model::EventDesc>& CountSession::events() const { return impl_->events_; }
Status CountSession::Close() { return impl_->Close(); }

}  // namespace prof::collect
