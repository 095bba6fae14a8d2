// A recording, step by step: target, events, snapshot, loop, drain, totals.
#include "prof/collect/record_session.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "collect/cpu_accounting.h"
#include "collect/cpu_time.h"
#include "collect/event_fallback.h"
#include "collect/event_set.h"
#include "collect/loss_records.h"
#include "collect/machine_times.h"
#include "collect/pipeline.h"
#include "collect/proc_resync.h"
#include "collect/proc_snapshot.h"
#include "collect/recording_head.h"
#include "collect/stop_signals.h"
#include "collect/target_opener.h"
#include "collect/target_tasks.h"
#include "collect/workload.h"

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

constexpr int kPassMs = 100;  // side-band is drained at least this often
constexpr std::uint64_t kFlushNs = 1'000'000'000;

}  // namespace

class RecordSession::Impl final : private ProcessTable::Observer {
 public:
  Impl(RecordOptions options, const HostFs& fs, model::RecordSink& sink, StopSignals signals)
      : options_(std::move(options)),
        fs_(fs),
        signals_(std::move(signals)),
        modules_(fs),
        processes_(modules_, *this, Follow()),
        accounting_(processes_, [this](pid_t origin) { return events_->CpuTimeOf(origin); }),
        pipeline_(sink, modules_),
        writer_(pipeline_.writer()) {}

  Status Open();
  Status Start();
  StopReason Run();
  Status Close();
  int WaitForCommand(StopReason reason);
  [[nodiscard]] std::vector<HitModule> HitModules() const { return modules_.Hits(); }
  [[nodiscard]] std::vector<std::string> Details() const;

  std::vector<std::string> notes_;
  RecordSummary summary_;
  Error sink_error_;

 private:
  [[nodiscard]] bool WholeCpus() const {
    return options_.target.kind == model::TargetKind::kSystem ||
           options_.target.kind == model::TargetKind::kCpus;
  }
  [[nodiscard]] Following Follow() const {
    if (WholeCpus()) return Following::kEverybody;
    return options_.inherit ? Following::kChildren : Following::kNobody;
  }
  Status ForkCommand();
  void AddRestrictionNote();
  SampleScope Scope();
  void WriteHead();
  std::optional<StopReason> CheckStop();
  std::optional<StopReason> TakeSignals();
  [[nodiscard]] int MsToNextStep() const;
  void WaitForNews();
  void LetInterruptEndProf();
  [[nodiscard]] bool IsAttached() const;
  bool FindStragglers();
  [[nodiscard]] std::uint64_t CountedCpuNs() const;
  std::uint64_t AppendCpuUsage();
  // By any reader, with the lock of the target's state held.
  void OnRename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                bool exec) override {
    writer_.Rename(thread, name, time_ns, exec);
  }
  void OnThreadGone(ThreadState& thread) override { accounting_.ThreadGone(thread); }
  void OnNamesSettled(ThreadState& thread, std::uint64_t time_ns) override {
    writer_.SettleNames(thread, time_ns);
  }

  RecordOptions options_;
  HostFs fs_;
  StopSignals signals_;
  perf::KernelLimits limits_;
  bool cpu_wide_ = false;
  std::optional<Workload> workload_;
  std::unique_ptr<EventSet> events_;
  ModuleTable modules_;
  ProcessTable processes_;
  CpuAccounting accounting_;
  Pipeline pipeline_;
  StreamWriter& writer_;        // of the pipeline
  std::vector<pid_t> origins_;  // tasks whose events were opened
  LoadMeter load_;
  std::uint64_t idle_before_ns_ = 0;
  std::uint64_t flushed_ns_ = 0, begin_ns_ = 0, end_ns_ = 0, enable_at_ns_ = 0, stop_at_ns_ = 0;
  bool sampling_ = false;
  bool enabled_twice_ = false;
};

