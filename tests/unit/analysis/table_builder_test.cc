// Rows of report tables: keys, self and children, inlines, filters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/stream.h"

#include "prof/analysis/report_table.h"

namespace prof::analysis {
namespace {

using test::Stream;
using ::testing::ElementsAre;

// "keys joined by | level self/children" per row.
std::vector<std::string> Rows(const EventTable& table) {
  std::vector<std::string> result;
  for (const TableRow& row : table.rows) {
    std::string text;
    for (const std::string& key : row.keys) text += (text.empty() ? "" : "|") + key;
    result.push_back(text + " " + row.level + " " + std::to_string(row.self_weight) + "/" +
                     std::to_string(row.children_weight));
  }
  return result;
}

std::vector<EventTable> Tables(const Profile& profile, const TableOptions& options) {
  auto tables = BuildTables(profile, options);
  EXPECT_TRUE(tables.has_value());
  return tables.value_or(std::vector<EventTable>{});
}

TableOptions BySymbol() {
  TableOptions options;
  options.sort = {SortKey::kSym};
  return options;
}

// main calls f, f calls itself once and g; g is in another module.
class Recursion : public ::testing::Test {
 protected:
  Recursion() {
    const auto app = stream.Module("/bin/app");
    const auto lib = stream.Module("/lib/libg.so");
    const auto thread = stream.Thread(5, 5, "app");
    const auto f = stream.Stack(app, {0x10, 0x20, 0x21});
    stream.Sample(thread, f, 30);
    stream.Sample(thread, stream.Node(f, lib, 0x30), 50, 2000, 3);
    stream.Sample(thread, stream.Stack(app, {0x10}), 20);
    stream.Symbol(app, 0x10, "main", "/src/main.c", 3);
    stream.Symbol(app, 0x20, "f", "/src/f.c", 8);
    stream.Symbol(app, 0x21, "f", "/src/f.c", 9);
    stream.Symbol(lib, 0x30, "g", "", 0);
  }
  Stream stream;
};

TEST_F(Recursion, CountsOncePerSampleInChildren) {
  const auto tables = Tables(stream.Build(), BySymbol());
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_TRUE(tables[0].children);
  EXPECT_EQ(tables[0].order, CallGraphOrder::kCaller);
  EXPECT_EQ(tables[0].total_weight, 100U);
  EXPECT_EQ(tables[0].total_samples, 3U);
  EXPECT_THAT(Rows(tables[0]), ElementsAre("main . 20/100", "f . 30/80", "g . 50/50"));
  EXPECT_EQ(tables[0].rows[1].children_samples, 2U);
  EXPECT_EQ(tables[0].rows[1].self_samples, 1U);
}

TEST_F(Recursion, WithoutChildrenOnlyLeavesHaveRows) {
  TableOptions options = BySymbol();
  options.children = false;
  const auto tables = Tables(stream.Build(), options);
  EXPECT_EQ(tables[0].order, CallGraphOrder::kCallee);
  EXPECT_THAT(Rows(tables[0]), ElementsAre("g . 50/50", "f . 30/30", "main . 20/20"));
}

TEST_F(Recursion, SortsByDefaultKeys) {
  EXPECT_THAT(Rows(Tables(stream.Build(), {})[0]),
              ElementsAre("app|app|main . 20/100", "app|app|f . 30/80", "app|libg.so|g . 50/50"));
}

TEST_F(Recursion, SortsByEveryOtherKey) {
  const Profile profile = stream.Build();
  const auto rows = [&](SortKey key) {
    TableOptions options;
    options.sort = {key};
    return Rows(Tables(profile, options)[0]);
  };
  EXPECT_THAT(rows(SortKey::kComm), ElementsAre("app . 100/100"));
  EXPECT_THAT(rows(SortKey::kPid), ElementsAre("5:app . 100/100"));
  EXPECT_THAT(rows(SortKey::kTid), ElementsAre("5:app . 100/100"));
  EXPECT_THAT(rows(SortKey::kDso), ElementsAre("app . 50/100", "libg.so . 50/50"));
  EXPECT_THAT(rows(SortKey::kSrcLine),
              ElementsAre("main.c:3 . 20/100", "f.c:9 . 30/80", "f.c:8 . 0/80", "??:0 . 50/50"));
  EXPECT_THAT(rows(SortKey::kSrcFile), ElementsAre("main.c . 20/100", "f.c . 30/80", "?? . 50/50"));
  EXPECT_THAT(rows(SortKey::kCpu), ElementsAre("000 . 50/50", "003 . 50/50"));
  EXPECT_THAT(rows(SortKey::kTime), ElementsAre("0.000000 . 100/100"));
  EXPECT_THAT(rows(SortKey::kEvent), ElementsAre("cpu-clock . 100/100"));
}

TEST_F(Recursion, MaxStackCutsCallers) {
  TableOptions options = BySymbol();
  options.max_stack = 2;
  EXPECT_THAT(Rows(Tables(stream.Build(), options)[0]),
              ElementsAre("f . 30/80", "g . 50/50", "main . 20/20"));
}

TEST_F(Recursion, IgnoredCalleesFoldIntoTheOutermostMatch) {
  TableOptions options = BySymbol();
  options.ignore_callees = {"^f$"};
  EXPECT_THAT(Rows(Tables(stream.Build(), options)[0]), ElementsAre("main . 20/100", "f . 80/80"));
}

TEST_F(Recursion, ParentKeepsOnlyStacksThatHaveIt) {
  TableOptions options = BySymbol();
  options.parent_regex = "^g";
  auto tables = Tables(stream.Build(), options);
  EXPECT_THAT(Rows(tables[0]), ElementsAre("g . 50/50", "f . 0/50", "main . 0/50"));
  EXPECT_EQ(tables[0].filtered_samples, 2U);
  EXPECT_EQ(tables[0].total_weight, 100U);
}

TEST_F(Recursion, RelativePercentagesCountOnlyWhatIsLeft) {
  const Profile profile = stream.Build();
  TableOptions options = BySymbol();
  options.filter.dsos = {"libg.so"};
  EXPECT_EQ(Tables(profile, options)[0].total_weight, 100U);
  options.relative_percentage = true;
  const auto tables = Tables(profile, options);
  EXPECT_EQ(tables[0].total_weight, 50U);
  EXPECT_EQ(tables[0].total_samples, 1U);
  EXPECT_EQ(tables[0].filtered_samples, 2U);
}

TEST_F(Recursion, FiltersLookAtTheSampleAndItsLeaf) {
  const Profile profile = stream.Build();
  const auto left = [&](auto change) {
    TableOptions options = BySymbol();
    options.relative_percentage = true;
    change(options.filter);
    return Tables(profile, options)[0].total_weight;
  };
  EXPECT_EQ(left([](SampleFilter& f) { f.comms = {"app"}; }), 100U);
  EXPECT_EQ(left([](SampleFilter& f) { f.comms = {"ap"}; }), 0U);
  EXPECT_EQ(left([](SampleFilter& f) { f.dsos = {"/bin/app"}; }), 50U);
  EXPECT_EQ(left([](SampleFilter& f) { f.symbols = {"f", "g"}; }), 80U);
  EXPECT_EQ(left([](SampleFilter& f) { f.symbol_contains = "ai"; }), 20U);
  EXPECT_EQ(left([](SampleFilter& f) { f.pids = {5}; }), 100U);
  EXPECT_EQ(left([](SampleFilter& f) { f.tids = {6}; }), 0U);
  EXPECT_EQ(left([](SampleFilter& f) { f.cpus = {3}; }), 50U);
  EXPECT_EQ(left([](SampleFilter& f) { f.time_begin_ns = 1001; }), 50U);
  EXPECT_EQ(left([](SampleFilter& f) { f.time_end_ns = 1999; }), 50U);
}

TEST_F(Recursion, RowsBelowThePercentLimitAreCounted) {
  TableOptions options = BySymbol();
  options.percent_limit = 80;
  const auto tables = Tables(stream.Build(), options);
  EXPECT_THAT(Rows(tables[0]), ElementsAre("main . 20/100", "f . 30/80"));
  EXPECT_EQ(tables[0].hidden_rows, 1U);
}

TEST_F(Recursion, BadExpressionsAreTheUsersMistake) {
  const Profile profile = stream.Build();
  TableOptions options;
  options.parent_regex = "(";
  auto tables = BuildTables(profile, options);
  ASSERT_FALSE(tables.has_value());
  EXPECT_EQ(tables.error().kind, ErrorKind::kUsage);
}

TEST(TableBuilder, InlinedFunctionsAreFramesOrFolded) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  stream.Sample(stream.Thread(1, 1, "app"), stream.Stack(app, {0x10}), 10);
  stream.Symbol(app, 0x10,
                {{.name = "tiny", .file = "/s/tiny.h", .line = 2, .inlined = true},
                 {.name = "main", .file = "/s/main.c", .line = 9, .inlined = false}});
  const Profile profile = stream.Build();
  TableOptions options = BySymbol();
  EXPECT_THAT(Rows(Tables(profile, options)[0]), ElementsAre("tiny . 10/10", "main . 0/10"));
  options.inlines = false;
  EXPECT_THAT(Rows(Tables(profile, options)[0]), ElementsAre("main . 10/10"));
}

TEST(TableBuilder, NamesModulesAndLevelsAsPerf) {
  Stream stream;
  const auto kernel = stream.Module("[kernel.kallsyms]", model::ModuleKind::kKernel);
  const auto jit = stream.Module("/tmp/perf-7.map", model::ModuleKind::kJit, 7);
  const auto thread = stream.Thread(7, 7, "node");
  const auto none = model::StackEnd::kNotWalked;
  stream.Sample(thread, stream.Stack(kernel, {0xffffffff81000010}, none), 3);
  stream.Sample(thread, stream.Stack(jit, {0x1234}, none), 2);
  stream.Sample(thread, stream.Stack(jit, {0x1235}, none), 1);
  stream.Sample(thread, model::RootOf(none), 1);
  stream.Symbol(kernel, 0xffffffff81000010, "schedule");
  TableOptions options;
  options.sort = {SortKey::kDso, SortKey::kSym};
  const auto tables = Tables(stream.Build(), options);
  EXPECT_FALSE(tables[0].children);
  EXPECT_THAT(
      Rows(tables[0]),
      ElementsAre("[kernel.kallsyms]|schedule k 3/3", "[JIT] pid 7|0x0000000000001234 . 2/2",
                  "[JIT] pid 7|0x0000000000001235 . 1/1", "[unknown]|0x0000000000000000 . 1/1"));
  EXPECT_TRUE(tables[0].rows[0].call_graph.empty());
}

TEST(TableBuilder, EachEventHasATable) {
  Stream stream;
  stream.AddEvent("faults");
  stream.AddEvent("never");
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  const auto stack = stream.Stack(app, {0x10});
  stream.Sample(thread, stack, 5);
  stream.Sample(thread, stack, 7, 1, 0, 1);
  const auto tables = Tables(stream.Build(), {});
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[0].total_weight, 5U);
  EXPECT_EQ(tables[1].total_weight, 7U);
  EXPECT_EQ(tables[1].event, 1U);
  EXPECT_TRUE(tables[2].rows.empty());
}

TEST(TableBuilder, CallersCountUnderTheNameOfTheSample) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "old");
  const auto stack = stream.Stack(app, {0x10, 0x20});
  stream.Rename(thread, 500, "new");
  stream.Sample(thread, stack, 1, 400);
  stream.Sample(thread, stack, 1, 600);
  stream.Symbol(app, 0x10, "main");
  stream.Symbol(app, 0x20, "f");
  TableOptions options;
  options.sort = {SortKey::kComm, SortKey::kSym};
  EXPECT_THAT(Rows(Tables(stream.Build(), options)[0]),
              ElementsAre("new|f . 1/1", "old|f . 1/1", "new|main . 0/1", "old|main . 0/1"));
}

}  // namespace
}  // namespace prof::analysis
