// Forks, opens, lets go, waits, reads.
#include "collect/counting/count_run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "collect/cpu_time.h"
#include "collect/proc_snapshot.h"
#include "collect/target_tasks.h"

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

constexpr int kAttachRounds = 8;  // threads may start while their process is attached to
constexpr std::uint64_t kLookNs = 100'000'000;  // at targets that do not announce their end
constexpr std::uint64_t kLateSignalNs = 50'000'000;
constexpr std::uint64_t kLastOutputNs = 100'000'000;  // for children that outlive the command

bool SameSpots(std::span<const CounterSpot> a, std::span<const CounterSpot> b) {
  return std::ranges::equal(a, b, [](const CounterSpot& x, const CounterSpot& y) {
    return x.tid == y.tid && x.cpu == y.cpu;
  });
}

}  // namespace

std::optional<StopReason> ReasonOf(const StopSignals::Taken& signal) {
  if (signal.number == SIGCHLD) return std::nullopt;
  return signal.number == SIGINT ? StopReason::kInterrupted : StopReason::kTerminated;
}

RaisedFileLimit::RaisedFileLimit() {
  ::getrlimit(RLIMIT_NOFILE, &old_);
  perf::RaiseFileLimit();
}

RaisedFileLimit::~RaisedFileLimit() { ::setrlimit(RLIMIT_NOFILE, &old_); }

CountRun::CountRun(const CountContext& context, const std::vector<std::string>& command)
    : context_(context),
      command_(command),
      numbers_(context.options.metrics),
      target_(context.options.target) {}

CountRun::~CountRun() {
  if (workload_ && !started_) workload_->Cancel();
}

Status CountRun::Prepare() {
  if (!command_.empty()) PROF_TRY(Fork(command_));
  file_limit_.emplace();  // after the fork
  return OpenCounters();
}

Status CountRun::Fork(const std::vector<std::string>& command) {
  CommandOutput output;
  if (!context_.options.metrics.empty()) {
    PROF_TRY_ASSIGN(capture_, OutputCapture::Open(output, numbers_));
    output = capture_->command_ends();
  }
  PROF_TRY_ASSIGN(Workload workload, Workload::Fork(command, context_.signals.old_mask(), output));
  workload_ = std::move(workload);
  if (capture_) capture_->CloseCommandEnds();
  return {};
}

Result<std::vector<CounterSpot>> CountRun::FindSpots() const {
  const CountOptions& options = context_.options;
  std::vector<CounterSpot> spots;
  if (IsCommand()) {
    spots.push_back({.tid = workload_->pid()});
    return spots;
  }
  std::vector<pid_t> threads;
  if (!WholeCpus()) {
    PROF_TRY_ASSIGN(threads, ThreadsOf(options.target, options.inherit, context_.fs));
    std::ranges::sort(threads);
    threads.erase(std::ranges::unique(threads).begin(), threads.end());  // named twice: once
  } else if (options.split == CountSplit::kThread) {
    for (const pid_t pid : ListProcesses(context_.fs)) {
      const auto of_process = ListThreads(context_.fs, pid);
      if (of_process) threads.insert(threads.end(), of_process->begin(), of_process->end());
    }
  } else {
    PROF_TRY_ASSIGN(std::vector<int> cpus, perf::OnlineCpus(context_.fs));
    PROF_TRY(NarrowCpus(options.target.cpus, cpus));
    for (const int cpu : cpus) spots.push_back({.cpu = cpu});
  }
  for (const pid_t tid : threads) spots.push_back({.tid = tid});
  return spots;
}

// A thread that starts while we attach inherits the counters of its creator if that was attached
// to already, and is not counted at all if it was not; nobody says which. So all is done again
// until no thread has come meanwhile.
Status CountRun::OpenCounters() {
  const bool attaches = !IsCommand() && !WholeCpus();
  const pid_t command = IsCommand() ? workload_->pid() : 0;
  for (int round = 0; round < kAttachRounds; ++round) {
    PROF_TRY_ASSIGN(spots_, FindSpots());
    counters_ = CounterSet();
    failures_ = counters_.Open(context_.plan, spots_, command, context_.limits);
    if (!attaches) return {};
    PROF_TRY_ASSIGN(const std::vector<CounterSpot> after, FindSpots());
    threads_missed_ = !SameSpots(spots_, after);
    if (!threads_missed_) return {};
  }
  return {};
}

