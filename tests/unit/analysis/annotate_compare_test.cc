// Two recordings of one function: aligned lines, same code, common events.
#include "prof/analysis/annotate_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "analysis/annotate/code_identity.h"
#include "analysis/annotate/sequence_diff.h"
#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::AddCode;
using test::AnnotateBest;
using test::LoopCode;
using test::Stream;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Text = std::vector<std::string_view>;

// Each line is a letter.
std::string Common(const std::string& a, const std::string& b) {
  const auto lines = [](const std::string& letters) {
    Text text;
    for (const char& letter : letters) text.emplace_back(&letter, 1);
    return text;
  };
  std::string common;
  std::pair<int, int> last{-1, -1};
  for (const auto& [i, j] : CommonLines(lines(a), lines(b))) {
    EXPECT_EQ(a.at(i), b.at(j));
    EXPECT_GT(static_cast<int>(i), last.first);
    EXPECT_GT(static_cast<int>(j), last.second);
    last = {i, j};
    common += a.at(i);
  }
  return common;
}

TEST(SequenceDiff, FindsWhatIsCommon) {
  EXPECT_EQ(Common("", ""), "");
  EXPECT_EQ(Common("abc", ""), "");
  EXPECT_EQ(Common("", "abc"), "");
  EXPECT_EQ(Common("abc", "abc"), "abc");
  EXPECT_EQ(Common("abc", "axbc"), "abc");
  EXPECT_EQ(Common("abxc", "abc"), "abc");
  EXPECT_EQ(Common("abc", "xyz"), "");
  EXPECT_EQ(Common("abcabba", "cbabac").size(), 4U);  // Myers' example
  EXPECT_EQ(Common("{a}{b}{c}", "{a}{x}{b}{c}"), "{a}{b}{c}");
}

TEST(SequenceDiff, IsAsLongAsTheLongestCommonRunOfRepeatedLines) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    // Every letter twice at least, so that none is an anchor.
    std::string a = "aabbcc";
    std::string b = "aabbcc";
    for (unsigned i = random() % 20; i > 0; --i) a += "abc"[random() % 3];
    for (unsigned i = random() % 20; i > 0; --i) b += "abc"[random() % 3];
    std::ranges::shuffle(a, random);
    std::ranges::shuffle(b, random);
    std::vector<std::vector<std::size_t>> longest(a.size() + 1,
                                                  std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j) {
        longest[i][j] = a[i - 1] == b[j - 1] ? longest[i - 1][j - 1] + 1
                                             : std::max(longest[i - 1][j], longest[i][j - 1]);
      }
    }
    EXPECT_EQ(Common(a, b).size(), longest[a.size()][b.size()]) << a << " " << b;
  }
}

TEST(SequenceDiff, OfFilesWithNothingInCommonIsBounded) {
  std::vector<std::string> owned;
  for (int i = 0; i < 200'000; ++i) owned.push_back(std::to_string(i % 100'000 / 2));
  const Text a(owned.begin(), owned.begin() + 100'000);
  Text b(a.rbegin(), a.rend());
  EXPECT_LE(CommonLines(a, b).size(), a.size());
}

struct Side {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> weights;  // of lines: weight, line
  std::vector<std::string> source;
  std::string path = "/src/loop.c";
  std::vector<std::string> events = {"cycles"};
};

AnnotatedFunction Make(const Side& side) {
  Stream stream;  // defines "cpu-clock" as event 0
  for (const std::string& event : side.events) stream.AddEvent(event);
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(5, 5, "app");
  std::uint64_t address = 0x1000;
  for (const auto& [weight, line] : side.weights) {
    for (model::EventId event = 1; event <= side.events.size(); ++event) {
      stream.Sample(thread, stream.Stack(app, {address}), weight, 1000, 0, event);
    }
    stream.Symbol(app, address++, {{"loop", side.path, line, false}}, 0x1000, 20);
  }
  if (!side.source.empty()) {
    stream.Add(model::SourceFile{.path = side.path,
                                 .state = model::SourceState::kRead,
                                 .bytes = 1,
                                 .text = {{10, side.source}}});
  }
  return AnnotateBest(stream.Build(), "loop");
}

