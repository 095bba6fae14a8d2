// Checks the targets other than a command: processes, threads, the whole system, chosen CPUs.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

#include "support/live_test.h"

namespace prof::test {
namespace {

class Target : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    if (std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid_;
        paranoid_ > 0 && !IsRoot()) {
      may_see_system_ = false;
    }
  }
  [[nodiscard]] bool may_see_system() const { return may_see_system_; }

  // Starts a workload that the test then attaches to.
  [[nodiscard]] std::unique_ptr<RunningProcess> Start(const std::string& name,
                                                      const std::vector<std::string>& args) const {
    std::vector<std::string> command = {Workload(name)};
    command.insert(command.end(), args.begin(), args.end());
    return std::make_unique<RunningProcess>(command, Options());
  }

 private:
  int paranoid_ = 2;
  bool may_see_system_ = true;
};

// The tid of the thread of `pid` that is called `name`; 0 when it does not come up within some
// seconds.
int AwaitThread(pid_t pid, const std::string& name) {
  for (int i = 0; i < 1000; ++i) {
    std::error_code gone;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
      std::string comm;
      if (std::ifstream file(task.path() / "comm"); std::getline(file, comm) && comm == name) {
        return std::stoi(task.path().filename());
      }
    }
    SleepMs(5);
  }
  return 0;
}

TEST_F(Target, AttachesToThreadsThatRunAndThoseThatStartLater) {
  const auto running = Start("split", {"60000"});
  const auto later = Start("threads8", {"1500", "1000"});
  AwaitThread(later->pid(), "threads8");
  const std::string pids = std::to_string(running->pid()) + "," + std::to_string(later->pid());
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "-p", pids, "--duration", "4"});
  const ReportRows rows = Rows("comm,sym");
  EXPECT_GE(CommShare(rows, "split"), 10);
  for (const char* name : {"worker-6", "worker-7", "worker-8"})
    EXPECT_GT(CommShare(rows, name), 1) << name;
  EXPECT_GT(FunctionShare(rows, "thread_work"), 5);
  EXPECT_GT(FunctionShare(rows, "hot_part"), 5);
}

TEST_F(Target, MissesNoThreadThatStartsDuringTheAttach) {
  constexpr std::size_t kThreads = 48;
  const auto target = Start("thread_chain", {std::to_string(kThreads), "15", "4000"});
  AwaitThread(target->pid(), "late-5");
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-F", "999", "-p", std::to_string(target->pid())});
  const ReportRows rows = Rows("comm,tid", {"--show-total-period"});
  std::set<std::string> names;
  std::size_t late_threads = 0;
  double sampled_s = 0;
  for (const ReportRow& row : rows) {
    const std::string& name = row.columns.at("Command");
    if (name.starts_with("late-")) {
      names.insert(name);
      ++late_threads;
    }
    sampled_s += row.Number("Period") * 1e-9;
  }
  EXPECT_EQ(names.size(), kThreads) << Report({"-s", "comm,tid", "-g", "none"}).out;
  EXPECT_EQ(late_threads, kThreads) << "a thread under two names";
  // Nothing was counted twice.
  EXPECT_LE(sampled_s, summary.seconds * std::thread::hardware_concurrency() * 1.1);
}

TEST_F(Target, AttachesToChildrenToo) {
  const auto target = Start("forks", {"3", "800"});
  SleepMs(200);
  MustRecord({"-e", "cpu-clock", "-F", "499", "-g", "-p", std::to_string(target->pid())});
  EXPECT_NEAR(FunctionShare(ChildrenRows("sym"), "forked_child_work"), 75, 12);
}

TEST_F(Target, NamesAProcessThatHasEndedAlready) {
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  siginfo_t info = {};
  ::waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT);  // it stays a zombie
  const RunResult result = Record({"-e", "cpu-clock", "-p", std::to_string(ended)});
  ::waitpid(ended, nullptr, 0);
  EXPECT_EQ(result.status, 125) << result.err;
  EXPECT_NE(result.err.find("prof record: "), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Data()));
}

TEST_F(Target, EndsWithTheProcessItIsAttachedTo) {
  const auto target = Start("split", {"1500"});
  SleepMs(100);
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "-p", std::to_string(target->pid())});
  EXPECT_GE(summary.samples, 300U);
  EXPECT_GE(summary.complete_percent.value_or(0), 98);
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 6);
}

