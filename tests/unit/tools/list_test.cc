// What prof list selects and prints, on the machines of tests/data/hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "list_metrics.h"
#include "list_output.h"
#include "list_selection.h"

namespace prof::tools {
namespace {

using perf::OpenFailure;
using perf::OpenResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// No hardware counters; PMUs outside of the cores count and do not sample.
OpenResult SmallKernel(const perf_event_attr& attr, pid_t tid, int /*cpu*/) {
  if (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE ||
      attr.type == PERF_TYPE_RAW) {
    return {.fd = {}, .failure = OpenFailure::kNoSuchEvent, .error_number = ENOENT};
  }
  if (tid < 0 && attr.sample_type != 0) {
    return {.fd = {}, .failure = OpenFailure::kInvalid, .error_number = EINVAL};
  }
  return {};
}

OpenResult WholeKernel(const perf_event_attr& attr, pid_t tid, int cpu) {
  return tid < 0 ? SmallKernel(attr, tid, cpu) : OpenResult{};
}

perf::EventCatalog Catalog(const std::string& host) {
  const perf::EventOpener open = host.starts_with("vm") ? SmallKernel : WholeKernel;
  const HostFs fs(PROF_TEST_DATA "/hosts/" + host);
  perf::EventCatalog catalog = perf::ReadEventCatalog(fs, {.open = open, .pfm = false});
  AddMetrics(fs, open, catalog);
  return catalog;
}

perf::CatalogEntry Metric(const std::string& host, const perf::EventOpener& open,
                          const std::string& name) {
  perf::EventCatalog catalog;
  AddMetrics(HostFs(PROF_TEST_DATA "/hosts/" + host), open, catalog);
  for (perf::CatalogEntry& entry : catalog.entries) {
    if (entry.name == name) return std::move(entry);
  }
  ADD_FAILURE() << "no metric " << name;
  return {};
}

std::vector<std::string> Selected(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const auto& entry : SelectEvents(Catalog("intel-icelake"), words).entries) {
    names.push_back(entry.name);
  }
  return names;
}

TEST(ListSelectionTest, TakesKindsGlobsAndPartsInAnyCase) {
  EXPECT_THAT(Selected({"probe"}), ElementsAre("probe_libc:malloc"));
  EXPECT_THAT(Selected({"SCHED:*"}), ElementsAre("sched:sched_process_exec", "sched:sched_switch"));
  EXPECT_THAT(Selected({"Openat"}), ElementsAre("syscalls:sys_enter_openat"));
  EXPECT_EQ(Selected({"tracepoint"}).size(), 3u);
  EXPECT_EQ(Selected({"sw"}), Selected({"software"}));
}

TEST(ListSelectionTest, FindsEventsByTheirAliasesAndWithoutTheirPmu) {
  EXPECT_THAT(Selected({"cs"}), testing::Contains("context-switches"));
  EXPECT_THAT(Selected({"slot?"}), ElementsAre("cpu/slots/"));
}

TEST(ListSelectionTest, LooksIntoDescriptionsForWordsThatAreInNoName) {
  EXPECT_THAT(Selected({"mispredicted"}), ElementsAre("branch-misses", "cpu/branch-misses/"));
}

TEST(ListSelectionTest, ShowsAnEventOnceForSeveralWords) {
  EXPECT_EQ(Selected({"sw", "page-faults", "*faults"}), Selected({"sw"}));
}

TEST(ListSelectionTest, NamesTheWordsThatSelectNothing) {
  const ListSelection selection =
      SelectEvents(Catalog("intel-icelake"), {"qqq", "page-faults", "x*y"});
  EXPECT_THAT(selection.unmatched, ElementsAre("qqq", "x*y"));
  EXPECT_EQ(selection.entries.size(), 1u);
}

TEST(ListSelectionTest, SaysOfAnEmptyKindThatItIsEmpty) {
  const ListSelection selection = SelectEvents(Catalog("amd-zen4"), {"pfm"});
  EXPECT_THAT(selection.unmatched, IsEmpty());
  EXPECT_THAT(RenderListText(selection, {}), HasSubstr("(libpfm4): none on this machine"));
  const ListSelection vm = SelectEvents(Catalog("vm-without-pmu"), {"tracepoint", "probe"});
  EXPECT_EQ(vm.gaps.size(), 1u);
}

TEST(ListMetricsTest, NameTheEventsOfThisMachine) {
  const auto icelake = Metric("intel-icelake", WholeKernel, "retiring");
  ASSERT_EQ(icelake.events.size(), 1u);
  EXPECT_THAT(icelake.events[0], testing::StartsWith("{slots,"));
  EXPECT_TRUE(icelake.availability.can_count);
  EXPECT_FALSE(icelake.availability.can_sample);
  const auto zen = Metric("amd-zen4", WholeKernel, "retiring");
  ASSERT_EQ(zen.events.size(), 1u);
  EXPECT_THAT(zen.events[0], testing::StartsWith("{cpu/event=0x76/,"));
}

TEST(ListMetricsTest, WhatIsMissingIsSaid) {
  const auto ipc = Metric("vm-without-pmu", SmallKernel, "ipc");
  EXPECT_FALSE(ipc.availability.can_count);
  EXPECT_THAT(ipc.events, ElementsAre("{cycles,instructions}"));
  EXPECT_THAT(ipc.availability.reason, HasSubstr("no hardware counters"));
  const auto retiring = Metric("vm-without-pmu", SmallKernel, "retiring");
  EXPECT_FALSE(retiring.availability.can_count);
  EXPECT_THAT(retiring.events, IsEmpty());
  EXPECT_THAT(retiring.availability.reason, HasSubstr("has not all events"));
}

// Without rights, and where the kernel refuses topdown events that stand alone.
TEST(ListMetricsTest, RightsAndGroupsAreTakenIntoAccount) {
  const perf::EventOpener unprivileged = [](const perf_event_attr& attr, pid_t, int) -> OpenResult {
    if (attr.exclude_kernel != 0) return {};
    return {.fd = {}, .failure = OpenFailure::kPermission, .error_number = EACCES};
  };
  EXPECT_EQ(Metric("intel-icelake", unprivileged, "ipc").availability.scope,
            perf::EventScope::kUserOnly);
  const auto switches = Metric("intel-icelake", unprivileged, "context-switch-rate");
  EXPECT_FALSE(switches.availability.can_count);
  EXPECT_FALSE(switches.availability.reason.empty());

  const perf::EventOpener alone_refused = [](const perf_event_attr& attr, pid_t,
                                             int) -> OpenResult {
    const bool topdown =
        attr.type == PERF_TYPE_RAW && (attr.config & 0xff) == 0 && attr.config >= 0x8000;
    if (!topdown) return {};
    return {.fd = {}, .failure = OpenFailure::kInvalid, .error_number = EINVAL};
  };
  EXPECT_TRUE(Metric("intel-icelake", alone_refused, "retiring").availability.can_count);
}

// Of several ways the one that can be counted, although the first one exists too.
TEST(ListMetricsTest, AnAlternativeThatCanBeCountedIsTaken) {
  const perf::EventOpener no_task_clock = [](const perf_event_attr& attr, pid_t,
                                             int) -> OpenResult {
    const bool task_clock =
        attr.type == PERF_TYPE_SOFTWARE && attr.config == PERF_COUNT_SW_TASK_CLOCK;
    if (!task_clock) return {};
    return {.fd = {}, .failure = OpenFailure::kNoSuchEvent, .error_number = ENOENT};
  };
  EXPECT_THAT(Metric("intel-icelake", no_task_clock, "cpus-utilized").events,
              ElementsAre("cpu-clock"));
}

TEST(ListMetricsTest, AreAKindAndSayThatTheyAreCounted) {
  const ListSelection selection = SelectEvents(Catalog("intel-icelake"), {"metric"});
  ASSERT_FALSE(selection.entries.empty());
  const std::string text = RenderListText(selection, {.width = 80});
  EXPECT_THAT(text, testing::StartsWith("Metrics of prof stat ("));
  EXPECT_THAT(text, HasSubstr(": count\n"));
  EXPECT_THAT(text, HasSubstr("Instructions per cycle; from {cycles,\n"));
  const auto json = nlohmann::json::parse(RenderListJson(selection));
  EXPECT_EQ(json["events"][0]["kind"], "metric");
  EXPECT_EQ(json["events"][0]["events"][0], "task-clock");
}

TEST(ListTextTest, SaysAReasonOnceForAllEvents) {
  const std::string text = RenderListText({SelectEvents(Catalog("vm-without-pmu"), {"hw"})}, {});
  const std::size_t at = text.find("no hardware counters");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.find("no hardware counters", at + 1), std::string::npos);
}