AnnotateComparison Compare(const AnnotatedFunction& before, const AnnotatedFunction& after) {
  auto comparison = CompareAnnotations(before, after);
  EXPECT_TRUE(comparison.has_value());
  return comparison.value_or(AnnotateComparison{});
}

// "before_line(weight) after_line(weight) text" per row.
std::vector<std::string> Rows(const AnnotateComparison& comparison) {
  std::vector<std::string> rows;
  const auto weight = [](const AnnotatedFunction& function, std::optional<std::uint32_t> index) {
    return index ? "(" + std::to_string(function.lines.at(*index).self[0].weight) + ") "
                 : std::string(" ");
  };
  for (const ComparedLine& line : comparison.lines) {
    rows.push_back(std::to_string(line.before_line) + weight(comparison.before, line.before) +
                   std::to_string(line.after_line) + weight(comparison.after, line.after) +
                   line.text);
  }
  return rows;
}

TEST(Comparison, AlignsLinesByText) {
  const Side before{.weights = {{5, 10}, {20, 11}, {7, 12}, {1, 13}},
                    .source = {"int loop() {", "  slow();", "  again();", "}"}};
  const Side after{
      .weights = {{4, 11}, {2, 12}, {6, 13}, {3, 15}},
      .source = {"// Faster.", "int loop() {", "  quick();", "  again();", "  // new", "}"}};
  const AnnotateComparison comparison = Compare(Make(before), Make(after));
  EXPECT_THAT(Rows(comparison),
              ElementsAre("10(5) 11(4) int loop() {", "11(20) 0   slow();", "0 12(2)   quick();",
                          "12(7) 13(6)   again();", "13(1) 15(3) }"));
  EXPECT_EQ(comparison.lines[0].file, "/src/loop.c");
}

TEST(Comparison, ALineWithoutSamplesOnOneSideIsStillThere) {
  const Side before{.weights = {{5, 10}}, .source = {"a", "b"}};
  const Side after{.weights = {{4, 12}}, .source = {"x", "a", "b"}};
  EXPECT_THAT(Rows(Compare(Make(before), Make(after))), ElementsAre("10(5) 11 a", "11 12(4) b"));
}

TEST(Comparison, WithoutTextGoesByNumber) {
  const Side before{.weights = {{5, 10}, {6, 11}}, .source = {}};
  const Side after{.weights = {{4, 11}, {7, 12}}, .source = {"a", "b", "c"}};
  const AnnotateComparison comparison = Compare(Make(before), Make(after));
  EXPECT_THAT(Rows(comparison), ElementsAre("10(5) 10 a", "11(6) 11(4) b", "12 12(7) c"));
  EXPECT_THAT(comparison.notes,
              Contains("without source text on both sides, lines are compared by number"));
}

TEST(Comparison, FilesThatMovedAreFoundByTheEndOfTheirPath) {
  const Side before{.weights = {{5, 10}}, .source = {"a"}, .path = "/build/1/src/loop.c"};
  const Side after{.weights = {{4, 11}}, .source = {"x", "a"}, .path = "/build/2/src/loop.c"};
  EXPECT_THAT(Rows(Compare(Make(before), Make(after))), ElementsAre("10(5) 11(4) a"));
  const Side other{.weights = {{4, 11}}, .source = {"x", "a"}, .path = "/src/else.c"};
  EXPECT_THAT(Rows(Compare(Make(before), Make(other))), ElementsAre("0 11(4) a", "10(5) 0 a"));
}

TEST(Comparison, LinesWithoutNumberAreTheLastRow) {
  const Side before{.weights = {{5, 10}, {6, 0}}, .source = {}};
  const Side after{.weights = {{4, 10}, {7, 0}}, .source = {}};
  EXPECT_THAT(Rows(Compare(Make(before), Make(after))), ElementsAre("10(5) 10(4) ", "0(6) 0(7) "));
}