TEST_F(Target, AttachesToAProcessWhoseFirstThreadEnded) {
  const auto target = Start("second_thread", {"exit", "3000"});
  SleepMs(200);
  const std::string pid = std::to_string(target->pid());
  const RecordSummary summary =
      MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "-p", pid + "," + pid});
  EXPECT_GE(summary.samples, 300U);
  EXPECT_LE(summary.samples, 3300U);  // each once, although the process is named twice
  EXPECT_GE(FunctionShare(Rows("sym"), "second_part"), 90);
}

TEST_F(Target, FollowsAnExecInASecondThread) {
  for (const char* events : {"--cpu-wide", "--no-cpu-wide"}) {
    const RecordSummary summary = MustRecord(
        {events, "-e", "cpu-clock", "-F", "999", "-g", Workload("second_thread"), "exec", "2500"});
    EXPECT_GE(summary.samples, 1800U) << events;
    EXPECT_GE(FunctionShare(Rows("sym"), "second_part"), 90) << events;
  }
}

TEST_F(Target, EndsWithoutChildrenThatItDoesNotFollow) {
  const auto target = std::make_unique<RunningProcess>(
      std::vector<std::string>{"sh", "-c", "sleep 0.3; " + Workload("split") + " 300; sleep 0.1"},
      Options());
  const RunResult result =
      Record({"-e", "cpu-clock", "-i", "-p", std::to_string(target->pid()), "--duration", "30"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.seconds, 20);
}

TEST_F(Target, TakesACommandAsTimer) {
  const auto target = Start("split", {"60000"});
  SleepMs(100);
  const RunResult result = Record(
      {"-e", "cpu-clock", "-F", "999", "-p", std::to_string(target->pid()), "--", "sleep", "0.5"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.seconds, 20);
  EXPECT_EQ(::kill(target->pid(), 0), 0);
  EXPECT_GE(CommShare(Rows("comm"), "split"), 99);
}

TEST_F(Target, SamplesOneThreadOnly) {
  const auto target = Start("threads8", {"20000"});
  const int tid = AwaitThread(target->pid(), "worker-8");
  ASSERT_GT(tid, 0);
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", "-t", std::to_string(tid), "--duration", "1"});
  const ReportRows rows = Rows("comm");
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_GE(CommShare(rows, "worker-8"), 99.9);
}

TEST_F(Target, SamplesTheWholeSystem) {
  if (!may_see_system())
    GTEST_SKIP() << "perf_event_paranoid does not let this user see the system";
  const auto target = Start("split", {"60000"});
  SleepMs(100);
  const RunResult result = Record({"-e", "cpu-clock", "-F", "499", "-g", "-a", "--", "sleep", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  // What else runs on the machine is not known.
  const ReportRows rows = Rows("comm,sym");
  EXPECT_GT(CommShare(rows, "split"), 2);
  EXPECT_GT(FunctionShare(rows, "hot_part"), CommShare(rows, "split") / 2);
}

TEST_F(Target, SamplesChosenCpusOnly) {
  if (!may_see_system())
    GTEST_SKIP() << "perf_event_paranoid does not let this user see the system";
  RunningProcess pinned({"taskset", "-c", "0", Workload("split"), "60000"}, Options());
  SleepMs(200);
  if (::kill(pinned.pid(), 0) != 0) GTEST_SKIP() << "nothing may run on CPU 0";
  const RunResult result = Record({"-e", "cpu-clock", "-F", "499", "-C", "0", "--", "sleep", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const ReportRow& row : Rows("cpu")) EXPECT_EQ(row.Number("CPU"), 0);
  EXPECT_GT(CommShare(Rows("comm"), "split"), 4);
}

TEST_F(Target, RefusesTheSystemToAUserWithAHint) {
  if (!IsRoot()) GTEST_SKIP() << "needs root to know what a user would get";
  BecomeUser();
  int paranoid = 0;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
  if (paranoid < 1)
    GTEST_SKIP() << "perf_event_paranoid is " << paranoid << ": users may see the system";
  const RunResult result = Record({"-e", "cpu-clock", "-a", "--", "sleep", "0.1"});
  EXPECT_EQ(result.status, 125) << result.err;
  EXPECT_NE(result.err.find("hint:"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Data()));
}

TEST_F(Target, NamesAProcessThatDoesNotExist) {
  for (const char* option : {"-p", "-t"}) {
    const RunResult result = Record({"-e", "cpu-clock", option, "4194303"});
    EXPECT_EQ(result.status, 125) << result.err;
    EXPECT_NE(result.err.find("4194303"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(Data()));
  }
}

}  // namespace
}  // namespace prof::test
