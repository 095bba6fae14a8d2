// A recording, step by step: target, events, snapshot, loop, drain, totals.
#include "prof/collect/record_session.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "collect/cpu_accounting.h"
#include "collect/event_fallback.h"
#include "collect/event_set.h"
#include "collect/host_info.h"
#include "collect/proc_snapshot.h"
#include "collect/process_table.h"
#include "collect/ring_reader.h"
#include "collect/sample_walker.h"
#include "collect/stop_signals.h"
#include "collect/stream_writer.h"
#include "collect/target_opener.h"
#include "collect/workload.h"

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

constexpr std::size_t kNodesPerEpoch = 512 * 1024;  // about 40 MB of tables here and in a reader
constexpr int kPassMs = 100;                        // side-band is drained at least this often
constexpr std::uint64_t kFlushNs = 1'000'000'000;
constexpr int kHangUpPassMs = 10;  // when a ring's owner is gone, poll() says nothing any more

std::uint64_t OwnCpuTimeNs() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ns = [](const timeval& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(t.tv_usec) * 1000U;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

}  // namespace

class RecordSession::Impl final : private ProcessTable::Observer {
 public:
  Impl(RecordOptions options, const HostFs& fs, model::RecordSink& sink, StopSignals signals)
      : options_(std::move(options)),
        fs_(fs),
        signals_(std::move(signals)),
        modules_(fs),
        processes_(modules_, *this, WholeCpus()),
        writer_(sink, modules_, kNodesPerEpoch) {}

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
  Status ForkCommand();
  void BuildReader();
  void WriteHead();
  std::optional<StopReason> CheckStop();
  std::optional<StopReason> TakeSignals();
  void Wait();
  void RereadProc();
  void Adopt(ThreadState& thread);
  std::uint64_t UnreportedCpuTime(pid_t origin);
  void AccountLivingThreads();
  void AppendLosses();
  void OnRename(ThreadState& thread, std::uint64_t time_ns, bool exec) override {
    writer_.Rename(thread, time_ns, exec);
  }
  void OnThreadGone(ThreadState& thread) override;

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
  StreamWriter writer_;
  std::unique_ptr<SampleWalker> walker_;
  std::unique_ptr<RingReader> reader_;
  std::vector<pid_t> origins_;                            // tasks whose events were opened
  std::unordered_map<pid_t, std::uint64_t> reported_ns_;  // CPU time of ended tasks, by origin
  std::uint64_t idle_before_ns_ = 0;
  std::uint64_t flushed_ns_ = 0, begin_ns_ = 0, end_ns_ = 0, enable_at_ns_ = 0, stop_at_ns_ = 0;
  bool sampling_ = false;
};

Status RecordSession::Impl::Open() {
  limits_ = perf::ReadKernelLimits(fs_);
  const perf::KernelFeatures features = perf::ProbeKernelFeatures();
  perf::RaiseFileLimit();
  ChooseDefaultEvent(options_, notes_);
  PROF_TRY(CheckPermissions(options_, limits_));
  cpu_wide_ = UseCpuWide(options_, limits_);

  PROF_TRY_ASSIGN(AttrPlan plan, PlanAttrs(options_, limits_, features, cpu_wide_ || WholeCpus()));
  PROF_TRY_ASSIGN(std::vector<int> cpus, perf::OnlineCpus(fs_));
  PROF_TRY(NarrowCpus(options_.target.cpus, cpus));
  const RingPlan rings = PlanRings(plan, options_, limits_, cpus.size());
  events_ = std::make_unique<EventSet>(std::move(plan), cpus, limits_, features);

  if (!options_.target.command.empty()) PROF_TRY(ForkCommand());
  TargetOpener opener{options_, fs_, *events_, processes_, rings, cpu_wide_};
  PROF_TRY_ASSIGN(origins_, opener.Open(workload_ ? workload_->pid() : 0));
  for (const std::string& note : events_->plan().notes) notes_.push_back(note);
  for (const PlannedEvent& event : events_->plan().events) {
    if (!event.desc.restriction.empty()) notes_.push_back(event.desc.restriction);
  }
  if (WholeCpus()) idle_before_ns_ = IdleTimeNs(fs_, cpus);
  BuildReader();
  WriteHead();
  return writer_.status();
}

