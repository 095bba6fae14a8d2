// Counts with the real kernel and compares with what is known of the workloads, with getrusage(2)
// and with perf.
#include "prof/collect/count_session.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "support/deny_perf.h"
#include "support/live_test.h"
#include "support/vector_sink.h"

#include "prof/perf/event_open.h"

namespace prof::collect {
namespace {

using model::CounterReading;

std::vector<perf::EventSpec> Events(const std::string& text) {
  auto events = perf::ParseEvents(text, HostFs(), 0);
  EXPECT_TRUE(events) << events.error().message;
  return events ? *events : std::vector<perf::EventSpec>{};
}

// The last reading of each event of `run`, by event; those of several CPUs or threads added up.
std::vector<std::uint64_t> Totals(const test::VectorSink& sink, std::uint32_t run) {
  std::vector<std::uint64_t> totals(sink.All<model::EventDef>().size());
  std::uint64_t last_ns = 0;
  for (const CounterReading& reading : sink.All<CounterReading>()) {
    if (reading.run == run) last_ns = std::max(last_ns, reading.time_ns);
  }
  for (const CounterReading& reading : sink.All<CounterReading>()) {
    if (reading.run == run && reading.time_ns == last_ns) totals[reading.event] += reading.value;
  }
  return totals;
}

class Counting : public test::LiveTest {
 protected:
  static CountOptions Plan(const std::string& events) {
    CountOptions options;
    if (!events.empty()) options.events = Events(events);
    options.sides.push_back({.id = 0, .command = {}, .text = "workload"});
    return options;
  }
  // One session with one run, all of whose records are in `sink_`.
  Result<RunOutcome> Count(CountOptions options, const RunRequest& request) {
    auto session = CountSession::Open(std::move(options), HostFs(), sink_);
    if (!session) return std::unexpected(session.error());
    auto outcome = (*session)->Run(request);
    EXPECT_TRUE((*session)->Close());
    return outcome;
  }
  // The totals of a command that must run through.
  std::vector<std::uint64_t> MustCount(CountOptions options, std::vector<std::string> command) {
    outcome_ = Count(std::move(options), {.command = std::move(command)});
    EXPECT_TRUE(outcome_) << outcome_.error().message;
    EXPECT_TRUE(outcome_ && outcome_->appended);
    return Totals(sink_, 0);
  }
  [[nodiscard]] std::vector<std::string> Steps(const std::vector<std::string>& numbers) const {
    std::vector<std::string> command = {Workload("countable")};
    command.insert(command.end(), numbers.begin(), numbers.end());
    return command;
  }
  [[nodiscard]] const model::RunDef& run() const { return outcome_->run; }

