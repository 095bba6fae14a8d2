// Source texts, what is said about them, and how far each event's addresses are off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "analysis/annotate/skid_text.h"
#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::AnnotateBest;
using test::Stream;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string LineOf(const AnnotatedSource& source, std::uint32_t line) {
  const std::string* text = source.Line(line);
  return text == nullptr ? "(none)" : *text;
}

class Sources : public ::testing::Test {
 protected:
  Sources() {
    const auto app = stream.Module("/bin/app");
    stream.Sample(stream.Thread(5, 5, "app"), stream.Stack(app, {0x20}), 1);
    stream.Symbol(app, 0x20, "f", "/src/a.c", 3);
  }
  Stream stream;
};

TEST_F(Sources, ComeFromTheProfile) {
  stream.Add(model::SourceFile{.path = "/src/a.c",
                               .state = model::SourceState::kRead,
                               .bytes = 70,
                               .checksum = 7,
                               .text = {{2, {"two", "three"}}, {8, {"eight"}}}});
  stream.Add(model::SourceFile{.path = "/src/other.c"});
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  ASSERT_EQ(f.sources.size(), 1U);
  EXPECT_EQ(f.sources[0].state, model::SourceState::kRead);
  EXPECT_EQ(LineOf(f.sources[0], 1), "(none)");
  EXPECT_EQ(LineOf(f.sources[0], 2), "two");
  EXPECT_EQ(LineOf(f.sources[0], 3), "three");
  EXPECT_EQ(LineOf(f.sources[0], 4), "(none)");
  EXPECT_EQ(LineOf(f.sources[0], 8), "eight");
  EXPECT_THAT(f.notes, IsEmpty());
}

TEST_F(Sources, InSeveralRecordsAreOne) {
  for (const auto& [first, text] : {std::pair(8U, "eight"), std::pair(3U, "three")}) {
    stream.Add(model::SourceFile{.path = "/src/a.c",
                                 .state = model::SourceState::kRead,
                                 .bytes = 70,
                                 .checksum = 7,
                                 .text = {{first, {text}}}});
  }
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  ASSERT_EQ(f.sources.size(), 1U);
  EXPECT_EQ(LineOf(f.sources[0], 3), "three");
  EXPECT_EQ(LineOf(f.sources[0], 8), "eight");
}

TEST_F(Sources, ThatAreMissingSaySo) {
  stream.Add(model::SourceFile{.path = "/src/a.c"});
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_EQ(f.sources.at(0).state, model::SourceState::kMissing);
  EXPECT_TRUE(f.sources.at(0).text.empty());
}

TEST_F(Sources, NewerThanTheProgramAreSaid) {
  stream.Add(model::SourceFile{
      .path = "/src/a.c", .state = model::SourceState::kNewerThanProgram, .bytes = 9});
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_EQ(f.sources.at(0).warning, "was newer than the program when it was recorded");
}

TEST_F(Sources, LeftOutOnPurposeAreSaid) {
  stream.Add(model::CodeSummary{.source_wanted = false});
  EXPECT_THAT(AnnotateBest(stream.Build(), "f").notes,
              Contains(StartsWith("recorded with --no-embed-source")));
}

TEST_F(Sources, LeftOutForRoomAreSaid) {
  stream.Add(model::SourceFile{
      .path = "/src/a.c", .state = model::SourceState::kRead, .bytes = 70, .checksum = 7});
  stream.Add(model::CodeSummary{.source_lines_left_out = 12});
  EXPECT_THAT(AnnotateBest(stream.Build(), "f").notes,
              ElementsAre("the recording had no room for the text of 12 lines with samples"));
}

TEST(AddedText, FillsWhatTheProfileDoesNotHave) {
  AnnotatedSource source{.path = "/src/a.c",
                         .state = model::SourceState::kRead,
                         .bytes = 20,
                         .checksum = 7,
                         .text = {{2, {"two, recorded"}}, {4, {"four, recorded"}}}};
  AddSourceText(source, {"one", "two", "three", "four", "five"}, 20, 7);
  EXPECT_EQ(source.warning, "");
  EXPECT_EQ(LineOf(source, 1), "one");
  EXPECT_EQ(LineOf(source, 2), "two, recorded");
  EXPECT_EQ(LineOf(source, 3), "three");
  EXPECT_EQ(LineOf(source, 4), "four, recorded");
  EXPECT_EQ(LineOf(source, 5), "five");
  EXPECT_EQ(LineOf(source, 6), "(none)");
  EXPECT_EQ(LineOf(source, 0), "(none)");
}