Status RecordSession::Impl::Open() {
  limits_ = perf::ReadKernelLimits(fs_);
  const perf::KernelFeatures features = perf::ProbeKernelFeatures();
  ChooseDefaultEvent(options_, notes_);
  PROF_TRY(CheckPermissions(options_, limits_));
  cpu_wide_ = UseCpuWide(options_, limits_);

  PROF_TRY_ASSIGN(AttrPlan plan, PlanAttrs(options_, limits_, features, cpu_wide_ || WholeCpus()));
  PROF_TRY_ASSIGN(std::vector<int> cpus, perf::OnlineCpus(fs_));
  PROF_TRY(NarrowCpus(options_.target.cpus, cpus));
  const RingPlan rings = PlanRings(plan, options_, limits_, cpus.size());
  events_ = std::make_unique<EventSet>(std::move(plan), cpus, limits_, features);

  if (!options_.target.command.empty()) PROF_TRY(ForkCommand());
  perf::RaiseFileLimit();  // after the fork: the command keeps the limit it was given
  TargetOpener opener{options_, fs_, *events_, processes_, rings, cpu_wide_};
  PROF_TRY_ASSIGN(origins_, opener.Open(workload_ ? workload_->pid() : 0));
  for (const std::string& note : events_->plan().notes) notes_.push_back(note);
  AddRestrictionNote();
  if (WholeCpus()) idle_before_ns_ = IdleTimeNs(fs_, cpus);
  PROF_TRY(pipeline_.Build(options_, *events_, processes_, Scope()));
  WriteHead();
  return writer_.status();
}

Status RecordSession::Impl::ForkCommand() {
  CommandOutput output;
  if (options_.command_output_to_stderr) output.out = STDERR_FILENO;
  PROF_TRY_ASSIGN(Workload workload,
                  Workload::Fork(options_.target.command, signals_.old_mask(), output));
  workload_ = std::move(workload);
  return {};
}

// Once, not per event: it is the same setting for all of them.
void RecordSession::Impl::AddRestrictionNote() {
  for (const PlannedEvent& event : events_->plan().events) {
    if (event.desc.restriction.empty()) continue;
    notes_.push_back("user code only: sampling the kernel is not permitted (" +
                     event.desc.restriction + ")");
    return;
  }
}

SampleScope RecordSession::Impl::Scope() {
  const pid_t command = workload_ && !WholeCpus() ? workload_->pid() : 0;
  return {.cpu_wide = cpu_wide_ || WholeCpus(),
          .everything = WholeCpus(),
          .own_pid = static_cast<std::uint32_t>(::getpid()),
          .adopt = [this](const auto& thread) { AdoptThread(fs_, *thread, processes_); },
          .resync = [this, command] { ResyncWithProc(fs_, command, Follow(), processes_); }};
}

void RecordSession::Impl::WriteHead() {
  std::vector<model::EventDesc> descs;
  for (const PlannedEvent& event : events_->plan().events) descs.push_back(event.desc);
  writer_.Begin(DescribeRecording(options_, events_->plan(), cpu_wide_, fs_), descs);
}

std::vector<std::string> RecordSession::Impl::Details() const {
  std::vector<std::string> lines = DescribeSampling(*events_, cpu_wide_, WholeCpus());
  lines.push_back(pipeline_.Describe());
  return lines;
}

// Side-band and samples of a command start at its exec; everything else is enabled here.
Status RecordSession::Impl::Start() {
  PROF_TRY(pipeline_.Start());
  if (options_.delay_ms == 0) load_.Begin(fs_, 0);
  begin_ns_ = MonotonicNs();
  const bool command = options_.target.kind == model::TargetKind::kCommand;
  if (!command) {
    events_->Enable(EventRole::kCpuTime);
    if (options_.delay_ms == 0) events_->Enable(EventRole::kSampling);
  } else if (cpu_wide_ && options_.delay_ms == 0) {
    events_->Enable(EventRole::kSampling);
  }
  sampling_ = options_.delay_ms == 0;
  if (!sampling_) enable_at_ns_ = begin_ns_ + options_.delay_ms * 1'000'000U;
  if (options_.duration_s)
    stop_at_ns_ = begin_ns_ + options_.delay_ms * 1'000'000U +
                  static_cast<std::uint64_t>(*options_.duration_s * 1e9);
  if (workload_) return workload_->Release();
  return {};
}

StopReason RecordSession::Impl::Run() {
  std::optional<StopReason> reason;
  while (!reason) {
    WaitForNews();
    pipeline_.Drain();
    if (const std::uint64_t now_ns = MonotonicNs(); now_ns - flushed_ns_ > kFlushNs) {
      flushed_ns_ = now_ns;
      writer_.Flush();
      if (IsAttached() && !FindStragglers()) reason = StopReason::kTargetExited;
    }
    if (!reason) reason = CheckStop();
  }
  end_ns_ = MonotonicNs();
  if (!sampling_) begin_ns_ = end_ns_;  // the delay was never over
  events_->Disable(EventRole::kSampling);
  events_->Disable(EventRole::kCpuTime);  // a target that runs on must not seem unsampled
  load_.End(fs_);
  pipeline_.FinishReading();
  LetInterruptEndProf();
  if (const Status status = pipeline_.FinishWriting();
      !status && *reason != StopReason::kSinkFailed) {
    sink_error_ = status.error();
    return StopReason::kSinkFailed;
  }
  return *reason;
}

