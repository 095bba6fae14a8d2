// Limits come from /proc, and every way to fail has a message and a hint.
#include "prof/perf/event_open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace prof::perf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A folder that stands for the root of a host.
class FakeRoot {
 public:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = dir_.path() / path.substr(1);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void WriteStatus(const std::string& capabilities) {
    Write("/proc/self/status",
          "Name:\tprof\nCapPrm:\tffffffffffffffff\nCapEff:\t" + capabilities + "\nCapBnd:\t0\n");
  }
  [[nodiscard]] HostFs fs() const { return HostFs(dir_.path().string()); }

 private:
  test::TempDir dir_;
};

TEST(KernelLimitsTest, AreReadFromProc) {
  const KernelLimits limits = ReadKernelLimits(HostFs(PROF_TEST_DATA "/perf"));
  EXPECT_EQ(limits.paranoid, 1);
  EXPECT_EQ(limits.mlock_kb, 516u);
  EXPECT_EQ(limits.max_sample_rate, 50'000u);
  EXPECT_EQ(limits.max_stack, 512u);
  EXPECT_EQ(limits.max_contexts, 4u);
  EXPECT_FALSE(limits.privileged);
  EXPECT_TRUE(limits.MaySampleKernel());
  EXPECT_FALSE(limits.MayUseCpuWide());
}

TEST(KernelLimitsTest, HaveTheKernelsDefaultsWithoutProc) {
  const KernelLimits limits = ReadKernelLimits(FakeRoot().fs());
  EXPECT_EQ(limits.paranoid, 2);
  EXPECT_FALSE(limits.privileged);
  EXPECT_FALSE(limits.unlimited_mlock);
}

TEST(KernelLimitsTest, PerfmonOrSysAdminIsPrivileged) {
  FakeRoot root;
  root.WriteStatus("0000004000000000");  // CAP_PERFMON
  EXPECT_TRUE(ReadKernelLimits(root.fs()).privileged);
  EXPECT_FALSE(ReadKernelLimits(root.fs()).unlimited_mlock);
  root.WriteStatus("0000000000200000");  // CAP_SYS_ADMIN
  EXPECT_TRUE(ReadKernelLimits(root.fs()).privileged);
  root.WriteStatus("0000000000004000");  // CAP_IPC_LOCK
  EXPECT_FALSE(ReadKernelLimits(root.fs()).privileged);
  EXPECT_TRUE(ReadKernelLimits(root.fs()).unlimited_mlock);
}

TEST(KernelLimitsTest, RootOfAUserNamespaceIsNotPrivileged) {
  FakeRoot root;
  root.WriteStatus("000001ffffffffff");
  root.Write("/proc/self/uid_map", "         0          0 4294967295\n");
  EXPECT_TRUE(ReadKernelLimits(root.fs()).privileged);
  root.Write("/proc/self/uid_map", "         0       1000          1\n");
  EXPECT_FALSE(ReadKernelLimits(root.fs()).privileged);
  EXPECT_FALSE(ReadKernelLimits(root.fs()).unlimited_mlock);
}

TEST(KernelLimitsTest, AnUnlimitedLimitOrParanoidMinusOneFreesLockedMemory) {
  FakeRoot root;
  root.Write("/proc/self/limits",
             "Limit   Soft Limit\nMax locked memory         8388608  8388608\n");
  EXPECT_FALSE(ReadKernelLimits(root.fs()).unlimited_mlock);
  root.Write("/proc/self/limits",
             "Limit   Soft Limit\nMax locked memory         unlimited  8388608\n");
  EXPECT_TRUE(ReadKernelLimits(root.fs()).unlimited_mlock);
  root.Write("/proc/self/limits", "");
  root.Write("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  EXPECT_TRUE(ReadKernelLimits(root.fs()).unlimited_mlock);
  EXPECT_TRUE(ReadKernelLimits(root.fs()).MaySampleTracepointFields());
}

TEST(CpuListTest, RangesAndSingleCpusAreSortedWithoutRepeats) {
  EXPECT_THAT(*ParseCpuList("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(*ParseCpuList("5,1-2,2"), ElementsAre(1, 2, 5));
  EXPECT_THAT(*ParseCpuList("0"), ElementsAre(0));
  EXPECT_THAT(*OnlineCpus(HostFs(PROF_TEST_DATA "/perf")), ElementsAre(0, 1, 4));
}

TEST(CpuListTest, AnythingElseIsAUsageError) {
  for (const std::string text : {"", "a", "1,", ",1", "3-1", "1-", "-1", "0x1", "1 2", "1-2-3",
                                 "99999999", "99999999999999999999"}) {
    const auto cpus = ParseCpuList(text);
    ASSERT_FALSE(cpus.has_value()) << text;
    EXPECT_EQ(cpus.error().kind, ErrorKind::kUsage);
  }
  EXPECT_FALSE(OnlineCpus(FakeRoot().fs()).has_value());
}

struct Explained {
  OpenFailure failure = OpenFailure::kNone;
  int error_number = 0;
  perf_event_attr attr{};
  pid_t tid = 0;
  int cpu = -1;
  KernelLimits limits{};
  EventUse use = EventUse::kSample;
  Error error() const {
    const OpenResult result{.fd = {}, .failure = failure, .error_number = error_number};
    return ExplainOpenFailure(result, "cycles", attr, tid, cpu, limits, use);
  }
};

TEST(ExplainOpenFailureTest, KernelSamplingNeedsRightsOrTheUserModifier) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES};
  EXPECT_EQ(open.error().kind, ErrorKind::kPermission);
  EXPECT_THAT(open.error().message, HasSubstr("kernel.perf_event_paranoid is 2"));
  EXPECT_THAT(open.error().hint, HasSubstr("-e cycles:u"));
  EXPECT_THAT(open.error().hint, HasSubstr("sysctl kernel.perf_event_paranoid=1"));
}

TEST(ExplainOpenFailureTest, WholeCpusNameTheLevelThatAllowsThem) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES, .tid = -1, .cpu = 0};
  EXPECT_THAT(open.error().message, HasSubstr("recording whole CPUs"));
  EXPECT_THAT(open.error().hint, HasSubstr("perf_event_paranoid=0"));
  open.use = EventUse::kCount;
  EXPECT_THAT(open.error().message, HasSubstr("counting whole CPUs"));
}

