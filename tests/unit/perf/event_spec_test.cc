// ParseEvents understands every kind of event name, groups and modifiers.
#include "prof/perf/event_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/hw_breakpoint.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace prof::perf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

HostFs FakeHost() { return HostFs(PROF_TEST_DATA "/perf"); }

std::vector<EventSpec> Parsed(const std::string& text) {
  auto specs = ParseEvents(text, FakeHost(), 0);
  if (!specs) {
    ADD_FAILURE() << text << ": " << specs.error().message;
    return {};
  }
  return *specs;
}
EventSpec One(const std::string& text) {
  auto specs = Parsed(text);
  EXPECT_EQ(specs.size(), 1u) << text;
  return specs.empty() ? EventSpec{} : specs.front();
}
Error Failure(const std::string& text) {
  const auto specs = ParseEvents(text, FakeHost(), 0);
  EXPECT_FALSE(specs.has_value()) << text;
  if (specs) return {};
  EXPECT_EQ(specs.error().message.find('\n'), std::string::npos);
  return specs.error();
}
std::vector<std::string> Names(const std::vector<EventSpec>& specs) {
  std::vector<std::string> names;
  for (const EventSpec& spec : specs) names.push_back(spec.desc.name);
  return names;
}

struct NameCase {
  std::string name;
  std::uint32_t type;
  std::uint64_t config;
};
class EventNameTest : public testing::TestWithParam<NameCase> {};

TEST_P(EventNameTest, HasItsTypeAndConfig) {
  const EventSpec spec = One(GetParam().name);
  EXPECT_EQ(spec.attr.type, GetParam().type);
  EXPECT_EQ(spec.attr.config, GetParam().config);
  EXPECT_EQ(spec.attr.size, sizeof(perf_event_attr));
  EXPECT_EQ(spec.desc.name, GetParam().name);
  EXPECT_EQ(spec.desc.attr_type, GetParam().type);
  EXPECT_EQ(spec.desc.attr_config, GetParam().config);
  EXPECT_EQ(spec.group, -1);
}

