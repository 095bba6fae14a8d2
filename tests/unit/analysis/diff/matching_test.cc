// Modules and functions of other builds.
#include <gmock/gmock.h>

#include "analysis/diff/function_identity.h"
#include "unit/analysis/diff/diff_run.h"

namespace prof::analysis::diff {
namespace {

using test::Diff;
using test::FindRow;
using test::KeysOf;
using test::Pair;
using test::RunMaker;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// "keys presence was" of all rows.
std::vector<std::string> Matched(const ProfileDiff& diff) {
  std::vector<std::string> rows;
  for (const DiffRow& row : diff.events.front().rows) {
    const char* presence = row.presence == Presence::kBoth       ? "both"
                           : row.presence == Presence::kAppeared ? "appeared"
                                                                 : "gone";
    rows.push_back(KeysOf(row) + " " + presence + (row.was.empty() ? "" : " was " + row.was));
  }
  return rows;
}

TEST(FunctionIdentity, LeavesOutWhatABuildAdds) {
  EXPECT_EQ(FunctionIdentity("_Z1fi.isra.0.cold"), "f(int)");
  EXPECT_EQ(FunctionIdentity("_Z1fi"), "f(int)");
  EXPECT_EQ(FunctionIdentity("f.part.3"), "f");
  EXPECT_EQ(FunctionIdentity("a::b::h0123456789abcdef"), "a::b");
  EXPECT_EQ(FunctionIdentity("a::h0123456789abcdeg"), "a::h0123456789abcdeg");
  EXPECT_EQ(FunctionIdentity("::h0123456789abcdef"), "::h0123456789abcdef");
  EXPECT_EQ(FunctionIdentity(""), "");
}

TEST(FunctionIdentity, VersionsStandBehindSo) {
  EXPECT_EQ(WithoutSoVersion("libfoo.so.1.2.3"), "libfoo.so");
  EXPECT_EQ(WithoutSoVersion("libfoo.so"), "libfoo.so");
  EXPECT_EQ(WithoutSoVersion("libfoo.so.debug"), "libfoo.so.debug");
  EXPECT_EQ(WithoutSoVersion("libfoo.so."), "libfoo.so.");
  EXPECT_EQ(WithoutSoVersion(".so.1"), ".so.1");
}

TEST(Matching, AddressesAndClonesPlayNoPart) {
  RunMaker before(0x1000);
  before.Add({"main", "_Z1fi"}, 20).Add({"main", "_Z1fi.cold"}, 10).Add({"main", "g"}, 30);
  RunMaker after(0x90000);
  after.Add({"main", "g"}, 10).Add({"main", "_Z1fi.isra.0"}, 40);
  const ProfileDiff diff = Diff(Pair(before, after));
  EXPECT_THAT(Matched(diff), UnorderedElementsAre("app|f both", "app|g both", "app|main both"));
  const DiffRow* f = FindRow(diff.events.front(), "app|f");
  ASSERT_NE(f, nullptr);
  EXPECT_DOUBLE_EQ(f->self.before, 0.030);
  EXPECT_DOUBLE_EQ(f->self.after, 0.040);
  EXPECT_TRUE(diff.notes.empty());
}

TEST(Matching, ACloneThatItsFunctionCallsCountsOnceInChildren) {
  RunMaker before;
  before.Add({"main", "f", "f.cold"}, 20);
  RunMaker after;
  after.Add({"main", "f"}, 20);
  const ProfileDiff diff = Diff(Pair(before, after));
  const DiffRow* f = FindRow(diff.events.front(), "app|f");
  ASSERT_NE(f, nullptr);
  EXPECT_DOUBLE_EQ(f->children.before, 0.020);
  EXPECT_DOUBLE_EQ(f->children.after, 0.020);
}

TEST(Matching, OverloadsAreOtherFunctions) {
  RunMaker before;
  before.Add({"_Z1fi"}, 20).Add({"_Z1fd"}, 30);
  RunMaker after;
  after.Add({"_Z1fi"}, 50).Add({"_Z1fd"}, 30);
  EXPECT_THAT(Matched(Diff(Pair(before, after))),
              ElementsAre("app|f(int) both", "app|f(double) both"));
}

TEST(Matching, OtherParametersAreGuessedWhereOneCandidateIsLeft) {
  RunMaker before;
  before.Add({"_Z1fi"}, 20).Add({"_Z1gi"}, 20).Add({"_Z1gd"}, 20);
  RunMaker after;
  after.Add({"_Z1fl"}, 20).Add({"_Z1gi"}, 20).Add({"_Z1gl"}, 20);
  const ProfileDiff diff = Diff(Pair(before, after));
  EXPECT_THAT(Matched(diff), UnorderedElementsAre("app|f both was f(int)", "app|g(int) both",
                                                  "app|g(double) gone", "app|g(long) appeared"));
  EXPECT_THAT(diff.notes, Contains(HasSubstr("f(int) with f(long)")));
}

TEST(Matching, LibrariesOfOtherVersions) {
  RunMaker before;
  before.Add({"/lib/libfoo.so.1:f"}, 20).Add({"/lib/libbar.so:b"}, 20);
  RunMaker after;
  after.Add({"/opt/libfoo.so.2:f"}, 20).Add({"/opt/libbar.so:b"}, 20);
  const ProfileDiff diff = Diff(Pair(before, after));
  EXPECT_THAT(Matched(diff),
              UnorderedElementsAre("libfoo.so.2|f both was libfoo.so.1", "libbar.so|b both"));
  EXPECT_THAT(diff.notes, ElementsAre(HasSubstr("libfoo.so.1 with libfoo.so.2")));
}

TEST(Matching, OfTwoLoadedVersionsNoneIsGuessed) {
  RunMaker before;
  before.Add({"/lib/libfoo.so.1:f"}, 20).Add({"/lib/libfoo.so.2:f"}, 30);
  RunMaker after;
  after.Add({"/lib/libfoo.so.2:f"}, 20).Add({"/lib/libfoo.so.3:f"}, 30);
  EXPECT_THAT(
      Matched(Diff(Pair(before, after))),
      UnorderedElementsAre("libfoo.so.1|f gone", "libfoo.so.2|f both", "libfoo.so.3|f appeared"));
}

Profile Launched(const std::string& program, const std::vector<std::string>& functions) {
  RunMaker run;
  model::RecordingInfo info;
  info.target_command = {"./" + program};
  run.stream().Add(info);
  for (const std::string& function : functions) run.Add({"/w/" + program + ":" + function}, 20);
  return run.Build();
}

TEST(Matching, LaunchedProgramsOfOtherNamesThatShareFunctions) {
  test::Sides sides;
  sides.before.push_back(Launched("app.old", {"main", "f", "g"}));
  sides.after.push_back(Launched("app.new", {"main", "f", "h", "i"}));
  const ProfileDiff diff = Diff(sides);
  EXPECT_THAT(Matched(diff),
              UnorderedElementsAre("app.new|main both was app.old", "app.new|f both was app.old",
                                   "app.new|g gone was app.old", "app.new|h appeared",
                                   "app.new|i appeared"));
  EXPECT_THAT(diff.notes, ElementsAre(HasSubstr("app.old is compared with app.new")));
  sides.after[0] = Launched("zip", {"main", "deflate", "crc"});
  EXPECT_THAT(Matched(Diff(sides)), Contains("app.old|main gone"));
}

// What is filtered or sorted by does not decide on what is the same program.
TEST(Matching, ProgramsArePairedByAllOfTheirFunctions) {
  test::Sides sides;
  sides.before.push_back(Launched("app.old", {"main", "f", "g"}));
  sides.after.push_back(Launched("app.new", {"main", "f", "h"}));
  DiffOptions by_module;
  by_module.keys = {SortKey::kDso};
  EXPECT_THAT(Matched(Diff(sides, by_module)), ElementsAre("app.new both was app.old"));
  DiffOptions filtered;
  filtered.filter.symbols = {"g", "h"};
  EXPECT_THAT(Matched(Diff(sides, filtered)),
              UnorderedElementsAre("app.new|g gone was app.old", "app.new|h appeared"));
}

TEST(Matching, TasksOfRenamedProgramsAreTheSame) {
  const auto named = [](const std::string& comm) {
    RunMaker run;
    run.stream().Add(model::ThreadRename{.thread = run.thread(), .time_ns = 1, .name = comm});
    run.Add({"f"}, 20);
    return run.Build();
  };
  test::Sides sides;
  sides.before.push_back(named("a_program_of_lo"));  // 15 bytes are what the kernel keeps
  sides.after.push_back(named("b"));
  DiffOptions options;
  options.renames = {{"/bin/a_program_of_long_name", "/bin/b"}};
  options.keys = {SortKey::kComm};
  EXPECT_THAT(Matched(Diff(sides, options)), ElementsAre("b both was a_program_of_lo"));
  options.keys = {SortKey::kTid};
  EXPECT_EQ(Diff(sides, options).events.front().rows.size(), 1U);
}

TEST(Matching, RenamedModules) {
  RunMaker before;
  before.Add({"/build/app-old:f"}, 20).Add({"/build/app-old:h"}, 20);
  RunMaker after;
  after.Add({"/build/app-new:f"}, 30).Add({"/build/app-new:h"}, 20);
  DiffOptions options;
  options.renames = {{"app-old", "/build/app-new"}};
  EXPECT_THAT(Matched(Diff(Pair(before, after), options)),
              UnorderedElementsAre("app-new|f both", "app-new|h both"));
}

TEST(Matching, CodeWithoutSymbolsIsOneRowPerModule) {
  RunMaker before;
  before.Add({"/bin/x:?"}, 20).Add({"/bin/y:?"}, 20);
  RunMaker after(0x777000);
  after.Add({"/bin/x:?"}, 25).Add({"/bin/y:?"}, 20);
  EXPECT_THAT(Matched(Diff(Pair(before, after))),
              UnorderedElementsAre("x|[unknown] both", "y|[unknown] both"));
}

TEST(Matching, WithoutModulesInTheKeysFunctionsMayMove) {
  RunMaker before;
  before.Add({"/bin/app:f"}, 20);
  RunMaker after;
  after.Add({"/lib/libapp.so:f"}, 20);
  DiffOptions options;
  options.keys = {SortKey::kSym};
  EXPECT_THAT(Matched(Diff(Pair(before, after), options)), ElementsAre("f both"));
}

TEST(Matching, JitMemoryAndTheKernelHaveNoProcessInTheirNames) {
  const auto add = [](RunMaker& run, std::uint32_t pid) {
    const auto jit = run.stream().Module("/tmp/perf.map", model::ModuleKind::kJit, pid);
    const auto kernel = run.stream().Module("[kernel.kallsyms]", model::ModuleKind::kKernel);
    run.stream().Symbol(jit, 0x10 * pid, "hot");
    run.stream().Symbol(kernel, 0x10 * pid, "do_read");
    for (std::uint64_t i = 0; i < 20; ++i) {
      run.stream().Sample(run.thread(), run.stream().Stack(jit, {0x10 * pid}), 5, i);
      run.stream().Sample(run.thread(), run.stream().Stack(kernel, {0x10 * pid}), 5, i);
    }
  };
  RunMaker first;
  add(first, 11);
  RunMaker second;
  add(second, 12);
  const ProfileDiff diff = Diff(Pair(first, second));
  EXPECT_THAT(Matched(diff),
              UnorderedElementsAre("[JIT]|hot both", "[kernel.kallsyms]|do_read both"));
  EXPECT_EQ(FindRow(diff.events.front(), "[kernel.kallsyms]|do_read")->level, 'k');
}

TEST(Matching, ThreadsAreNumberedByTheirBeginning) {
  const auto add = [](RunMaker& run, std::uint32_t first_tid, int threads) {
    const auto node = run.stream().Stack(run.Module("/bin/app"), {0x10});
    run.stream().Symbol(run.Module("/bin/app"), 0x10, "f");
    for (int i = 0; i < threads; ++i) {
      // The later its beginning, the smaller its id.
      const auto thread = run.stream().Thread(7, first_tid - i, "worker", 100 + i);
      for (int sample = 0; sample < 20 * (i + 1); ++sample) {
        run.stream().Sample(thread, node, 1'000'000, 1000 + sample);
      }
    }
    for (int i = 0; i < 10; ++i) run.stream().Sample(model::kUnknownThread, node, 1, 2000);
  };
  RunMaker before;
  add(before, 900, 2);
  RunMaker after;
  add(after, 500, 3);
  DiffOptions options;
  options.keys = {SortKey::kTid};
  const ProfileDiff diff = Diff(Pair(before, after), options);
  EXPECT_THAT(Matched(diff), UnorderedElementsAre("worker #1 both", "worker #2 both",
                                                  "worker #3 appeared", "[unknown] both"));
  EXPECT_DOUBLE_EQ(FindRow(diff.events.front(), "worker #2")->self.before, 0.040);
}

}  // namespace
}  // namespace prof::analysis::diff