TEST(AddedText, OfAFileThatChangedDoesNotMixWithTheRecorded) {
  AnnotatedSource source{.path = "/src/a.c", .bytes = 20, .checksum = 7, .text = {{2, {"two"}}}};
  AddSourceText(source, {"x", "y", "z"}, 20, 8);
  EXPECT_TRUE(source.warning.empty()) << "what is shown is what was recorded";
  EXPECT_EQ(LineOf(source, 1), "(none)");
  EXPECT_EQ(LineOf(source, 2), "two");
}

TEST(AddedText, OfAChangedFileIsBetterThanNone) {
  AnnotatedSource source{.path = "/src/a.c", .bytes = 20, .checksum = 7, .text = {}};
  AddSourceText(source, {"x"}, 21, 7);
  EXPECT_EQ(source.warning, "changed since the recording");
  EXPECT_EQ(LineOf(source, 1), "x");
}

TEST(AddedText, OfAFileThatWasMissingHasNothingToCompare) {
  AnnotatedSource source{.path = "/src/a.c", .text = {}};
  AddSourceText(source, {"x"}, 21, 7);
  EXPECT_EQ(source.warning, "");
  EXPECT_EQ(source.state, model::SourceState::kRead);
  EXPECT_EQ(LineOf(source, 1), "x");
}

std::string Skid(const std::string& name, std::uint32_t type, std::uint64_t config,
                 std::uint8_t precise = 0) {
  model::EventDesc event;
  event.name = name;
  event.attr_type = type;
  event.attr_config = config;
  event.precise = precise;
  return SkidText(event);
}

TEST(Skid, IsSaidOfEachKindOfEvent) {
  EXPECT_THAT(Skid("cycles", PERF_TYPE_HARDWARE, 0), HasSubstr("not precise"));
  EXPECT_THAT(Skid("cycles:p", PERF_TYPE_HARDWARE, 0, 1), StartsWith("precise (:p)"));
  EXPECT_THAT(Skid("cycles:pp", PERF_TYPE_HARDWARE, 0, 2), StartsWith("precise (:pp)"));
  EXPECT_THAT(Skid("cycles:ppp", PERF_TYPE_HARDWARE, 0, 3), StartsWith("precise (:ppp)"));
  EXPECT_THAT(Skid("mem-loads:upp", PERF_TYPE_RAW, 0x1cd, 2), StartsWith("precise (:pp)"));
  EXPECT_THAT(Skid("cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK),
              StartsWith("a timer"));
  EXPECT_THAT(Skid("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK),
              StartsWith("a timer"));
  EXPECT_THAT(Skid("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS), HasSubstr("faulted"));
  EXPECT_THAT(Skid("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES),
              HasSubstr("kernel did it"));
  EXPECT_THAT(Skid("sched:sched_switch", PERF_TYPE_TRACEPOINT, 300), StartsWith("a fixed place"));
  EXPECT_THAT(Skid("uprobe:malloc", 8, 0), StartsWith("a fixed place"));
  EXPECT_THAT(Skid("mem:0x1000:w", PERF_TYPE_BREAKPOINT, 0), StartsWith("a breakpoint"));
}

TEST(Skid, OfSourcesWithoutTypesGoesByName) {
  EXPECT_THAT(Skid("cpu-clock:u", 0, 0), StartsWith("a timer"));
  EXPECT_THAT(Skid("page-faults", 0, 0), HasSubstr("faulted"));
  EXPECT_THAT(Skid("context-switches", 0, 0), HasSubstr("kernel did it"));
  EXPECT_THAT(Skid("sched:sched_switch", 0, 0), StartsWith("a fixed place"));
  EXPECT_THAT(Skid("cycles:u", 0, 0), HasSubstr("not precise"));
}

}  // namespace
}  // namespace prof::analysis