bool RecordSession::Impl::IsAttached() const {
  return options_.target.kind == model::TargetKind::kProcesses ||
         options_.target.kind == model::TargetKind::kThreads;
}

// The kernel copies events to a new thread as they are, and lists the copies a moment later: a
// thread that starts just while its creator's events are enabled keeps disabled ones, and its end
// would never be told (seen about once in 100 attaches to a process that starts 60 threads a
// second). Enabling all once more reaches them, and /proc knows who is gone. False: all are.
bool RecordSession::Impl::FindStragglers() {
  constexpr std::uint64_t kListedNs = 50'000'000;
  if (!enabled_twice_ && MonotonicNs() - begin_ns_ > kListedNs) {
    enabled_twice_ = true;
    events_->Enable(EventRole::kSideBand);
    if (sampling_) events_->Enable(EventRole::kSampling);
  }
  return pipeline_.AnyAlive(
      [this](std::uint32_t tid) { return IsAlive(fs_, static_cast<pid_t>(tid)); });
}

// A signal, the end of the target, or the time for the next step.
void RecordSession::Impl::WaitForNews() {
  pollfd news[] = {{signals_.fd(), POLLIN, 0}, {pipeline_.target_ended().fd(), POLLIN, 0}};
  ::poll(news, std::size(news), MsToNextStep());
  pipeline_.target_ended().Clear();
}

// What remains, symbols mostly, or an output that is stuck, can take long, and the file opens
// without it.
void RecordSession::Impl::LetInterruptEndProf() {
  while (TakeSignals()) {  // the Ctrl-C that ended the recording counts once
  }
  signals_.UnblockInterrupt();
}