Status RecordSession::Impl::ForkCommand() {
  PROF_TRY_ASSIGN(Workload workload, Workload::Fork(options_.target.command, signals_.old_mask(),
                                                    options_.command_output_to_stderr));
  workload_ = std::move(workload);
  return {};
}

void RecordSession::Impl::BuildReader() {
  walker_ = std::make_unique<SampleWalker>(events_->plan(), options_.call_graph, options_.max_stack,
                                           modules_, writer_);
  reader_ = std::make_unique<RingReader>(
      *events_, processes_, *walker_, writer_,
      SampleScope{.cpu_wide = cpu_wide_ || WholeCpus(),
                  .everything = WholeCpus(),
                  .own_pid = static_cast<std::uint32_t>(::getpid()),
                  .adopt = [this](ThreadState& thread) { Adopt(thread); }});
}

void RecordSession::Impl::WriteHead() {
  model::RecordingInfo info = DescribeHost(fs_);
  info.command_line = options_.command_line;
  info.target = options_.target.kind;
  info.target_command = options_.target.command;
  info.call_graph = options_.call_graph;
  info.stack_dump_bytes = events_->plan().dump_bytes;
  info.max_stack = options_.call_graph == model::CallGraphMode::kNone ? 0 : options_.max_stack;
  info.cpu_wide = cpu_wide_;
  info.notes = notes_;
  std::vector<model::EventDesc> descs;
  for (const PlannedEvent& event : events_->plan().events) descs.push_back(event.desc);
  writer_.Begin(info, descs);
}

std::vector<std::string> RecordSession::Impl::Details() const {
  const AttrPlan& plan = events_->plan();
  std::vector<std::string> lines;
  for (const PlannedEvent& event : plan.events) {
    lines.push_back("event " + event.desc.name + ": " + std::to_string(event.desc.sampling_value) +
                    (event.desc.mode == model::SamplingMode::kFrequency ? " Hz" : " per sample"));
  }
  lines.push_back(std::to_string(events_->rings().size()) + " CPUs, rings of " +
                  std::to_string(events_->rings().front().samples().data_bytes() / 1024) +
                  " KB, stack dumps of " + std::to_string(plan.dump_bytes) + " bytes");
  lines.push_back(cpu_wide_     ? "CPU-wide events, filtered on the command's processes"
                  : WholeCpus() ? "CPU-wide events"
                                : "events inherited by the target's tasks");
  return lines;
}

void RecordSession::Impl::Adopt(ThreadState& thread) {
  thread.name = thread.tid == 0 ? "swapper" : ThreadName(fs_, static_cast<pid_t>(thread.tid));
  if (thread.process->space->size() == 0) SnapshotMappings(fs_, *thread.process, processes_);
}

// Side-band and samples of a command start at its exec; everything else is enabled here.
Status RecordSession::Impl::Start() {
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
    Wait();
    reader_->Pass(false);
    if (reader_->TakeSideBandLost()) RereadProc();
    if (const std::uint64_t now_ns = MonotonicNs(); now_ns - flushed_ns_ > kFlushNs) {
      flushed_ns_ = now_ns;
      writer_.Flush();
    }
    reason = CheckStop();
  }
  end_ns_ = MonotonicNs();
  events_->Disable(EventRole::kSampling);
  events_->Disable(EventRole::kCpuTime);  // a target that runs on must not seem unsampled
  reader_->Pass(true);
  return *reason;
}

// Sleeps until a ring is filling up, a signal arrives, or a deadline is near.
void RecordSession::Impl::Wait() {
  std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}};
  bool hung_up = false;
  for (const CpuRings& rings : events_->rings()) {
    for (const int fd : {rings.side_band_fd.get(), rings.sample_fd.get()}) {
      pollfd probe{fd, POLLIN, 0};
      if (::poll(&probe, 1, 0) == 1 && (probe.revents & POLLHUP) != 0) {
        hung_up = true;
      } else {
        fds.push_back(probe);
      }
    }
  }
  int timeout_ms = hung_up ? kHangUpPassMs : kPassMs;
  const std::uint64_t now_ns = MonotonicNs();
  for (const std::uint64_t deadline_ns : {enable_at_ns_, stop_at_ns_}) {
    if (deadline_ns == 0) continue;
    const auto left_ms = static_cast<int>(
        deadline_ns <= now_ns
            ? 0
            : std::min<std::uint64_t>((deadline_ns - now_ns) / 1'000'000U + 1, kPassMs));
    timeout_ms = std::min(timeout_ms, left_ms);
  }
  ::poll(fds.data(), fds.size(), timeout_ms);
}