  test::VectorSink sink_;
  Result<RunOutcome> outcome_;
};

TEST_F(Counting, CountsExactlyWhatACommandDoes) {
  const auto few = MustCount(Plan("page-faults"), Steps({"0", "100"}));
  sink_.records.clear();
  const auto many = MustCount(Plan("page-faults"), Steps({"0", "2100"}));
  EXPECT_NEAR(static_cast<double>(many[0] - few[0]), 2000, 4);
}

TEST_F(Counting, CountsTracepointsExactly) {
  if (!test::IsRoot()) GTEST_SKIP() << "tracepoints need root";
  const auto totals = MustCount(Plan("syscalls:sys_enter_getppid"), Steps({"12345"}));
  EXPECT_EQ(totals[0], 12'345u);
}

TEST_F(Counting, CountsContextSwitchesOfASleeper) {
  if (!test::IsRoot()) GTEST_SKIP() << "context switches happen in the kernel";
  const auto totals = MustCount(Plan("context-switches"), Steps({"0", "0", "50"}));
  EXPECT_GE(totals[0], 50u);
  // Its own sleeps, and the fork's wait before the exec; the rest is preemption.
  EXPECT_GE(run().noise.voluntary_switches, 50u);
  EXPECT_LE(totals[0], run().noise.voluntary_switches + run().noise.involuntary_switches);
}

TEST_F(Counting, TaskClockIsTheTimeThatTheKernelAccounts) {
  const auto totals = MustCount(Plan("task-clock"), Steps({"0", "0", "0", "400"}));
  const auto used = static_cast<double>(run().user_ns + run().system_ns);
  EXPECT_NEAR(static_cast<double>(totals[0]), used, 0.01 * used);
  EXPECT_GE(run().wall_ns, totals[0]);
}

TEST_F(Counting, AgreesWithPerf) {
  if (::access("/usr/bin/perf", X_OK) != 0) GTEST_SKIP() << "no perf here";
  const auto totals = MustCount(Plan("page-faults"), Steps({"0", "500"}));
  const test::RunResult perf =
      Shell("perf stat -x, -e page-faults \"$WORKLOADS/countable\" 0 500 2>&1");
  EXPECT_NEAR(std::stod(perf.out), static_cast<double>(totals[0]), 3) << perf.out;
}

TEST_F(Counting, InheritsOverAStormOfForks) {
  const auto with = MustCount(Plan("task-clock,page-faults"), {Workload("storm"), "100", "300"});
  const auto used = static_cast<double>(run().user_ns + run().system_ns);
  EXPECT_GT(static_cast<double>(with[0]), 0.6 * used);  // the ends of processes are not counted
  EXPECT_GT(with[0], 30'000'000u);
  sink_.records.clear();
  CountOptions alone = Plan("task-clock,page-faults");
  alone.inherit = false;
  const auto without = MustCount(std::move(alone), {Workload("storm"), "100", "300"});
  EXPECT_LT(without[0], with[0] / 3);
  EXPECT_LT(without[1], with[1] / 3);
}

TEST_F(Counting, GroupsAreCountedTogether) {
  const auto totals =
      MustCount(Plan("{task-clock,page-faults,minor-faults},page-faults"), Steps({"0", "300"}));
  EXPECT_EQ(totals[1], totals[3]);
  EXPECT_EQ(totals[2], totals[3]);
  const auto events = sink_.All<model::EventDef>();
  EXPECT_EQ(events[0].event.group_leader, -1);
  EXPECT_EQ(events[2].event.group_leader, 0);
  EXPECT_EQ(events[3].event.group_leader, -1);
}

TEST_F(Counting, IntervalsAddUpToTheTotal) {
  CountOptions options = Plan("page-faults,task-clock");
  options.interval_ms = 50;
  MustCount(std::move(options), Steps({"0", "200", "0", "230"}));
  const auto readings = sink_.All<CounterReading>();
  ASSERT_GE(readings.size(), 2u * 5);
  for (std::size_t i = 2; i < readings.size(); ++i) {
    EXPECT_GE(readings[i].value, readings[i - 2].value);
    EXPECT_GT(readings[i].time_ns, readings[i - 2].time_ns);
  }
  const std::uint64_t start_ns = run().start_ns;
  for (std::size_t i = 0; i + 2 < readings.size(); i += 2) {
    const auto after_ms = static_cast<double>(readings[i].time_ns - start_ns) / 1e6;
    EXPECT_NEAR(after_ms, 50.0 * static_cast<double>(i / 2 + 1), 20);
  }
}

TEST_F(Counting, EndsAfterSoManyIntervals) {
  CountOptions options = Plan("task-clock");
  options.interval_ms = 30;
  options.interval_count = 3;
  MustCount(std::move(options), {"sleep", "20"});
  EXPECT_EQ(outcome_->reason, StopReason::kDuration);
  EXPECT_EQ(sink_.All<CounterReading>().size(), 4u);  // and the total
  EXPECT_LT(run().wall_ns, 2'000'000'000u);
}

TEST_F(Counting, DelayLeavesTheBeginningOut) {
  CountOptions options = Plan("page-faults,task-clock");
  options.delay_ms = 200;
  const auto totals = MustCount(std::move(options), Steps({"0", "1000", "400"}));
  EXPECT_LT(totals[0], 100u);  // they came at once, before the sleeps
  EXPECT_GT(totals[1], 0u);
  EXPECT_GT(run().wall_ns, 400'000'000u);
}

TEST_F(Counting, TimeoutTerminatesTheCommand) {
  CountOptions options = Plan("task-clock");
  options.timeout_s = 0.1;
  MustCount(std::move(options), {"sleep", "20"});
  EXPECT_EQ(outcome_->reason, StopReason::kDuration);
  EXPECT_EQ(run().exit_status, 143u);
  EXPECT_NEAR(static_cast<double>(run().wall_ns), 1e8, 5e7);
}

TEST_F(Counting, StatusIsThatOfAShell) {
  MustCount(Plan(""), {"sh", "-c", "exit 3"});
  EXPECT_EQ(run().exit_status, 3u);
  sink_.records.clear();
  MustCount(Plan(""), {"sh", "-c", "kill -9 $$"});
  EXPECT_EQ(run().exit_status, 137u);
  EXPECT_TRUE(sink_.All<CounterReading>().empty());
}

TEST_F(Counting, ACommandThatIsNotThereIsAnError) {
  const auto outcome = Count(Plan("task-clock"), {.command = {"/no/such/command"}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kNotFound);
  EXPECT_TRUE(sink_.All<model::RunDef>().empty());
}

TEST_F(Counting, RunsAreNumberedAndWarmUpsAreNot) {
  auto session = CountSession::Open(Plan("page-faults"), HostFs(), sink_);
  ASSERT_TRUE(session);
  for (const bool warm_up : {true, false, false})
    ASSERT_TRUE((*session)->Run({.command = {"true"}, .discard = warm_up}));
  EXPECT_EQ((*session)->RunAside("exit 4").value(), 4);
  ASSERT_TRUE((*session)->Close());
  const auto runs = sink_.All<model::RunDef>();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].run, 0u);
  EXPECT_EQ(runs[1].run, 1u);
  EXPECT_EQ(sink_.All<CounterReading>().size(), 2u);
  EXPECT_EQ(sink_.All<model::RecordingInfo>().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<model::RecordingEnd>(sink_.records.back()));
}

TEST_F(Counting, ASignalToProfEndsTheCommandAndVoidsTheRun) {
  const pid_t self = ::getpid();
  std::thread killer;
  auto session = CountSession::Open(Plan("task-clock"), HostFs(), sink_);
  ASSERT_TRUE(session);
  killer = std::thread([self] {
    test::SleepMs(100);
    ::kill(self, SIGTERM);
  });
  const auto outcome = (*session)->Run({.command = {"sleep", "20"}});
  killer.join();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->reason, StopReason::kTerminated);
  EXPECT_EQ(outcome->run.exit_status, 143u);
  EXPECT_FALSE(outcome->appended);
  EXPECT_TRUE(sink_.All<model::RunDef>().empty());
  EXPECT_FALSE((*session)->Interrupted());
}

TEST_F(Counting, ASignalBetweenRunsIsSeenByTheNextOne) {
  auto session = CountSession::Open(Plan(""), HostFs(), sink_);
  ASSERT_TRUE(session);
  ::kill(::getpid(), SIGINT);
  EXPECT_EQ((*session)->Interrupted(), StopReason::kInterrupted);
  const auto outcome = (*session)->Run({.command = {"touch", File("mark")}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->reason, StopReason::kInterrupted);
  EXPECT_FALSE(outcome->appended);
  EXPECT_NE(::access(File("mark").c_str(), F_OK), 0);
}

TEST_F(Counting, MaxRssIsThatOfTheCommandOrNotKnown) {
  MustCount(Plan(""), Steps({"0", "20000"}));
  EXPECT_NEAR(static_cast<double>(run().max_rss_bytes), 20'000.0 * 4096, 8e6);
  sink_.records.clear();
  MustCount(Plan(""), {"true"});  // smaller than the copy of this program that becomes it
  EXPECT_EQ(run().max_rss_bytes, model::kNotKnown);
}

class CountingTarget : public Counting {
 protected:
  [[nodiscard]] std::unique_ptr<test::RunningProcess> Start(const std::string& name,
                                                            const std::string& milliseconds) const {
    const std::vector<std::string> command = {Workload(name), milliseconds};
    auto running = std::make_unique<test::RunningProcess>(command, LiveTest::Options());
    test::SleepMs(100);
    return running;
  }
};

TEST_F(CountingTarget, AProcessIsCountedWithAllItsThreads) {
  const auto running = Start("threads8", "60000");
  CountOptions options = Plan("task-clock");
  options.target.kind = model::TargetKind::kProcesses;
  options.target.pids = {running->pid()};
  options.split = CountSplit::kThread;
  const auto totals = MustCount(std::move(options), {"sleep", "0.4"});
  EXPECT_EQ(sink_.All<model::ThreadDef>().size(), 9u);
  EXPECT_EQ(sink_.All<model::ProcessDef>().size(), 1u);
  EXPECT_EQ(sink_.All<model::ThreadDef>()[1].name.substr(0, 7), "worker-");
  EXPECT_EQ(sink_.All<CounterReading>().size(), 9u);
  EXPECT_GT(totals[0], 50'000'000u);  // the machine may be busy
  EXPECT_NEAR(static_cast<double>(run().user_ns + run().system_ns), static_cast<double>(totals[0]),
              9 * 1e7);  // ticks of nine threads
  EXPECT_EQ(outcome_->reason, StopReason::kTargetExited);
}

TEST_F(CountingTarget, ASingleThreadIsCountedAlone) {
  const auto running = Start("split", "60000");
  CountOptions options = Plan("task-clock");
  options.target.kind = model::TargetKind::kThreads;
  options.target.tids = {running->pid(), running->pid()};  // named twice: once
  options.timeout_s = 0.3;
  const auto totals = MustCount(std::move(options), {});
  EXPECT_EQ(outcome_->reason, StopReason::kDuration);
  EXPECT_GT(totals[0], 30'000'000u);
  EXPECT_LE(totals[0], run().wall_ns + 1'000'000);
}

TEST_F(CountingTarget, TheEndOfTheTargetEndsTheRun) {
  const auto running = Start("sleeper", "500");
  CountOptions options = Plan("task-clock");
  options.target.kind = model::TargetKind::kProcesses;
  options.target.pids = {running->pid()};
  MustCount(std::move(options), {});
  EXPECT_EQ(outcome_->reason, StopReason::kTargetExited);
  EXPECT_LT(run().wall_ns, 600'000'000u);
}

TEST_F(CountingTarget, ATargetThatIsNotThereIsAnError) {
  CountOptions options = Plan("task-clock");
  options.target.kind = model::TargetKind::kProcesses;
  options.target.pids = {0x7ffffff0};
  const auto outcome = Count(std::move(options), {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::kNotFound);
}

TEST_F(CountingTarget, EveryCpuIsCountedForTheWholeTime) {
  if (!test::IsRoot()) GTEST_SKIP() << "whole CPUs need root";
  CountOptions options = Plan("cpu-clock");
  options.target.kind = model::TargetKind::kSystem;
  options.split = CountSplit::kCpu;
  MustCount(std::move(options), {"sleep", "0.2"});
  const auto cpus = perf::OnlineCpus(HostFs());
  const auto readings = sink_.All<CounterReading>();
  ASSERT_EQ(readings.size(), cpus->size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    EXPECT_EQ(readings[i].cpu, static_cast<std::uint32_t>((*cpus)[i]));
    EXPECT_NEAR(static_cast<double>(readings[i].value), static_cast<double>(run().wall_ns), 2e7);
  }
}

TEST_F(Counting, TakesNumbersFromTheOutputAndPassesItOn) {
  auto pattern = TextPattern::Compile("took ([0-9.]+)", "--metric");
  ASSERT_TRUE(pattern);
  CountOptions options = Plan("");
  options.metrics.push_back({.definition = {.name = "took"}, .pattern = *pattern});
  ::testing::internal::CaptureStdout();
  MustCount(options, {"sh", "-c", "echo took 1; echo took 2.5 >&2; (sleep 5; echo late) &"});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "took 1\n");
  EXPECT_EQ(run().metrics.size(), 1u);
  EXPECT_LT(run().wall_ns, 2'000'000'000u);
  const auto outcome = Count(options, {.command = {"echo", "nothing"}});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->unmatched_metric, 0u);
  EXPECT_FALSE(outcome->appended);
}

// Runs `body` in a child process; its failures are told by the exit status and standard error.
int InChild(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool Say(bool good, const char* what) {
  if (!good) std::fprintf(stderr, "in the child: not true: %s\n", what);
  return good;
}
#define SAY(condition) Say(condition, #condition)

TEST_F(Counting, WithoutPerfEventOpenTimesAndWitnessesRemain) {
  EXPECT_EQ(InChild([&] {
              if (!SAY(test::DenyPerfEventOpen())) return false;
              const auto outcome = Count(Plan("task-clock,page-faults"), {.command = {"true"}});
              const auto events = sink_.All<model::EventDef>();
              return SAY(outcome.has_value()) && SAY(outcome->appended) &&
                     SAY(outcome->run.wall_ns > 0) &&
                     SAY(outcome->run.noise.minor_faults != model::kNotKnown) &&
                     SAY(outcome->run.noise.migrations == model::kNotKnown) &&
                     SAY(events.size() == 2) && SAY(!events[0].event.refused.empty()) &&
                     SAY(events[0].event.refused.find("'task-clock'") == std::string::npos) &&
                     SAY(sink_.All<CounterReading>().empty());
            }),
            0);
}

TEST_F(Counting, AnOrdinaryUserCountsUserCodeAndIsToldSo) {
  if (!test::IsRoot()) GTEST_SKIP() << "not run by root";
  const auto limits = perf::ReadKernelLimits(HostFs());
  if (limits.paranoid < 2) GTEST_SKIP() << "users may count the kernel here";
  BecomeUser();
  EXPECT_EQ(
      InChild([&] {
        // A process that has changed its user is protected from it, and so are its children.
        if (!SAY(::setgid(65534) == 0 && ::setuid(65534) == 0 && ::prctl(PR_SET_DUMPABLE, 1) == 0))
          return false;
        const auto outcome = Count(Plan("page-faults,task-clock,context-switches"),
                                   {.command = Steps({"0", "500"})});
        const auto events = sink_.All<model::EventDef>();
        if (!SAY(outcome.has_value()) || !SAY(events.size() == 3)) return false;
        const auto totals = Totals(sink_, 0);
        return SAY(events[0].event.name == "page-faults:u") &&
               SAY(!events[0].event.restriction.empty()) && SAY(totals[0] >= 500) &&
               SAY(events[1].event.name == "task-clock") && SAY(events[1].event.refused.empty()) &&
               SAY(totals[1] > 0) && SAY(!events[2].event.refused.empty());
      }),
      0);
}

}  // namespace
}  // namespace prof::collect
