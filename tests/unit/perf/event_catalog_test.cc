// The catalogue of events on machines of several kinds, whose kernels are made up.
#include "prof/perf/event_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "prof/perf/event_spec.h"

namespace prof::perf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const kHosts[] = {"intel-icelake", "intel-alderlake", "amd-zen4", "arm64-big-little",
                              "vm-without-pmu"};

HostFs Host(const std::string& name) { return HostFs(PROF_TEST_DATA "/hosts/" + name); }

OpenResult Opened() { return {}; }
OpenResult Refused(OpenFailure failure, int error_number) {
  return {.fd = {}, .failure = failure, .error_number = error_number};
}
OpenResult AllOpen(const perf_event_attr& /*attr*/, pid_t /*tid*/, int /*cpu*/) { return Opened(); }

EventCatalog Catalog(const std::string& host, EventOpener open = AllOpen) {
  return ReadEventCatalog(Host(host), {.open = std::move(open), .pfm = false});
}

const CatalogEntry* Find(const EventCatalog& catalog, const std::string& name) {
  const auto found = std::ranges::find(catalog.entries, name, &CatalogEntry::name);
  return found == catalog.entries.end() ? nullptr : &*found;
}
CatalogEntry Must(const EventCatalog& catalog, const std::string& name) {
  const CatalogEntry* found = Find(catalog, name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? CatalogEntry{} : *found;
}

// A kernel at paranoid 2, for an ordinary user.
OpenResult OrdinaryUser(const perf_event_attr& attr, pid_t tid, int /*cpu*/) {
  if (tid < 0 || attr.exclude_kernel == 0) return Refused(OpenFailure::kPermission, EACCES);
  return Opened();
}

void ExpectAllParse(const EventCatalog& catalog, const HostFs& fs) {
  for (const CatalogEntry& entry : catalog.entries) {
    std::vector<std::string> names = entry.aliases;
    names.push_back(entry.example.empty() ? entry.name : entry.example);
    for (const std::string& name : names) {
      const auto specs = ParseEvents(name, fs, 0);
      EXPECT_TRUE(specs.has_value()) << name << ": " << specs.error().message;
    }
  }
}

class EveryHost : public testing::TestWithParam<const char*> {};

TEST_P(EveryHost, TakesEachListedName) {
  const EventCatalog catalog = Catalog(GetParam());
  EXPECT_GT(catalog.entries.size(), 40u);
  ExpectAllParse(catalog, Host(GetParam()));
}

TEST_P(EveryHost, ListsEachNameOnceAndInOrder) {
  const EventCatalog catalog = Catalog(GetParam());
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog.entries) names.push_back(entry.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_TRUE(std::ranges::is_sorted(catalog.entries, {}, &CatalogEntry::kind));
}

TEST_P(EveryHost, DescribesEverythingThatIsNoTracepoint) {
  for (const CatalogEntry& entry : Catalog(GetParam()).entries) {
    EXPECT_TRUE(entry.kind == EventKind::kTracepoint || !entry.description.empty()) << entry.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, EveryHost, testing::ValuesIn(kHosts), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
});

TEST(EventCatalogTest, FoldsSynonymsIntoTheUsualName) {
  const EventCatalog catalog = Catalog("vm-without-pmu");
  EXPECT_THAT(Must(catalog, "cycles").aliases, ElementsAre("cpu-cycles"));
  EXPECT_THAT(Must(catalog, "context-switches").aliases, ElementsAre("cs"));
  EXPECT_EQ(Find(catalog, "cs"), nullptr);
  EXPECT_EQ(Must(catalog, "task-clock").unit, "ns");
}

TEST(EventCatalogTest, SaysThatAMachineHasNoHardwareCounters) {
  const EventCatalog catalog =
      Catalog("vm-without-pmu", [](const perf_event_attr& attr, pid_t /*tid*/, int /*cpu*/) {
        const bool core = attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE ||
                          attr.type == PERF_TYPE_RAW;
        return core ? Refused(OpenFailure::kNoSuchEvent, ENOENT) : Opened();
      });
  for (const char* name : {"cycles", "LLC-loads", "rNNN"}) {
    const Availability availability = Must(catalog, name).availability;
    EXPECT_FALSE(availability.can_count || availability.can_sample) << name;
    EXPECT_THAT(availability.reason, HasSubstr("no hardware counters")) << name;
  }
  EXPECT_EQ(Must(catalog, "page-faults").availability,
            (Availability{.can_count = true, .can_sample = true}));
}

TEST(EventCatalogTest, DoesNotBlameRightsForAMissingPmu) {
  const EventCatalog catalog =
      Catalog("vm-without-pmu", [](const perf_event_attr& attr, pid_t /*tid*/, int /*cpu*/) {
        if (attr.exclude_kernel == 0) return Refused(OpenFailure::kPermission, EACCES);
        return attr.type == PERF_TYPE_HARDWARE ? Refused(OpenFailure::kNoSuchEvent, ENOENT)
                                               : Opened();
      });
  const Availability cycles = Must(catalog, "cycles").availability;
  EXPECT_THAT(cycles.reason, HasSubstr("no hardware counters"));
  EXPECT_THAT(cycles.hint, IsEmpty());
}

TEST(EventCatalogTest, SaysThatThisCpuLacksOneEvent) {
  const EventCatalog catalog =
      Catalog("amd-zen4", [](const perf_event_attr& attr, pid_t /*tid*/, int /*cpu*/) {
        const bool lacking =
            attr.type == PERF_TYPE_HARDWARE && attr.config == PERF_COUNT_HW_STALLED_CYCLES_BACKEND;
        return lacking ? Refused(OpenFailure::kNoSuchEvent, ENOENT) : Opened();
      });
  EXPECT_EQ(Must(catalog, "stalled-cycles-backend").availability.reason,
            "this CPU has no such event");
  EXPECT_TRUE(Must(catalog, "stalled-cycles-frontend").availability.can_sample);
}

TEST(EventCatalogTest, LimitsAnOrdinaryUserToItsOwnCode) {
  const EventCatalog catalog = Catalog("intel-icelake", OrdinaryUser);
  const Availability cycles = Must(catalog, "cycles").availability;
  EXPECT_TRUE(cycles.can_count && cycles.can_sample);
  EXPECT_EQ(cycles.scope, EventScope::kUserOnly);
  EXPECT_THAT(cycles.reason, HasSubstr("perf_event_paranoid is 2"));
  EXPECT_THAT(cycles.hint, HasSubstr("perf_event_paranoid=1"));
}

TEST(EventCatalogTest, DoesNotPromiseEventsOfTheKernelToUserCode) {
  // context-switches:u opens and never counts anything.
  const EventCatalog catalog = Catalog("intel-icelake", OrdinaryUser);
  for (const char* name : {"context-switches", "cpu-migrations", "cgroup-switches",
                           "sched:sched_switch", "syscalls:sys_enter_openat"}) {
    const Availability availability = Must(catalog, name).availability;
    EXPECT_FALSE(availability.can_count || availability.can_sample) << name;
    EXPECT_THAT(availability.reason, HasSubstr("perf_event_paranoid is 2")) << name;
  }
}

TEST(EventCatalogTest, OpensPmusOutsideOfTheCoresOnTheirCpu) {
  bool seen = false;
  const EventCatalog catalog =
      Catalog("intel-icelake", [&](const perf_event_attr& attr, pid_t tid, int cpu) {
        const bool power = attr.type == 18;
        EXPECT_EQ(tid, power || (attr.type >= 20 && attr.type < 24) ? -1 : 0) << attr.type;
        EXPECT_EQ(cpu, tid < 0 ? 0 : -1);
        seen = seen || power;
        if (tid < 0 && attr.sample_type != 0) return Refused(OpenFailure::kInvalid, EINVAL);
        return Opened();
      });
  EXPECT_TRUE(seen);
  const CatalogEntry energy = Must(catalog, "power/energy-pkg/");
  EXPECT_EQ(energy.unit, "Joules");
  EXPECT_NEAR(energy.scale, 2.328e-10, 1e-13);
  EXPECT_EQ(energy.availability.scope, EventScope::kCpuWide);
  EXPECT_TRUE(energy.availability.can_count);
  EXPECT_FALSE(energy.availability.can_sample);
  EXPECT_THAT(energy.availability.reason, HasSubstr("refuses to sample"));
}

TEST(EventCatalogTest, RefusesCpuWidePmusToOrdinaryUsers) {
  const EventCatalog catalog = Catalog("intel-icelake", OrdinaryUser);
  const Availability availability = Must(catalog, "power/energy-pkg/").availability;
  EXPECT_FALSE(availability.can_count);
  EXPECT_THAT(availability.hint, HasSubstr("perf_event_paranoid=0"));
}

TEST(EventCatalogTest, FoldsPmusOfOneKind) {
  const EventCatalog catalog = Catalog("intel-icelake");
  const CatalogEntry reads = Must(catalog, "uncore_imc/cas_count_read/");
  EXPECT_EQ(Find(catalog, "uncore_imc_0/cas_count_read/"), nullptr);
  EXPECT_EQ(reads.unit, "MiB");
  EXPECT_THAT(reads.long_description, HasSubstr("each of 4 units"));
  EXPECT_EQ(ParseEvents(reads.name, Host("intel-icelake"), 0)->size(), 4u);
}

TEST(EventCatalogTest, SaysHowTopdownEventsAreCounted) {
  const EventCatalog catalog =
      Catalog("intel-icelake", [](const perf_event_attr& attr, pid_t /*tid*/, int /*cpu*/) {
        // Without slots as its leader the kernel takes no event 0x00, umask 0x80 and up.
        const bool alone = attr.type == 4 && (attr.config & 0xff) == 0 && attr.config >= 0x8000;
        return alone ? Refused(OpenFailure::kInvalid, EINVAL) : Opened();
      });
  EXPECT_TRUE(Must(catalog, "cpu/slots/").availability.can_count);
  const CatalogEntry retiring = Must(catalog, "cpu/topdown-retiring/");
  EXPECT_FALSE(retiring.availability.can_count);
  EXPECT_THAT(retiring.availability.reason, HasSubstr("group"));
  EXPECT_THAT(retiring.description, HasSubstr("group that slots leads"));
}

TEST(EventCatalogTest, KeepsTheKindsOfCoresApart) {
  const EventCatalog intel = Catalog("intel-alderlake");
  EXPECT_EQ(Must(intel, "cpu_core/cpu-cycles/").group, "cpu_core");
  EXPECT_EQ(Must(intel, "cpu_atom/cpu-cycles/").group, "cpu_atom");
  EXPECT_NE(Find(intel, "cpu_core/slots/"), nullptr);
  EXPECT_EQ(Find(intel, "cpu_atom/slots/"), nullptr);
  const EventCatalog arm = Catalog("arm64-big-little");
  EXPECT_NE(Find(arm, "armv8_cortex_a53/l1d_cache_refill/"), nullptr);
  EXPECT_NE(Find(arm, "armv8_cortex_a72/l1d_cache_refill/"), nullptr);
  EXPECT_EQ(Find(arm, "armv8_cortex_a53/inst_spec/"), nullptr);
}

TEST(EventCatalogTest, ShowsHowToWriteEventsByTheirParameters) {
  const CatalogEntry form = Must(Catalog("amd-zen4"), "amd_df/event=N,umask=N/");
  EXPECT_EQ(form.kind, EventKind::kForm);
  EXPECT_THAT(form.long_description, HasSubstr("event: config:0-7,32-37"));
  // Nobody can write the parameters of uprobes as text.
  for (const CatalogEntry& entry : Catalog("vm-without-pmu").entries) {
    EXPECT_FALSE(entry.name.starts_with("uprobe/")) << entry.name;
  }
}

TEST(EventCatalogTest, DescribesTracepointsByTheirFields) {
  const HostFs fs = Host("intel-icelake");
  EventCatalog catalog = Catalog("intel-icelake");
  CatalogEntry exec = Must(catalog, "sched:sched_process_exec");
  EXPECT_THAT(exec.description, IsEmpty());
  DescribeTracepoint(exec, fs);
  EXPECT_EQ(exec.description, "fields: filename, pid, old_pid");
  EXPECT_EQ(exec.long_description, "__data_loc char[] filename\npid_t pid\npid_t old_pid");
  CatalogEntry open = Must(catalog, "syscalls:sys_enter_openat");
  DescribeTracepoint(open, fs);
  EXPECT_EQ(open.description, "fields: __syscall_nr, dfd, filename, flags, mode");
}

TEST(EventCatalogTest, LeavesTheTracersOwnRecordsOut) {
  for (const CatalogEntry& entry : Catalog("intel-icelake").entries) {
    EXPECT_NE(entry.group, "ftrace") << entry.name;
  }
}

TEST(EventCatalogTest, SaysWhereAProbeIsSet) {
  CatalogEntry probe = Must(Catalog("intel-icelake"), "probe_libc:malloc");
  EXPECT_EQ(probe.kind, EventKind::kProbe);
  EXPECT_EQ(probe.description, "at /usr/lib/x86_64-linux-gnu/libc.so.6:0x0000000000097940");
  DescribeTracepoint(probe, Host("intel-icelake"));
  EXPECT_THAT(probe.description, HasSubstr("libc.so.6"));
}

TEST(EventCatalogTest, SaysWhyThereAreNoTracepoints) {
  const EventCatalog catalog = Catalog("vm-without-pmu");
  ASSERT_EQ(catalog.gaps.size(), 1u);
  EXPECT_EQ(catalog.gaps.front().kind, EventKind::kTracepoint);
  EXPECT_THAT(catalog.gaps.front().reason, HasSubstr("not mounted"));
  EXPECT_THAT(catalog.gaps.front().hint, HasSubstr("mount -t tracefs"));
}

// libpfm4 takes its tables from the variable instead of from this CPU.
void CheckPfmTable(const char* table) {
  ::setenv("LIBPFM_FORCE_PMU", table, 1);
  const HostFs fs = Host("vm-without-pmu");
  EventCatalog catalog = ReadEventCatalog(fs, {.open = AllOpen, .pfm = true});
  std::erase_if(catalog.entries,
                [](const CatalogEntry& entry) { return entry.kind != EventKind::kPfm; });
  EXPECT_GT(catalog.entries.size(), 50u);
  ExpectAllParse(catalog, fs);
}

class PfmTableTest : public testing::TestWithParam<const char*> {};

// In a fresh process: libpfm4 keeps the tables that it has once taken.
TEST_P(PfmTableTest, TakesEachListedName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        CheckPfmTable(GetParam());
        std::_Exit(HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Tables, PfmTableTest,
                         testing::Values("skl", "icx", "spr", "amd64_fam17h_zen2",
                                         "amd64_fam19h_zen4"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace prof::perf