std::optional<StopReason> RecordSession::Impl::TakeSignals() {
  while (const auto signal = signals_.Take()) {
    if (*signal == SIGINT) return StopReason::kInterrupted;
    if (*signal == SIGCHLD) continue;
    if (workload_ && options_.target.kind == model::TargetKind::kCommand) {
      workload_->Signal(*signal);
    } else {
      return StopReason::kTerminated;
    }
  }
  return std::nullopt;
}

std::optional<StopReason> RecordSession::Impl::CheckStop() {
  if (!writer_.status()) {
    sink_error_ = writer_.status().error();
    return StopReason::kSinkFailed;
  }
  if (const auto reason = TakeSignals()) return reason;
  if (workload_ && workload_->Poll()) return StopReason::kTargetExited;
  const bool attached = options_.target.kind == model::TargetKind::kProcesses ||
                        options_.target.kind == model::TargetKind::kThreads;
  if (attached && processes_.live_threads() == 0) return StopReason::kTargetExited;
  const std::uint64_t now_ns = MonotonicNs();
  if (stop_at_ns_ != 0 && now_ns >= stop_at_ns_) return StopReason::kDuration;
  if (!sampling_ && now_ns >= enable_at_ns_) {
    events_->Enable(EventRole::kSampling);
    sampling_ = true;
    begin_ns_ = now_ns;
    enable_at_ns_ = 0;
  }
  return std::nullopt;
}

// Side-band records were lost: what the target looks like now is the best that can be known.
void RecordSession::Impl::RereadProc() {
  std::vector<std::shared_ptr<ProcessState>> processes;
  processes_.ForEachThread([&](ThreadState& thread) {
    if (thread.exited_ns == 0 && thread.tid == thread.process->pid)
      processes.push_back(thread.process);
  });
  for (const auto& process : processes) {
    SnapshotMappings(fs_, *process, processes_);
    for (const pid_t child : ListChildren(fs_, static_cast<pid_t>(process->pid))) {
      if (processes_.FindThread(static_cast<std::uint32_t>(child)) != nullptr) continue;
      const ThreadState* parent = processes_.FindThread(process->pid);
      Adopt(processes_.AddThread(static_cast<std::uint32_t>(child),
                                 static_cast<std::uint32_t>(child), "", parent->origin));
    }
  }
}

// CPU time of the task `origin` and its children that no ended task has reported: its own, and that
// of children still running.
std::uint64_t RecordSession::Impl::UnreportedCpuTime(pid_t origin) {
  const std::uint64_t total_ns = events_->CpuTimeOf(origin);
  std::uint64_t known_ns = reported_ns_[origin];
  processes_.ForEachThread([&](const ThreadState& thread) {
    if (thread.origin == origin) known_ns += thread.used_ns;
  });
  return total_ns > known_ns ? total_ns - known_ns : 0;
}

void RecordSession::Impl::OnThreadGone(ThreadState& thread) {
  if (static_cast<pid_t>(thread.tid) == thread.origin) {
    const std::uint64_t own_ns = UnreportedCpuTime(thread.origin);
    thread.used_ns += own_ns;
    thread.process->used_ns += own_ns;
  }
  reported_ns_[thread.origin] += thread.used_ns;
  accounting_.AddThread(thread);
  thread.used_ns = 0;  // it is in reported_ns_ now
}

// Threads that are still there when the recording ends: children first, so that the rest of an
// origin's counter is its own.
void RecordSession::Impl::AccountLivingThreads() {
  std::vector<ThreadState*> children, origins;
  processes_.ForEachThread([&](ThreadState& thread) {
    (static_cast<pid_t>(thread.tid) == thread.origin ? origins : children).push_back(&thread);
  });
  for (ThreadState* thread : children) {
    if (thread->exited_ns == 0 && thread->start_ns != model::kUnknownTime && !WholeCpus()) {
      thread->used_ns = ThreadCpuTimeNs(fs_, static_cast<pid_t>(thread->tid));
      thread->process->used_ns += thread->used_ns;
    }
    OnThreadGone(*thread);
  }
  for (ThreadState* thread : origins) OnThreadGone(*thread);
}