Status CountRun::Start() {
  context_.records.DefineThreads(spots_);
  if (IsCommand()) {
    wait_before_ns_ = RunQueueWaitNs(context_.fs, workload_->pid());
  } else if (!WholeCpus()) {
    std::vector<pid_t> threads;
    for (const CounterSpot& spot : spots_) threads.push_back(spot.tid);
    usage_before_ = ReadThreadUsage(context_.fs, threads);
  }
  machine_before_ = ReadMachineState(context_.fs);
  start_ns_ = MonotonicNs();
  if (context_.options.delay_ms == 0) counters_.EnableUnlessByExec(context_.plan);
  started_ = true;
  if (workload_) PROF_TRY(workload_->Release());
  schedule_.emplace(context_.options, start_ns_);
  return {};
}

StopReason CountRun::Watch(std::optional<std::uint32_t> append_as) {
  for (;;) {
    const std::uint64_t now_ns = MonotonicNs();
    end_ns_ = now_ns;
    if (HasEnded()) break;
    TakeSteps(now_ns, append_as);
    TakeSignals();
    if (stop_ && !IsCommand()) break;
    if (!context_.records.status() && !IsCommand()) break;
    WaitForNews(schedule_->NextNs());
    if (capture_) capture_->Move();
  }
  TakeLateSignals();
  if (!IsCommand()) counters_.Disable(context_.plan);
  if (workload_ && !workload_->IsZombie()) workload_->Signal(SIGTERM);  // a timer, too late now
  if (!values_are_last_) {
    values_ = counters_.Read();
    read_ns_ = end_ns_;
  }
  return stop_.value_or(StopReason::kTargetExited);
}

bool CountRun::HasEnded() { return (workload_ && workload_->IsZombie()) || target_.Ended(); }

void CountRun::TakeSteps(std::uint64_t now_ns, std::optional<std::uint32_t> append_as) {
  const RunSchedule::Due due = schedule_->Take(now_ns);
  if (due.enable) counters_.Enable(context_.plan);
  if (due.read && append_as) {
    values_ = counters_.Read();
    read_ns_ = now_ns;
    context_.records.Readings(*append_as, values_, context_.plan.wanted, now_ns);
    context_.records.Flush();
    appended_ = true;
  }
  if (!due.stop) return;
  // The last of so many intervals is the end: what it has shown is the total.
  values_are_last_ = due.read && append_as;
  if (!stop_) stop_ = StopReason::kDuration;
  if (IsCommand()) workload_->Signal(SIGTERM);
}

// The command gets a terminal's signals by itself, being in the same process group.
void CountRun::TakeSignals() {
  while (const auto signal = context_.signals.Take()) {
    const auto reason = ReasonOf(*signal);
    if (!reason) continue;
    if (!stop_ || *stop_ == StopReason::kDuration) stop_ = reason;
    if (IsCommand() && signal->from_process) workload_->Signal(signal->number);
  }
}

// A Ctrl-C goes to the command and to prof one after the other: the command may have died of it
// before prof's own has come.
void CountRun::TakeLateSignals() {
  TakeSignals();
  if (stop_ || !workload_) return;
  const int killer = workload_->KilledBy();
  if (killer != SIGINT && killer != SIGTERM && killer != SIGHUP) return;
  const std::uint64_t until_ns = MonotonicNs() + kLateSignalNs;
  while (!stop_ && MonotonicNs() < until_ns) {
    pollfd news{context_.signals.fd(), POLLIN, 0};
    ::poll(&news, 1, kLateSignalNs / 1'000'000);
    TakeSignals();
  }
}