int RecordSession::Impl::MsToNextStep() const {
  const std::uint64_t now_ns = MonotonicNs();
  std::uint64_t left_ms = kPassMs;
  for (const std::uint64_t deadline_ns : {enable_at_ns_, stop_at_ns_}) {
    if (deadline_ns == 0) continue;
    const std::uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    left_ms = std::min(left_ms, (left_ns + 999'999U) / 1'000'000U);
  }
  return static_cast<int>(left_ms);
}

std::optional<StopReason> RecordSession::Impl::TakeSignals() {
  while (const auto signal = signals_.Take()) {
    if (signal->number == SIGINT) return StopReason::kInterrupted;
    if (signal->number == SIGCHLD) continue;
    if (workload_ && options_.target.kind == model::TargetKind::kCommand) {
      workload_->Signal(signal->number);
    } else {
      return StopReason::kTerminated;
    }
  }
  return std::nullopt;
}

std::optional<StopReason> RecordSession::Impl::CheckStop() {
  if (const Status status = writer_.status(); !status) {
    sink_error_ = status.error();
    return StopReason::kSinkFailed;
  }
  if (const auto reason = TakeSignals()) return reason;
  if (workload_ && workload_->Poll()) return StopReason::kTargetExited;
  if (IsAttached() && pipeline_.live_threads() == 0) return StopReason::kTargetExited;
  const std::uint64_t now_ns = MonotonicNs();
  if (stop_at_ns_ != 0 && now_ns >= stop_at_ns_) return StopReason::kDuration;
  if (!sampling_ && now_ns >= enable_at_ns_) {
    events_->Enable(EventRole::kSampling);
    sampling_ = true;
    begin_ns_ = now_ns;
    load_.Begin(fs_, CountedCpuNs());
    enable_at_ns_ = 0;
  }
  return std::nullopt;
}

std::uint64_t RecordSession::Impl::CountedCpuNs() const {
  std::uint64_t sum_ns = 0;
  for (const pid_t origin : origins_) sum_ns += events_->CpuTimeOf(origin);
  return sum_ns;
}

// Returns the CPU time of the target, as far as the kernel said.
std::uint64_t RecordSession::Impl::AppendCpuUsage() {
  accounting_.TakeLiving([this](pid_t tid) { return ThreadCpuTimeNs(fs_, tid); });
  std::uint64_t target_cpu_ns = CountedCpuNs();
  const bool whole_life = workload_ && workload_->ended() && options_.delay_ms == 0 &&
                          options_.target.kind == model::TargetKind::kCommand;
  if (whole_life && workload_->CpuTimeNs() > target_cpu_ns) {
    accounting_.ShareRest(workload_->CpuTimeNs() - target_cpu_ns);
    target_cpu_ns = workload_->CpuTimeNs();
  }
  for (const model::CpuUsage& usage : accounting_.Usage()) writer_.Append(usage);
  return target_cpu_ns;
}

Status RecordSession::Impl::Close() {
  const PairCounts counts = pipeline_.counts();
  AppendLosses(*events_, counts, pipeline_.side_band(), writer_, summary_);
  const bool accounted = !WholeCpus() && options_.inherit;
  const std::uint64_t target_cpu_ns = accounted ? AppendCpuUsage() : 0;
  summary_.samples = writer_.samples();
  const WalkCounts walks = pipeline_.walks();
  summary_.walked = walks.walked;
  summary_.complete = walks.complete;
  summary_.joined = walks.joined;
  summary_.stacks_lost_to_size = events_->plan().dump_by_rate &&
                                 events_->plan().any_without_frequency &&
                                 walks.truncated * 20 > walks.walked;
  summary_.seconds = static_cast<double>(end_ns_ - begin_ns_) / 1e9;
  model::RecordingEnd end{.samples = summary_.samples,
                          .sampling_begin_ns = begin_ns_,
                          .sampling_end_ns = end_ns_,
                          .target_cpu_ns = target_cpu_ns,
                          .prof_cpu_ns = OwnCpuTimeNs(),
                          .recorded_cpus = events_->rings().size()};
  load_.Report(target_cpu_ns > 0 ? target_cpu_ns : model::kNotKnown, end);
  const ClockReading now = ReadClocks();
  end.end = {now.monotonic_ns, now.realtime_ns, now.boottime_ns};
  if (WholeCpus()) {
    std::vector<int> cpus;
    for (const CpuRings& rings : events_->rings()) cpus.push_back(rings.cpu);
    end.idle_ns = IdleTimeNs(fs_, cpus) - idle_before_ns_;
  }
  if (workload_ && workload_->ended())
    end.exit_status = static_cast<std::uint32_t>(workload_->ExitStatus());
  if (counts.deferred != 0) {
    end.notes.push_back(std::to_string(counts.deferred) +
                        " samples were copied out of rings that filled faster than prof unwound, "
                        "and unwound later");
  }
  writer_.Append(end);
  return writer_.status();
}

// The events go before the wait: a target that runs on must not pay for sampling nobody reads.
int RecordSession::Impl::WaitForCommand(StopReason reason) {
  events_.reset();
  if (!workload_) return 0;
  if (options_.target.kind != model::TargetKind::kCommand) {
    if (!workload_->Poll()) workload_->Signal(SIGTERM);  // a timer nobody waits for any more
    return 0;
  }
  if (reason == StopReason::kDuration) return 0;  // the target goes on
  while (!workload_->Poll()) {
    pollfd signal{signals_.fd(), POLLIN, 0};
    ::poll(&signal, 1, -1);
    while (const auto taken = signals_.Take()) {
      if (taken->number != SIGCHLD) workload_->Signal(taken->number);
    }
  }
  return workload_->ExitStatus();
}

RecordSession::RecordSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordSession::~RecordSession() = default;

Result<std::unique_ptr<RecordSession>> RecordSession::Open(RecordOptions options, const HostFs& fs,
                                                           model::RecordSink& sink) {
  PROF_TRY_ASSIGN(StopSignals signals, StopSignals::Block());
  auto impl = std::make_unique<Impl>(std::move(options), fs, sink, std::move(signals));
  PROF_TRY(impl->Open());
  return std::unique_ptr<RecordSession>(new RecordSession(std::move(impl)));
}

const std::vector<std::string>& RecordSession::notes() const { return impl_->notes_; }
std::vector<std::string> RecordSession::Details() const { return impl_->Details(); }
Status RecordSession::Start() { return impl_->Start(); }
StopReason RecordSession::Run() { return impl_->Run(); }
std::vector<HitModule> RecordSession::HitModules() const { return impl_->HitModules(); }
Status RecordSession::Close() { return impl_->Close(); }
const RecordSummary& RecordSession::summary() const { return impl_->summary_; }
const Error& RecordSession::sink_error() const { return impl_->sink_error_; }
int RecordSession::WaitForCommand(StopReason reason) { return impl_->WaitForCommand(reason); }

}  // namespace prof::collect