TEST(Comparison, ColumnsAreTheEventsOfBoth) {
  const Side before{.weights = {{5, 10}}, .source = {}, .events = {"cycles", "cache-misses"}};
  const Side after{.weights = {{4, 10}}, .source = {}, .events = {"branches", "cache-misses"}};
  const AnnotateComparison comparison = Compare(Make(before), Make(after));
  ASSERT_EQ(comparison.before.events.size(), 1U);
  EXPECT_EQ(comparison.before.events[0].desc.name, "cache-misses");
  EXPECT_EQ(comparison.after.events[0].desc.name, "cache-misses");
  EXPECT_EQ(test::Text(comparison.after.self), "4/1");
  EXPECT_THAT(comparison.notes, Contains("'cycles' was recorded before only: left out"));
  EXPECT_THAT(comparison.notes, Contains("'branches' was recorded after only: left out"));
  const Side none{.weights = {{4, 10}}, .source = {}, .events = {"branches"}};
  const auto failed = CompareAnnotations(Make(before), Make(none));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(failed.error().message, HasSubstr("cycles, cache-misses before, branches after"));
}

// The loop at `start`, whose call goes to "work" at `start` + `distance`.
AnnotatedFunction At(std::uint64_t start, std::uint64_t distance, const std::string& callee,
                     std::uint8_t immediate = 1) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  stream.Sample(stream.Thread(5, 5, "app"), stream.Stack(app, {start + 6}), 10);
  stream.Symbol(app, start + 6, {{"loop", "/src/loop.c", 12, false}}, start, 20);
  auto code = LoopCode("loop");
  code.start = {start};
  for (model::CodeLine& row : code.lines) row.address.value += start - test::kLoopStart;
  code.code[8] = static_cast<std::byte>(immediate);
  for (int i = 0; i < 4; ++i) {
    code.code[static_cast<std::size_t>(14 + i)] =
        static_cast<std::byte>((distance - 18) >> (8 * i) & 0xff);
  }
  code.references = {{{start + distance}, callee, 0}};
  AddCode(stream, app, {code});
  return AnnotateBest(stream.Build(), "loop");
}

TEST(Comparison, CodeThatOnlyMovedIsIdentical) {
  const AnnotateComparison comparison =
      Compare(At(0x1000, 0x1000, "work"), At(0x7000, 0x2340, "work"));
  ASSERT_EQ(comparison.identical.size(), 1U);
  EXPECT_EQ(comparison.identical[0].before, 0U);
  EXPECT_EQ(comparison.identical[0].after, 0U);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("by number")));
}

TEST(Comparison, OtherCodeIsComparedByLine) {
  for (const AnnotatedFunction& after :
       {At(0x1000, 0x1000, "work", 2), At(0x1000, 0x2000, "other_work")}) {
    const AnnotateComparison comparison = Compare(At(0x1000, 0x1000, "work"), after);
    EXPECT_THAT(comparison.identical, IsEmpty());
    EXPECT_THAT(comparison.notes, Contains("the code differs: compared by source line only"));
  }
}

TEST(SameCode, KnowsOperandsRelativeToTheInstructionPointer) {
  const auto copy = [](std::uint64_t referred, const std::string& text, const std::string& name) {
    CodeCopy result;
    result.size = 0x10;
    AnnotatedInstruction instruction;
    instruction.code.length = 7;
    instruction.code.text = text;
    instruction.code.referred = model::FileAddr{referred};
    instruction.target_name = name;
    result.instructions = {instruction};
    return result;
  };
  EXPECT_TRUE(IsSameCode(copy(0x107, "lea    0x100(%rip),%rax", "t"),
                         copy(0x87, "lea    0x80(%rip),%rax", "t")));
  EXPECT_TRUE(IsSameCode(copy(0x107, "lea    rax,[rip+0x100]", ""),
                         copy(0x87, "lea    rax,[rip-0x80]", "t")));
  EXPECT_FALSE(IsSameCode(copy(0x107, "lea    0x100(%rip),%rax", "t"),
                          copy(0x87, "lea    0x80(%rip),%rcx", "t")));
  EXPECT_FALSE(IsSameCode(copy(0x107, "lea    0x100(%rip),%rax", "t"),
                          copy(0x87, "lea    0x80(%rip),%rax", "u")));
  EXPECT_FALSE(IsSameCode(CodeCopy{}, CodeCopy{}));
}

}  // namespace
}  // namespace prof::analysis