void CountRun::WaitForNews(std::optional<std::uint64_t> deadline_ns) {
  std::vector<pollfd> news = {{context_.signals.fd(), POLLIN, 0}};
  target_.AddTo(news);
  if (capture_) capture_->AddTo(news);
  const std::uint64_t now_ns = MonotonicNs();
  if (target_.NeedsLooks()) deadline_ns = std::min(deadline_ns.value_or(~0ULL), now_ns + kLookNs);
  if (!deadline_ns) {
    ::poll(news.data(), news.size(), -1);
    return;
  }
  const std::uint64_t left_ns = *deadline_ns > now_ns ? *deadline_ns - now_ns : 0;
  const timespec left{.tv_sec = static_cast<time_t>(left_ns / 1'000'000'000U),
                      .tv_nsec = static_cast<long>(left_ns % 1'000'000'000U)};
  ::ppoll(news.data(), news.size(), &left, nullptr);
}

// What the command wrote last is in the pipes. Children that live on are not waited for, but a slow
// reader of prof's own output is, until a signal ends that.
void CountRun::ReadAlong() {
  const std::uint64_t until_ns = MonotonicNs() + kLastOutputNs;
  capture_->CommandEnded();
  for (capture_->Move(); !capture_->AtEnd(); capture_->Move()) {
    const bool late = MonotonicNs() >= until_ns;
    if (late) {
      capture_->LeaveChildren();
      capture_->Move();
      if (capture_->AtEnd()) break;
    }
    const auto stop_before = stop_;
    WaitForNews(late ? std::nullopt : std::optional(until_ns));
    TakeSignals();
    if (stop_ != stop_before) break;
  }
  capture_->Finish();
}

void CountRun::FinishCommand(model::RunDef& run) {
  run.noise.wait_ns =
      KnownDifference(wait_before_ns_, RunQueueWaitNs(context_.fs, workload_->pid()));
  workload_->Wait();
  const rusage& usage = workload_->usage();
  run.user_ns = NanosecondsOf(usage.ru_utime);
  run.system_ns = NanosecondsOf(usage.ru_stime);
  run.max_rss_bytes = workload_->PeakRssBytes().value_or(model::kNotKnown);
  run.noise.voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
  run.noise.involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
  run.noise.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  run.noise.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  run.noise.block_reads = static_cast<std::uint64_t>(usage.ru_inblock);
  run.noise.block_writes = static_cast<std::uint64_t>(usage.ru_oublock);
}

void CountRun::FinishTarget(model::RunDef& run) {
  std::vector<pid_t> threads;
  for (const auto& [tid, usage] : usage_before_) threads.push_back(tid);
  AddThreadUsage(usage_before_, ReadThreadUsage(context_.fs, threads), run);
}

void CountRun::Finish(model::RunDef& run) {
  const MachineState machine = ReadMachineState(context_.fs);
  run.start_ns = start_ns_;
  run.wall_ns = end_ns_ - start_ns_;
  if (IsCommand()) {
    FinishCommand(run);
  } else if (!WholeCpus()) {
    FinishTarget(run);
  }
  if (workload_ && workload_->Poll())
    run.exit_status = static_cast<std::uint32_t>(workload_->ExitStatus());
  const bool cpu_known = run.user_ns != model::kNotKnown && run.system_ns != model::kNotKnown;
  AddMachineNoise(machine_before_, machine,
                  cpu_known ? run.user_ns + run.system_ns : model::kNotKnown, run.noise);
  run.noise.frequency_khz = MeanFrequencyKhz(context_.fs);
  if (context_.plan.migrations) {
    for (const CounterValue& value : values_) {
      if (value.index != *context_.plan.migrations) continue;
      std::uint64_t& sum = run.noise.migrations;
      sum = (sum == model::kNotKnown ? 0 : sum) + value.value;
    }
  }
  if (capture_) ReadAlong();
  run.metrics = numbers_.Values();
}

}  // namespace prof::collect