// Measured on Linux 6.18 with the id of sched:sched_switch as an ordinary user: at paranoid 2 its
// own process is refused unless the kernel is excluded, and then only with PERF_SAMPLE_RAW.
TEST(ExplainOpenFailureTest, TracepointsNeedWhatTheKernelNeedsAndTheirFieldsMore) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES};
  open.attr.type = PERF_TYPE_TRACEPOINT;
  EXPECT_THAT(open.error().message, HasSubstr("sampling the kernel is not permitted"));
  EXPECT_THAT(open.error().hint, HasSubstr("perf_event_paranoid=1"));
  EXPECT_THAT(open.error().hint, testing::Not(HasSubstr(":u")));
  open.attr.sample_type = PERF_SAMPLE_RAW;
  open.limits.paranoid = 1;
  EXPECT_THAT(open.error().message, HasSubstr("fields of tracepoints"));
  EXPECT_THAT(open.error().hint, HasSubstr("perf_event_paranoid=-1"));
  open.attr.sample_type = 0;
  EXPECT_THAT(open.error().message, HasSubstr("although perf_event_paranoid would allow it"));
}

TEST(ExplainOpenFailureTest, CountingIsNotCalledSampling) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES};
  open.use = EventUse::kCount;
  EXPECT_THAT(open.error().message,
              HasSubstr("counting the kernel is not permitted (kernel.perf_event_paranoid is 2)"));
  EXPECT_THAT(open.error().hint, HasSubstr("prof stat -e cycles:u;"));
  open.limits.paranoid = 4;
  EXPECT_THAT(open.error().message, HasSubstr("counting is not permitted at all"));

  open = {.failure = OpenFailure::kNoSuchEvent, .error_number = EOPNOTSUPP};
  open.use = EventUse::kCount;
  EXPECT_THAT(open.error().message, HasSubstr("not supported on this machine"));
  EXPECT_THAT(open.error().hint, HasSubstr("prof list"));
  open.attr.precise_ip = 1;
  EXPECT_THAT(open.error().message, HasSubstr("cannot count it with the modifier p"));

  open = {.failure = OpenFailure::kTooManyFiles, .error_number = EMFILE};
  open.use = EventUse::kCount;
  EXPECT_THAT(open.error().hint, HasSubstr("or count fewer events"));
}

TEST(ExplainOpenFailureTest, APmuOutsideOfTheCoresCountsWholeCpus) {
  Explained open{.failure = OpenFailure::kInvalid, .error_number = EINVAL};
  open.use = EventUse::kCount;
  open.attr.type = PERF_TYPE_MAX;
  // Left over from an event that is also sampled somewhere else.
  open.attr.freq = 1;
  open.attr.sample_freq = 200'000;
  EXPECT_THAT(open.error().message, HasSubstr("refuses to count it for one process"));
  EXPECT_THAT(open.error().hint, HasSubstr("prof stat -a -e cycles"));
  open.tid = -1;
  open.cpu = 0;
  EXPECT_THAT(open.error().message, HasSubstr("refused this combination of settings"));
}

TEST(ExplainOpenFailureTest, UserCodeIsNoAdviceForWhatHappensInTheKernelAlone) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES};
  open.attr.type = PERF_TYPE_SOFTWARE;
  open.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
  EXPECT_THAT(open.error().hint, testing::Not(HasSubstr(":u")));
  open.attr.config = PERF_COUNT_SW_PAGE_FAULTS;
  EXPECT_THAT(open.error().hint, HasSubstr(":u"));
}