TEST(ListTextTest, UsesTheWidthThatThereIs) {
  const ListSelection selection = SelectEvents(Catalog("vm-without-pmu"), {});
  std::istringstream narrow(RenderListText(selection, {.width = 80}));
  for (std::string line; std::getline(narrow, line);) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(RenderListText(selection, {.width = 200}),
              HasSubstr("(virtual machines often have none)\n"));
}

TEST(ListTextTest, LeavesDescriptionsOutOnRequest) {
  const ListSelection selection = SelectEvents(Catalog("vm-without-pmu"), {"page-faults"});
  EXPECT_EQ(RenderListText(selection, {.descriptions = false}),
            "Software events: count, sample\n  page-faults or faults\n");
}

TEST(ListJsonTest, HasEveryFact) {
  const auto json =
      nlohmann::json::parse(RenderListJson(SelectEvents(Catalog("intel-icelake"), {"energy-pkg"})));
  ASSERT_EQ(json["events"].size(), 1u);
  const auto& event = json["events"][0];
  EXPECT_EQ(event["name"], "power/energy-pkg/");
  EXPECT_EQ(event["kind"], "pmu");
  EXPECT_EQ(event["unit"], "Joules");
  EXPECT_EQ(event["can_count"], true);
  EXPECT_EQ(event["can_sample"], false);
  EXPECT_EQ(event["scope"], "cpu_wide");
  EXPECT_THAT(event["reason"].get<std::string>(), HasSubstr("refuses to sample"));
  EXPECT_TRUE(json["gaps"].is_array());
}

// Whole lists; PROF_REGENERATE=1 writes them anew after a wanted change.
class ListGoldenTest : public testing::TestWithParam<const char*> {};

TEST_P(ListGoldenTest, PrintsWhatItPrintedBefore) {
  const std::string path = std::string(PROF_TEST_DATA "/../golden/list/") + GetParam() + ".txt";
  ListSelection selection = SelectEvents(Catalog(GetParam()), {});
  const std::string text = RenderListText(selection, {.long_descriptions = true});
  if (std::getenv("PROF_REGENERATE") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str());
}

INSTANTIATE_TEST_SUITE_P(Hosts, ListGoldenTest,
                         testing::Values("intel-icelake", "intel-alderlake", "amd-zen4",
                                         "arm64-big-little", "vm-without-pmu"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace prof::tools
