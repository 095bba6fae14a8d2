// Whole outputs of `prof diff`; PROF_REGENERATE=1 writes them anew after a wanted change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "unit/report/diff_data.h"

#include "prof/report/diff_formats.h"
#include "prof/report/diff_text.h"

namespace prof::report {
namespace {

using analysis::diff::CallerChange;
using analysis::diff::DiffTree;
using analysis::diff::ProfileDiff;

CallerChange Caller(const char* name, const analysis::diff::Change& change,
                    std::vector<CallerChange> callers = {}) {
  CallerChange caller;
  caller.name = name;
  caller.change = change;
  caller.callers = std::move(callers);
  return caller;
}

ProfileDiff WithCallers() {
  ProfileDiff diff = test::Faster();
  const auto all = test::Changed(0.9, 0.5, 0.05, 0.0001);
  diff.events[0].callers.resize(diff.events[0].rows.size());
  diff.events[0].callers[0] = {
      Caller("read_table", all, {Caller("main", all, {Caller("_start", all)})}),
      Caller("replay(std::vector<Row, std::allocator<Row> > const&)",
             test::Changed(0.3, 0.29, 0.05, 0.6)),
      Caller("retry", test::Changed(0.0214, 0.01144, 0.01, 0.6))};
  diff.events[0].callers[1] = {Caller("grow", test::Changed(0.4, 0.1, 0.03, 0.001),
                                      {Caller("push", test::Changed(0.3, 0.05, 0.03, 0.001)),
                                       Caller("insert", test::Changed(0.1, 0.05, 0.03, 0.2))}),
                               Caller("copy", test::Changed(0.0102, 0.20011, 0.03, 0.001))};
  return diff;
}

ProfileDiff TwoEvents() {
  ProfileDiff diff = test::Faster();
  diff.warnings = {"the kernels differ: 6.1.0 and 6.5.0"};
  diff.notes = {"libfoo.so.1 was compared with libfoo.so.2"};
  diff.events.push_back(diff.events.front());
  auto& misses = diff.events.back();
  misses.event.name = "cache-misses";
  misses.event.unit = model::EventUnit::kCount;
  misses.unit.unit = model::EventUnit::kCount;
  const double scale = 1e6;
  const auto scaled = [&](analysis::diff::Change& change) {
    change.before *= scale;
    change.after *= scale;
    if (change.test) change.test->interval.low *= scale;
    if (change.test) change.test->interval.high *= scale;
  };
  scaled(misses.total.change);
  scaled(misses.scarce);
  for (auto& row : misses.rows) scaled(row.self);
  for (double& run : misses.before.runs) run *= scale;
  for (double& run : misses.after.runs) run *= scale;
  misses.before.mean *= scale;
  misses.before.whole *= scale;
  misses.after.mean *= scale;
  misses.after.whole *= scale;
  misses.rows.resize(3);
  misses.total.change.before = 1831695;
  misses.total.change.after = 1350980;
  return diff;
}

ProfileDiff Tree() {
  ProfileDiff diff = test::Faster();
  DiffTree& tree = diff.events[0].tree.emplace();
  tree.names = {"", "main", "a;b\nc", "leaf"};
  tree.nodes.resize(5);
  const auto node = [&](std::size_t at, std::uint32_t name, std::uint32_t parent,
                        std::uint32_t size, double before, double after) {
    tree.nodes[at] = {.name = name,
                      .parent = parent,
                      .size = size,
                      .self_before = before,
                      .self_after = after,
                      .total = test::Changed(before, after, 0.01, 0.2)};
  };
  node(0, 0, 0, 5, 0, 0);
  node(1, 1, 0, 3, 0.5, 0.25);
  node(2, 2, 1, 2, 0, 0);
  node(3, 3, 2, 1, 0.000001, 1.5);
  node(4, 3, 0, 1, 2, 0);
  return diff;
}

ProfileDiff PerfRows() {
  ProfileDiff diff = test::Faster();
  diff.runs = {test::Run(test::diff::Side::kBefore, "old"),
               test::Run(test::diff::Side::kAfter, "new")};
  auto& rows = diff.events[0].rows;
  rows[1].presence = analysis::diff::Presence::kGone;
  rows[1].self.after = 0;
  rows[2].presence = analysis::diff::Presence::kAppeared;
  rows[2].self.before = 0;
  return diff;
}

struct Case {
  const char* file;
  std::function<std::string()> render;
};

const Case kCases[] = {
    {"faster.txt", [] { return RenderDiff(test::Faster(), {}); }},
    {"faster.80.txt", [] { return RenderDiff(test::Faster(), {.width = 80}); }},
    {"faster.color.txt", [] { return RenderDiff(test::Faster(), {.width = 80, .color = true}); }},
    {"faster.columns.txt",
     [] {
       return RenderDiff(test::Faster(), {.all_rows = true, .samples = true, .percent = true});
     }},
    {"faster.separator.txt",
     [] {
       return RenderDiff(test::Faster(), {.quiet = true, .all_rows = true, .separator = ","});
     }},
    {"faster.children.txt",
     [] { return RenderDiff(test::Faster(), {.width = 80, .children = true}); }},
    {"single.80.txt", [] { return RenderDiff(test::SingleRuns(), {.width = 80}); }},
    {"names.80.txt", [] { return RenderDiff(test::LongNames(), {.width = 80, .all_rows = true}); }},
    {"names.120.txt",
     [] { return RenderDiff(test::LongNames(), {.width = 120, .all_rows = true}); }},
    {"names.txt", [] { return RenderDiff(test::LongNames(), {}); }},
    {"callers.80.txt", [] { return RenderDiff(WithCallers(), {.width = 80, .callers = true}); }},
    {"events.80.txt", [] { return RenderDiff(TwoEvents(), {.width = 80}); }},
    {"perf.delta-abs.txt", [] { return RenderPerfDiff(PerfRows(), {}); }},
    {"perf.delta.txt",
     [] {
       return RenderPerfDiff(PerfRows(),
                             {.compute = PerfCompute::kDelta, .period = true, .formula = true});
     }},
    {"perf.ratio.txt",
     [] {
       return RenderPerfDiff(PerfRows(),
                             {.compute = PerfCompute::kRatio, .period = true, .formula = true});
     }},
    {"perf.wdiff.txt",
     [] {
       return RenderPerfDiff(PerfRows(), {.compute = PerfCompute::kWeightedDiff,
                                          .weight_before = 1,
                                          .weight_after = 2,
                                          .order = 0,
                                          .formula = true});
     }},
    {"perf.separator.txt",
     [] {
       return RenderPerfDiff(PerfRows(), {.baseline_only = true, .quiet = true, .separator = ";"});
     }},
    {"tree.json", [] { return RenderDiffJson(Tree()); }},
    {"callers.json", [] { return RenderDiffJson(WithCallers()); }},
    {"tree.folded", [] { return RenderDiffFolded(Tree()); }},
};

class DiffGoldenTest : public testing::TestWithParam<Case> {};

TEST_P(DiffGoldenTest, PrintsWhatItPrintedBefore) {
  const std::string path = std::string(PROF_TEST_DATA "/../golden/diff/") + GetParam().file;
  const std::string text = GetParam().render();
  if (std::getenv("PROF_REGENERATE") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str());
}

INSTANTIATE_TEST_SUITE_P(Outputs, DiffGoldenTest, testing::ValuesIn(kCases), [](const auto& test) {
  std::string name = test.param.file;
  std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
  return name;
});

}  // namespace
}  // namespace prof::report