TEST(ExplainOpenFailureTest, AtParanoidThreeTheUserModifierIsNoAdvice) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES};
  open.limits.paranoid = 3;
  EXPECT_THAT(open.error().message, HasSubstr("not permitted at all"));
  EXPECT_THAT(open.error().hint, testing::Not(HasSubstr(":u")));
  open.tid = -1;  // 2 would not do
  EXPECT_THAT(open.error().hint, HasSubstr("perf_event_paranoid=0"));
}

TEST(ExplainOpenFailureTest, AProcessOfSomebodyElseAndAContainerAreToldApart) {
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES, .tid = 77};
  open.attr.exclude_kernel = 1;
  EXPECT_THAT(open.error().message, HasSubstr("77 may not be observed"));
  open.limits.privileged = true;
  EXPECT_THAT(open.error().hint, HasSubstr("container"));
}

TEST(ExplainOpenFailureTest, WhatIsNoEventOfTheUserIsNotNamed) {
  const OpenResult result{.fd = {}, .failure = OpenFailure::kTooManyFiles, .error_number = EMFILE};
  const Error error = ExplainOpenFailure(result, "", {}, 0, -1, {});
  EXPECT_THAT(error.message, testing::StartsWith("too many open files, the limit is "));
}

TEST(ExplainOpenFailureTest, AProcessOfSomebodyElseIsNoMatterOfTheSetting) {
  if (::geteuid() == 0) GTEST_SKIP() << "every process may be root's own";
  Explained open{.failure = OpenFailure::kPermission, .error_number = EACCES, .tid = 1};
  open.limits.paranoid = 3;
  EXPECT_THAT(open.error().message, HasSubstr("1 may not be observed"));
}

TEST(ExplainOpenFailureTest, UnsupportedEventsNameTheWayOut) {
  Explained open{.failure = OpenFailure::kNoSuchEvent, .error_number = ENOENT};
  EXPECT_EQ(open.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(open.error().hint, HasSubstr("cpu-clock"));
  open.error_number = EOPNOTSUPP;
  EXPECT_THAT(open.error().hint, HasSubstr("prof stat -e cycles"));
  open.attr.precise_ip = 2;
  EXPECT_THAT(open.error().hint, HasSubstr("modifier p"));
  open.attr.precise_ip = 0;
  open.error_number = ENODEV;
  open.cpu = 9;
  EXPECT_THAT(open.error().message, HasSubstr("CPU 9 is offline"));
}

TEST(ExplainOpenFailureTest, FileLimitsNameTheirCommand) {
  Explained open{.failure = OpenFailure::kTooManyFiles, .error_number = EMFILE};
  EXPECT_THAT(open.error().hint, HasSubstr("ulimit -n"));
  open.error_number = ENFILE;
  EXPECT_THAT(open.error().hint, HasSubstr("fs.file-max"));
}

TEST(ExplainOpenFailureTest, MissingProcess) {
  const Explained open{.failure = OpenFailure::kNoSuchProcess, .error_number = ESRCH, .tid = 4711};
  EXPECT_EQ(open.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(open.error().message, "no such process or thread: 4711");
}

TEST(ExplainOpenFailureTest, InvalidSettingsSayWhichOneWhereItIsKnown) {
  Explained open{.failure = OpenFailure::kInvalid, .error_number = EINVAL};
  EXPECT_FALSE(open.error().hint.empty());
  open.attr.freq = 1;
  open.attr.sample_freq = 200'000;
  EXPECT_THAT(open.error().message, HasSubstr("200000 Hz is above the kernel's limit of 100000"));
  open.attr.freq = 0;
  open.attr.inherit = 1;
  open.attr.sample_type = PERF_SAMPLE_READ;
  EXPECT_THAT(open.error().hint, HasSubstr("6.12"));
  open.attr.sample_type = 0;
  open.attr.type = PERF_TYPE_MAX;
  EXPECT_THAT(open.error().message, HasSubstr("its PMU refuses to sample it"));
  open.attr.type = PERF_TYPE_BREAKPOINT;
  EXPECT_THAT(open.error().message, HasSubstr("address"));
  open.cpu = 1'000'000;
  EXPECT_THAT(open.error().message, HasSubstr("there is no CPU 1000000"));
}

TEST(ExplainOpenFailureTest, BusyAndOther) {
  Explained open{.failure = OpenFailure::kBusy, .error_number = ENOSPC};
  open.attr.type = PERF_TYPE_BREAKPOINT;
  EXPECT_THAT(open.error().message, HasSubstr("breakpoints are taken"));
  open.attr.type = PERF_TYPE_HARDWARE;
  EXPECT_THAT(open.error().hint, HasSubstr("nmi_watchdog"));
  open.failure = OpenFailure::kOther;
  open.error_number = ENOMEM;
  EXPECT_EQ(open.error().message, "event 'cycles': cannot be opened: Cannot allocate memory");
  open.error_number = ENOSYS;
  EXPECT_EQ(open.error().kind, ErrorKind::kUnsupported);
  open.error_number = EOVERFLOW;
  open.attr.sample_max_stack = 1024;
  EXPECT_THAT(open.error().hint, HasSubstr("perf_event_max_stack=1024"));
}

}  // namespace
}  // namespace prof::perf
