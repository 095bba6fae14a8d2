// What prof list selects and prints, on the machines of tests/data/hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

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
  return perf::ReadEventCatalog(
      HostFs(PROF_TEST_DATA "/hosts/" + host),
      {.open = host.starts_with("vm") ? SmallKernel : WholeKernel, .pfm = false});
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