INSTANTIATE_TEST_SUITE_P(
    Names, EventNameTest,
    testing::Values(NameCase{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                    NameCase{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                    NameCase{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                    NameCase{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
                    NameCase{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
                    NameCase{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
                    NameCase{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
                    NameCase{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
                    NameCase{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
                    NameCase{"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
                    NameCase{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000},
                    NameCase{"L1-dcache-stores", PERF_TYPE_HW_CACHE, 0x00100},
                    NameCase{"L1-icache-load-misses", PERF_TYPE_HW_CACHE, 0x10001},
                    NameCase{"LLC-loads", PERF_TYPE_HW_CACHE, 0x00002},
                    NameCase{"LLC-misses", PERF_TYPE_HW_CACHE, 0x10002},
                    NameCase{"LLC-speculative-read-misses", PERF_TYPE_HW_CACHE, 0x10202},
                    NameCase{"dTLB-store-misses", PERF_TYPE_HW_CACHE, 0x10103},
                    NameCase{"iTLB-loads", PERF_TYPE_HW_CACHE, 0x00004},
                    NameCase{"branch-load-misses", PERF_TYPE_HW_CACHE, 0x10005},
                    NameCase{"node-prefetches", PERF_TYPE_HW_CACHE, 0x00206},
                    NameCase{"r1a8", PERF_TYPE_RAW, 0x1a8},
                    NameCase{"sched:sched_switch", PERF_TYPE_TRACEPOINT, 314}));

TEST(EventSpecTest, ClocksCountNanoseconds) {
  EXPECT_EQ(One("cpu-clock").desc.unit, model::EventUnit::kNanoseconds);
  EXPECT_EQ(One("task-clock:u").desc.unit, model::EventUnit::kNanoseconds);
  EXPECT_EQ(One("page-faults").desc.unit, model::EventUnit::kCount);
  EXPECT_EQ(CpuClockEvent().desc.name, "cpu-clock");
  EXPECT_EQ(CyclesEvent().attr.type, static_cast<unsigned>(PERF_TYPE_HARDWARE));
}

TEST(EventSpecTest, CachesWithoutTheOperationAreUnknown) {
  for (const std::string name : {"iTLB-stores", "L1-icache-stores", "LLC-", "LLC-loads-loads"}) {
    EXPECT_EQ(Failure(name).kind, ErrorKind::kNotFound) << name;
  }
}

TEST(EventSpecTest, LevelModifiersExcludeTheOthers) {
  const EventSpec user = One("cycles:u");
  EXPECT_EQ(user.attr.exclude_user, 0u);
  EXPECT_EQ(user.attr.exclude_kernel, 1u);
  EXPECT_EQ(user.attr.exclude_hv, 1u);
  EXPECT_TRUE(user.desc.excludes_kernel);
  EXPECT_FALSE(user.desc.excludes_user);
  const EventSpec both = One("cycles:uk");
  EXPECT_EQ(both.attr.exclude_user, 0u);
  EXPECT_EQ(both.attr.exclude_kernel, 0u);
  EXPECT_EQ(both.attr.exclude_hv, 1u);
  EXPECT_TRUE(One("cycles:h").desc.excludes_user);
}

TEST(EventSpecTest, OtherModifiers) {
  EXPECT_EQ(One("cycles:H").attr.exclude_guest, 1u);
  EXPECT_EQ(One("cycles:H").attr.exclude_host, 0u);
  EXPECT_EQ(One("cycles:G").attr.exclude_host, 1u);
  EXPECT_EQ(One("cycles:pp").attr.precise_ip, 2u);
  EXPECT_EQ(One("cycles:ppp").desc.precise, 3u);
  EXPECT_FALSE(One("cycles:ppp").precise_max);
  EXPECT_EQ(One("cycles:P").attr.precise_ip, 3u);
  EXPECT_TRUE(One("cycles:P").precise_max);
  EXPECT_EQ(One("cycles:D").attr.pinned, 1u);
  EXPECT_EQ(One("cycles:I").attr.exclude_idle, 1u);
  EXPECT_TRUE(One("cycles:S").leader_sampling);
}

TEST(EventSpecTest, WrongModifiersAreNamed) {
  const Error error = Failure("cycles:uz");
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_EQ(error.message, "event 'cycles:uz': unknown modifier 'z'");
  EXPECT_THAT(error.hint, HasSubstr("u (user)"));
  EXPECT_EQ(Failure("cycles:pppp").kind, ErrorKind::kUsage);
  EXPECT_EQ(Failure("cycles:").kind, ErrorKind::kUsage);
  EXPECT_EQ(Failure("sched:sched_switch:z").kind, ErrorKind::kUsage);
}

TEST(EventSpecTest, CommasInsideSlashesDoNotSeparate) {
  const auto specs = Parsed("cycles:u, cpu/event=0x3c,umask=1/ ,mem:0x1000/8:w,page-faults");
  EXPECT_THAT(Names(specs),
              ElementsAre("cycles:u", "cpu/event=0x3c,umask=1/", "mem:0x1000/8:w", "page-faults"));
}

TEST(EventSpecTest, GroupsAreNumberedAndLed) {
  auto specs = ParseEvents("cycles,{instructions,cache-misses},{r1,r2,r3}", FakeHost(), 5);
  ASSERT_TRUE(specs.has_value());
  std::vector<int> groups;
  std::vector<bool> leaders;
  for (const EventSpec& spec : *specs) {
    groups.push_back(spec.group);
    leaders.push_back(spec.group_leader);
  }
  EXPECT_THAT(groups, ElementsAre(-1, 5, 5, 6, 6, 6));
  EXPECT_THAT(leaders, ElementsAre(false, true, false, true, false, false));
}

TEST(EventSpecTest, GroupModifiersApplyToAllMembers) {
  const auto specs = Parsed("{cycles:p,cpu/event=1/,sched:sched_switch}:uS,faults");
  EXPECT_THAT(Names(specs),
              ElementsAre("cycles:pu", "cpu/event=1/u", "sched:sched_switch:u", "faults"));
  ASSERT_EQ(specs.size(), 4u);
  EXPECT_EQ(specs[0].attr.precise_ip, 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(specs[i].leader_sampling);
    EXPECT_TRUE(specs[i].desc.excludes_kernel);
  }
  EXPECT_FALSE(specs[3].leader_sampling);
}

class BrokenListTest : public testing::TestWithParam<std::string> {};
TEST_P(BrokenListTest, IsAUsageErrorWithAHint) {
  const Error error = Failure(GetParam());
  EXPECT_EQ(error.kind, ErrorKind::kUsage) << error.message;
  EXPECT_FALSE(error.hint.empty());
}
INSTANTIATE_TEST_SUITE_P(Lists, BrokenListTest,
                         testing::Values("", ",", "cycles,", ",cycles", "{cycles", "{cycles,",
                                         "cycles}", "{cycles}{faults}", "{}", "{{cycles}}",
                                         "{cycles}:", "{cycles}u", "cpu/event=1", "cycles,,faults",
                                         "{cycles}:z", "cpu/event=1/z", "cpu/event=1/:z"));

TEST(PmuEventTest, FormatsPlaceTheBits) {
  const EventSpec spec = One("cpu/event=0x3c,umask=1,edge,ldlat=0x1ff/pu");
  EXPECT_EQ(spec.attr.type, 4u);
  EXPECT_EQ(spec.attr.config, 0x3cu | 1u << 8 | 1u << 18);
  EXPECT_EQ(spec.attr.config1, 0x1ffu);
  EXPECT_EQ(spec.attr.precise_ip, 1u);
  EXPECT_TRUE(spec.desc.excludes_kernel);
  EXPECT_EQ(spec.desc.attr_config, spec.attr.config);
  EXPECT_EQ(spec.desc.name, "cpu/event=0x3c,umask=1,edge,ldlat=0x1ff/pu");
  EXPECT_EQ(One("cpu/split=0xabc/").attr.config, 0xa000000bcu);
}

TEST(PmuEventTest, ConfigPeriodFrequencyAndName) {
  const EventSpec spec = One("cpu/config=0x1,config1=2,config2=3,period=5000,name='a,b'/");
  EXPECT_EQ(spec.attr.config, 1u);
  EXPECT_EQ(spec.attr.config1, 2u);
  EXPECT_EQ(spec.attr.config2, 3u);
  EXPECT_EQ(spec.attr.sample_period, 5000u);
  EXPECT_EQ(spec.attr.freq, 0u);
  EXPECT_EQ(spec.desc.mode, model::SamplingMode::kPeriod);
  EXPECT_EQ(spec.desc.sampling_value, 5000u);
  EXPECT_EQ(spec.desc.name, "a,b");
  const EventSpec frequency = One("cpu/event=1,freq=99/");
  EXPECT_EQ(frequency.attr.freq, 1u);
  EXPECT_EQ(frequency.attr.sample_freq, 99u);
  EXPECT_EQ(frequency.desc.mode, model::SamplingMode::kFrequency);
}

TEST(PmuEventTest, EventsOfSysfsCanBeNamedWithAndWithoutThePmu) {
  for (const std::string text : {"cpu/mem-loads/", "mem-loads"}) {
    const EventSpec spec = One(text);
    EXPECT_EQ(spec.attr.type, 4u);
    EXPECT_EQ(spec.attr.config, 0x1cdu);
    EXPECT_EQ(spec.attr.config1, 3u);
    EXPECT_EQ(spec.desc.name, text);
  }
  EXPECT_EQ(One("cpu/mem-loads,ldlat=30/").attr.config1, 30u);
  EXPECT_EQ(One("cpu/r1a8/").attr.config, 0x1a8u);
  EXPECT_EQ(One("mem-loads:pp").attr.precise_ip, 2u);
}

TEST(PmuEventTest, AQuestionMarkMustBeFilledIn) {
  EXPECT_EQ(One("cpu/by-latency,ldlat=7/").attr.config1, 7u);
  const Error error = Failure("cpu/by-latency/");
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_EQ(error.hint, "add ldlat=NUMBER");
}

TEST(PmuEventTest, OneNameCanStandForSeveralPmus) {
  for (const std::string text : {"uncore_imc/cas_count/", "uncore_*/cas_count/", "cas_count"}) {
    const auto specs = Parsed(text);
    ASSERT_EQ(specs.size(), 2u) << text;
    EXPECT_EQ(specs[0].attr.type, 10u);
    EXPECT_EQ(specs[1].attr.type, 11u);
    EXPECT_THAT(Names(specs), ElementsAre("uncore_imc_0/cas_count/", "uncore_imc_1/cas_count/"));
  }
}

TEST(PmuEventTest, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(Failure("cpu/umask=0x100/").message, "PMU 'cpu': 'umask' has only 8 bits");
  EXPECT_EQ(Failure("cpu/umask=x/").message, "PMU 'cpu': 'umask' needs a number");
  EXPECT_EQ(Failure("cpu/umaks=1/").hint, "did you mean 'umask'?");
  EXPECT_EQ(Failure("cpu/umaks=1/").kind, ErrorKind::kNotFound);
  EXPECT_EQ(Failure("cpu/../").kind, ErrorKind::kNotFound);
  EXPECT_EQ(Failure("cpux/event=1/").hint, "did you mean 'cpu'?");
  EXPECT_EQ(Failure("cpu/odd=1/").kind, ErrorKind::kUnsupported);
  EXPECT_EQ(Failure("cpu/period=0/").kind, ErrorKind::kUsage);
  EXPECT_EQ(Failure("../event=1/").kind, ErrorKind::kNotFound);
}

TEST(TracepointTest, GlobsGiveOneEventEach) {
  EXPECT_THAT(Names(Parsed("sched:*")), ElementsAre("sched:sched_switch", "sched:sched_wakeup"));
  EXPECT_THAT(Names(Parsed("s*:*_switch:k,*:sys_enter_*")),
              ElementsAre("sched:sched_switch:k", "syscalls:sys_enter_openat"));
  EXPECT_TRUE(One("sched:sched_switch").tracepoint);
  EXPECT_FALSE(One("cycles").tracepoint);
}

TEST(TracepointTest, UnknownOnesGetNearNames) {
  const Error error = Failure("sched:sched_swich");
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_EQ(error.message, "unknown event 'sched:sched_swich'");
  EXPECT_THAT(error.hint, HasSubstr("'sched:sched_switch'"));
  EXPECT_EQ(Failure("sched:nothing*").kind, ErrorKind::kNotFound);
  EXPECT_EQ(Failure("..:sched").kind, ErrorKind::kNotFound);
}

TEST(TracepointTest, WithoutTracefsTheHintMountsIt) {
  const test::TempDir empty;
  const auto specs = ParseEvents("sched:sched_switch", HostFs(empty.path().string()), 0);
  ASSERT_FALSE(specs.has_value());
  EXPECT_EQ(specs.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(specs.error().hint, HasSubstr("mount -t tracefs"));
  EXPECT_THAT(specs.error().message, HasSubstr("'sched:sched_switch'"));
  const auto manual = ParseEvents("NO_SUCH_EVENT:ANY", HostFs(empty.path().string()), 0);
  ASSERT_FALSE(manual.has_value());
  EXPECT_EQ(manual.error().kind, ErrorKind::kNotFound);
}

TEST(TracepointTest, UnreadableTracefsIsAPermissionError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const test::TempDir root;
  const auto tracing = root.path() / "sys/kernel/tracing";
  std::filesystem::create_directories(tracing);
  std::filesystem::permissions(tracing, std::filesystem::perms::none);
  const auto specs = ParseEvents("sched:sched_switch", HostFs(root.path().string()), 0);
  std::filesystem::permissions(tracing, std::filesystem::perms::owner_all);
  ASSERT_FALSE(specs.has_value());
  EXPECT_EQ(specs.error().kind, ErrorKind::kPermission);
  EXPECT_THAT(specs.error().hint, HasSubstr("run as root"));
}

TEST(BreakpointTest, AddressLengthAndAccess) {
  const EventSpec plain = One("mem:0x1000");
  EXPECT_EQ(plain.attr.type, static_cast<unsigned>(PERF_TYPE_BREAKPOINT));
  EXPECT_EQ(plain.attr.bp_addr, 0x1000u);
  EXPECT_EQ(plain.attr.bp_len, 4u);
  EXPECT_EQ(plain.attr.bp_type, static_cast<unsigned>(HW_BREAKPOINT_RW));
  const EventSpec full = One("mem:4096/8:w:u");
  EXPECT_EQ(full.attr.bp_addr, 4096u);
  EXPECT_EQ(full.attr.bp_len, 8u);
  EXPECT_EQ(full.attr.bp_type, static_cast<unsigned>(HW_BREAKPOINT_W));
  EXPECT_TRUE(full.desc.excludes_kernel);
  EXPECT_EQ(full.desc.name, "mem:4096/8:w:u");
  EXPECT_EQ(One("mem:0x1000:x").attr.bp_len, sizeof(long));
  EXPECT_EQ(One("mem:0x1000:u").attr.bp_type, static_cast<unsigned>(HW_BREAKPOINT_RW));
}

TEST(BreakpointTest, ErrorsShowTheForm) {
  for (const std::string text : {"mem:", "mem:main", "mem:0x1000/9", "mem:0x1000/", "mem:0x1:ww",
                                 "mem:0x1000:q", "mem:0x1000:"}) {
    const Error error = Failure(text);
    EXPECT_EQ(error.kind, ErrorKind::kUsage) << text;
    EXPECT_FALSE(error.hint.empty());
  }
}

struct ScaleCase {
  std::string host;
  std::string name;
  double scale;
  std::string unit;
};
class EventScaleTest : public testing::TestWithParam<ScaleCase> {};

TEST_P(EventScaleTest, IsThatOfTheFilesBesideTheEvent) {
  const HostFs fs(PROF_TEST_DATA "/hosts/" + GetParam().host);
  const auto specs = ParseEvents(GetParam().name, fs, 0);
  ASSERT_TRUE(specs) << specs.error().message;
  ASSERT_FALSE(specs->empty());
  for (const EventSpec& spec : *specs) {
    EXPECT_DOUBLE_EQ(spec.desc.scale, GetParam().scale);
    EXPECT_EQ(spec.desc.scale_unit, GetParam().unit);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, EventScaleTest,
    testing::Values(
        ScaleCase{"intel-icelake", "power/energy-pkg/", 2.3283064365386962890625e-10, "Joules"},
        ScaleCase{"intel-icelake", "energy-ram", 2.3283064365386962890625e-10, "Joules"},
        ScaleCase{"intel-icelake", "uncore_imc/cas_count_read/", 6.103515625e-5, "MiB"},
        ScaleCase{"amd-zen4", "power/energy-pkg/", 2.3283064365386962890625e-10, "Joules"},
        // By number it is not known what the counts mean.
        ScaleCase{"intel-icelake", "power/event=0x02/", 1, ""},
        ScaleCase{"intel-icelake", "cpu/slots/", 1, ""},
        ScaleCase{"intel-icelake", "cycles:u", 1, ""}, ScaleCase{"amd-zen4", "task-clock", 1, ""},
        ScaleCase{"arm64-big-little", "cycles", 1, ""},
        ScaleCase{"vm-without-pmu", "page-faults", 1, ""},
        ScaleCase{"intel-alderlake", "cycles", 1, ""}));

TEST(EventScaleTest, AFactorThatIsNoneIsNotUsedNorItsUnit) {
  const test::TempDir folder;
  const auto write = [&](const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder.path() / "sys/bus/event_source/devices/power" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  };
  write("type", "9");
  write("format/event", "config:0-7");
  for (const char* bad : {"", "many", "0", "-1", "1e-3 of it", "inf", "nan", "1e999"}) {
    write("events/energy", "event=0x02");
    write("events/energy.scale", bad);
    write("events/energy.unit", "Joules");
    const auto specs = ParseEvents("power/energy/", HostFs(folder.path().string()), 0);
    ASSERT_TRUE(specs) << specs.error().message;
    EXPECT_EQ(specs->front().desc.scale, 1.0) << bad;
    EXPECT_EQ(specs->front().desc.scale_unit, "") << bad;
  }
}

// The generic PMU of libpfm4, "perf", is there on every machine.
TEST(PfmEventTest, NamesOfLibpfmAreTheLastResort) {
  const EventSpec spec = One("perf::PERF_COUNT_SW_CPU_CLOCK");
  EXPECT_EQ(spec.attr.type, static_cast<unsigned>(PERF_TYPE_SOFTWARE));
  EXPECT_EQ(spec.attr.config, static_cast<unsigned>(PERF_COUNT_SW_CPU_CLOCK));
  EXPECT_EQ(spec.attr.exclude_kernel, 0u);
  EXPECT_EQ(spec.attr.exclude_hv, 0u);
  EXPECT_TRUE(One("perf::PERF_COUNT_HW_CPU_CYCLES:u").desc.excludes_kernel);
  EXPECT_EQ(One("perf::PERF_COUNT_HW_CPU_CYCLES:ppD").attr.precise_ip, 2u);
}

TEST(NearestEventNamesTest, BestFirstAndFewEnough) {
  EXPECT_EQ(Failure("cycels").hint, "did you mean 'cycles'?");
  EXPECT_THAT(Failure("cycels:u").message, HasSubstr("'cycels'"));
  const auto names = NearestEventNames("L1-dcache-load-miss", FakeHost(), 2);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "L1-dcache-load-misses");
  EXPECT_THAT(NearestEventNames("mem-laods", FakeHost(), 1), ElementsAre("mem-loads"));
  EXPECT_THAT(NearestEventNames("sched_switch", FakeHost(), 1), ElementsAre("sched:sched_switch"));
  EXPECT_THAT(NearestEventNames("qqqqqqqqqqqqqqqqqqqqqqqqq", FakeHost(), 3), ElementsAre());
}

}  // namespace
}  // namespace prof::perf