void RecordSession::Impl::AppendLosses() {
  const ReaderCounts& counts = reader_->counts();
  const auto add = [this](model::LossCause cause, std::uint64_t count, bool at_least,
                          std::uint32_t cpu = model::kUnknownCpu) {
    if (count != 0)
      writer_.Append(model::Loss{.cause = cause, .cpu = cpu, .count = count, .at_least = at_least});
  };
  std::uint64_t exact = 0;
  for (const CpuRings& rings : events_->rings()) {
    const std::uint64_t lost = events_->exact_losses() ? events_->LostSamples(rings.cpu) : 0;
    add(model::LossCause::kKernelRing, lost, false, static_cast<std::uint32_t>(rings.cpu));
    exact += lost;
  }
  summary_.lost = std::max(exact, counts.lost_records);
  summary_.lost_at_least = !events_->exact_losses() && summary_.lost != 0;
  add(model::LossCause::kKernelRing, summary_.lost - exact, true);
  add(model::LossCause::kThrottled, counts.throttled, false);
  add(model::LossCause::kSideBandRing, counts.side_band_lost, true);
  add(model::LossCause::kBadRecord, counts.bad_records, false);
}

Status RecordSession::Impl::Close() {
  AppendLosses();
  AccountLivingThreads();
  std::uint64_t target_cpu_ns = 0;
  if (!WholeCpus() && options_.inherit) {
    for (const pid_t origin : origins_) target_cpu_ns += events_->CpuTimeOf(origin);
    const bool whole_life = workload_ && workload_->ended() && options_.delay_ms == 0 &&
                            options_.target.kind == model::TargetKind::kCommand;
    if (whole_life && workload_->CpuTimeNs() > target_cpu_ns) {
      accounting_.ShareRest(workload_->CpuTimeNs() - target_cpu_ns);
      target_cpu_ns = workload_->CpuTimeNs();
    }
    for (const model::CpuUsage& usage : accounting_.Usage()) writer_.Append(usage);
  }
  summary_.samples = writer_.samples();
  summary_.walked = walker_->counts().walked;
  summary_.complete = walker_->counts().complete;
  summary_.stacks_lost_to_size = events_->plan().dump_by_rate &&
                                 events_->plan().any_without_frequency &&
                                 walker_->counts().truncated * 20 > walker_->counts().walked;
  summary_.seconds = static_cast<double>(end_ns_ - begin_ns_) / 1e9;
  model::RecordingEnd end{.samples = summary_.samples,
                          .sampling_begin_ns = begin_ns_,
                          .sampling_end_ns = end_ns_,
                          .target_cpu_ns = target_cpu_ns,
                          .prof_cpu_ns = OwnCpuTimeNs(),
                          .recorded_cpus = events_->rings().size()};
  const ClockReading now = ReadClocks();
  end.end = {now.monotonic_ns, now.realtime_ns, now.boottime_ns};
  if (WholeCpus()) {
    std::vector<int> cpus;
    for (const CpuRings& rings : events_->rings()) cpus.push_back(rings.cpu);
    end.idle_ns = IdleTimeNs(fs_, cpus) - idle_before_ns_;
  }
  if (workload_ && workload_->ended())
    end.exit_status = static_cast<std::uint32_t>(workload_->ExitStatus());
  writer_.Append(end);
  return writer_.status();
}

// The events go before the wait: a target that runs on must not pay for sampling nobody reads.
int RecordSession::Impl::WaitForCommand(StopReason reason) {
  events_.reset();
  if (!workload_ || options_.target.kind != model::TargetKind::kCommand ||
      reason == StopReason::kDuration) {
    if (workload_ && !workload_->Poll())
      workload_->Signal(SIGTERM);  // the timer of a recording that ended earlier
    return 0;
  }
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);  // a second Ctrl-C leaves at once
  while (!workload_->Poll()) {
    pollfd signal{signals_.fd(), POLLIN, 0};
    ::poll(&signal, 1, -1);
    while (const auto number = signals_.Take()) {
      if (*number != SIGCHLD) workload_->Signal(*number);
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
