#include "prof/report/annotate_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "report/annotate_code.h"
#include "report/annotate_places.h"
#include "report/annotate_shares.h"
#include "report/text_fit.h"
#include "unit/report/annotate_data.h"

namespace prof::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The first line that contains `part`.
std::string LineWith(const std::string& text, const std::string& part) {
  for (const std::string& line : LinesOf(text)) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "nothing with " + part;
}

std::string Render(const AnnotateTextOptions& options) {
  return RenderAnnotation(test::Multiply(), test::WholeFile(), options);
}

TEST(AnnotateTextTest, LinesOfATerminalFit) {
  const std::vector<std::function<analysis::AnnotatedFunction()>> functions = {
      test::Multiply,    test::TwoEvents,    test::InlinedCopy,
      test::WithoutText, test::WithoutLines, test::WithoutCode};
  for (const auto& make : functions) {
    for (const AnnotateView view :
         {AnnotateView::kMixed, AnnotateView::kSourceOnly, AnnotateView::kAsmOnly}) {
      for (const int width : {60, 80, 97, 120, 200}) {
        const std::string text = RenderAnnotation(
            make(), test::CutFile(),
            {.view = view, .width = width, .raw_bytes = width > 100, .line_numbers = width > 100});
        for (const std::string& line : LinesOf(text))
          EXPECT_LE(DisplayWidth(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
}

TEST(AnnotateTextTest, PlainTextHasNoEscapes) {
  EXPECT_THAT(Render({.width = 80}), Not(HasSubstr("\033")));
  const std::string color = Render({.width = 80, .color = true});
  EXPECT_THAT(LineWith(color, "119f:  mulsd"), HasSubstr("\033[31m 45.39%\033[m"));
  EXPECT_THAT(LineWith(color, "11a8:  add"), HasSubstr("\033[32m  0.82%\033[m"));
  EXPECT_THAT(LineWith(color, "11b1:  movsd"), Not(HasSubstr("\033")));
}

TEST(AnnotateTextTest, QuietIsRowsOnly) {
  for (const AnnotateView view :
       {AnnotateView::kMixed, AnnotateView::kSourceOnly, AnnotateView::kAsmOnly}) {
    const std::string text = Render({.view = view, .quiet = true});
    EXPECT_FALSE(text.empty());
    for (const std::string& line : LinesOf(text)) EXPECT_FALSE(line.starts_with("#")) << line;
  }
}

TEST(AnnotateTextTest, PercentagesAreOfWhatWasAskedFor) {
  analysis::AnnotatedFunction function = test::Multiply();
  analysis::AnnotatedInstruction& mulsd = function.copies[0].instructions[8];
  mulsd.self = {{1'234'500'000, 2'469}};  // 10 % of the period, 20 % of the samples
  const auto share = [&](PercentBase base, PercentUnit unit) {
    return LineWith(RenderAnnotation(function, test::WholeFile(),
                                     {.view = AnnotateView::kAsmOnly, .base = base, .unit = unit}),
                    "119f:  mulsd");
  };
  EXPECT_THAT(share(PercentBase::kLocal, PercentUnit::kPeriod), HasSubstr(" 10.00%"));
  EXPECT_THAT(share(PercentBase::kLocal, PercentUnit::kHits), HasSubstr(" 20.00%"));
  EXPECT_THAT(share(PercentBase::kGlobal, PercentUnit::kPeriod), HasSubstr("  6.14%"));
  EXPECT_THAT(share(PercentBase::kGlobal, PercentUnit::kHits), HasSubstr(" 12.28%"));
}

TEST(AnnotateTextTest, CountsReplacePercentages) {
  EXPECT_THAT(LineWith(Render({.show_samples = true}), "119f:  mulsd"), HasSubstr("   5604 ┃"));
  EXPECT_THAT(LineWith(Render({.show_total_period = true}), "119f:  mulsd"),
              HasSubstr("  5604000000 ┃"));
}

TEST(AnnotateTextTest, BelowTheLimitThereIsNoNumber) {
  const std::string text = Render({.percent_limit = 1});
  EXPECT_THAT(LineWith(text, "11a8:  add"), HasSubstr("          ┃"));
  EXPECT_THAT(LineWith(text, "1197:  jae"), HasSubstr("2.51%"));
}

TEST(AnnotateTextTest, SourceLinesAddUpToSelf) {
  const std::string text =
      Render({.view = AnnotateView::kSourceOnly, .quiet = true, .show_samples = true});
  std::uint64_t sum = 0;
  std::uint64_t total = 0;
  for (const std::string& line : LinesOf(text)) {
    const std::string cell = line.substr(2, 7);
    if (cell.find_first_of("0123456789") == std::string::npos) continue;
    (line.find("total") == std::string::npos ? sum : total) += std::stoull(cell);
  }
  EXPECT_EQ(sum, 12'345U);
  EXPECT_EQ(total, 12'345U);
}

TEST(AnnotateTextTest, SourceLinesFarFromSamplesAreLeftOut) {
  const std::string text = Render(
      {.view = AnnotateView::kSourceOnly, .quiet = true, .show_samples = true, .context = 0});
  EXPECT_THAT(LinesOf(text), testing::Contains(testing::EndsWith("...")));
  EXPECT_THAT(text, Not(HasSubstr("template <class Matrix>")));
  // A gap of one line is the line itself.
  EXPECT_THAT(text, HasSubstr("double sum = 0;"));
  EXPECT_THAT(text, Not(HasSubstr("std::puts(\"done\");\n                       47")));
}

TEST(AnnotateTextTest, ManyInlinedPositionsAreSummedUp) {
  analysis::AnnotatedFunction function = test::Multiply();
  auto& callees = function.lines[2].callees;
  callees.clear();
  for (std::uint32_t i = 0; i < 8; ++i)
    callees.push_back({{{"f" + std::to_string(i), 1, i + 1}, {"g", 0, 42}}, test::Samples(100)});
  const std::string text = RenderAnnotation(
      function, test::WholeFile(), {.view = AnnotateView::kSourceOnly, .show_samples = true});
  EXPECT_THAT(text, HasSubstr("├    100 f4 stl_vector.h:5\n"));
  EXPECT_THAT(text, HasSubstr("└    300 at 3 more places\n"));
}

TEST(AnnotateTextTest, ManyCopiesAreSummedUpInTheirTable) {
  analysis::AnnotatedFunction function = test::Multiply();
  const analysis::CodeCopy cold = function.copies[1];
  for (int i = 0; i < 30; ++i) function.copies.push_back(cold);
  const std::string text = RenderAnnotation(function, test::WholeFile(), {.show_samples = true});
  EXPECT_THAT(text, HasSubstr("      540                    12 more\n"));
  EXPECT_THAT(text, HasSubstr("# copy 32 of 32, 0.4 %, "));
}

TEST(AnnotateTextTest, ALongFunctionIsDrawnWhole) {
  analysis::AnnotatedFunction function = test::Multiply();
  analysis::CodeCopy& copy = function.copies[0];
  copy.hot.reset();
  constexpr std::uint32_t kCount = 100'000;
  copy.instructions.assign(kCount, copy.instructions[10]);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    analysis::AnnotatedInstruction& one = copy.instructions[i];
    one.code.address = {0x1180 + 4ULL * i};
    if (i % 3 == 0) one.jumps_to = static_cast<std::uint32_t>(i * 7919ULL % kCount);
  }
  const std::string text =
      RenderAnnotation(function, test::WholeFile(), {.view = AnnotateView::kAsmOnly, .width = 80});
  EXPECT_GT(LinesOf(text).size(), kCount);
  EXPECT_THAT(text, HasSubstr("62bfc:  add    $0x1,%rax"));
}

TEST(AnnotateTextTest, HotLinesNameTheirHottestInstruction) {
  const std::string text = Render({.hot_lines = 1});
  EXPECT_THAT(text, HasSubstr("   99.61%  119f:  multiply.cc:42  for (std::size_t k"));
  EXPECT_THAT(text, Not(HasSubstr("11b1:  multiply.cc:43")));
  EXPECT_THAT(Render({.hot_lines = 0}), Not(HasSubstr("Hot lines")));
}

TEST(AnnotateTextTest, MarkedLineHasAMarkInTheMargin) {
  const std::string own = Render({.marked_line = 43});
  EXPECT_TRUE(LineWith(own, "11b1:  multiply.cc:43").starts_with(">"));
  EXPECT_TRUE(LineWith(own, " 43  ").starts_with(">"));
  EXPECT_FALSE(LineWith(own, " 46  ").starts_with(">"));
  const std::string inlined = Render({.marked_line = 1123, .marked_file = "bits/stl_vector.h"});
  EXPECT_TRUE(LineWith(inlined, "1123        {").starts_with(">"));
}

TEST(AnnotateTextTest, TextOfTheTargetCannotSteerTheTerminal) {
  analysis::AnnotatedFunction function = test::Multiply();
  function.name = "evil\033[2J";
  function.module = "m\007";
  function.notes = {"n\033"};
  function.sources[0].path = "/x/\033.cc";
  function.sources[0].text = {{36, std::vector<std::string>(12, "a\033[1mb\r")}};
  function.copies[0].name = "c\033";
  function.copies[0].origin = "o\033";
  function.copies[0].positions[2][0].name = "i\033";
  function.copies[0].instructions[0].code.text = "t\033";
  function.copies[0].instructions[0].target_name = "u\033";
  function.events[0].desc.name = "e\033";
  function.events[0].skid = "s\033";
  for (const AnnotateView view :
       {AnnotateView::kMixed, AnnotateView::kSourceOnly, AnnotateView::kAsmOnly}) {
    const std::string text = RenderAnnotation(function, test::WholeFile(), {.view = view});
    for (const char c : text) EXPECT_TRUE(c == '\n' || (c & 0xE0) != 0) << int{c};
  }
  EXPECT_THAT(RenderAnnotation(function, test::WholeFile(), {}), HasSubstr("a?[1mb\n"));
}

TEST(AnnotateTextTest, IndexesOutOfRangeDoNotCrash) {
  analysis::AnnotatedFunction function = test::Multiply();
  function.copies[0].instructions[3].position = 99;
  function.copies[0].instructions[4].jumps_to = 99;
  function.copies[0].positions[0] = {};
  function.copies[0].positions[1][0].file = 77;
  function.copies[0].hot = analysis::CodeBlock{90, 99, test::Samples(1)};
  function.copies[0].self = {};
  function.lines[0].file = 55;
  for (const AnnotateView view :
       {AnnotateView::kMixed, AnnotateView::kSourceOnly, AnnotateView::kAsmOnly}) {
    EXPECT_THAT(RenderAnnotation(function, test::WholeFile(), {.view = view}), HasSubstr("mul"));
  }
}

TEST(AnnotateTextTest, NothingAtAllIsStillAHead) {
  analysis::AnnotatedFunction function;
  function.name = "f";
  function.module = "m";
  EXPECT_THAT(RenderAnnotation(function, test::WholeFile(), {}), HasSubstr("# f in m\n"));
}

std::string Text(const char* text, std::optional<std::uint64_t> target, std::string name,
                 std::optional<std::uint32_t> jumps_to = {}, std::size_t width = 0) {
  analysis::AnnotatedInstruction instruction;
  instruction.code.text = text;
  if (target) instruction.code.target = model::FileAddr{*target};
  instruction.target_name = std::move(name);
  instruction.jumps_to = jumps_to;
  return InstructionText(instruction, width);
}

TEST(InstructionTextTest, TargetsHaveTheirNames) {
  EXPECT_EQ(Text("jne    1190", 0x1190, "<+0x40>", 3), "jne    1190 <+0x40>");
  EXPECT_EQ(Text("call   1030", 0x1030, "memcpy@plt"), "call   <memcpy@plt>");
  EXPECT_EQ(Text("jmp    1030", 0x1030, ""), "jmp    1030");
  EXPECT_EQ(Text("call   *%rax", {}, ""), "call   *%rax");
  EXPECT_EQ(Text("call   1030", 0x1030, "f<int>(std::string, std::string)", {}, 24),
            "call   <f<int>(...)>");
  analysis::AnnotatedInstruction lea;
  lea.code.text = "lea    0x2e4(%rip),%rdi";
  lea.code.referred = model::FileAddr{0x2010};
  EXPECT_EQ(InstructionText(lea, 0), "lea    0x2e4(%rip),%rdi  # 2010");
  lea.target_name = "table+0x10";
  EXPECT_EQ(InstructionText(lea, 0), "lea    0x2e4(%rip),%rdi  # <table+0x10>");
  EXPECT_EQ(DisplayWidth(InstructionText(lea, 20)), 20U);
}

TEST(ShortPathsTest, AsManyComponentsAsTellPathsApart) {
  EXPECT_THAT(ShortPaths({"/a/b/x.cc", "/a/c/x.cc", "/a/b/y.cc"}),
              ElementsAre("b/x.cc", "c/x.cc", "y.cc"));
  EXPECT_THAT(ShortPaths({"x.cc", "/x.cc", "a/x.cc"}), ElementsAre("x.cc", "/x.cc", "a/x.cc"));
  EXPECT_THAT(ShortPaths({"", "/", "x.cc", "x.cc"}), ElementsAre("", "/", "x.cc", "x.cc"));
}

analysis::FunctionMatch Match(std::string name, std::uint64_t self, std::uint64_t children) {
  analysis::FunctionMatch match;
  match.name = std::move(name);
  match.module = "app";
  match.self = test::Samples(self);
  match.children = test::Samples(children);
  return match;
}

TEST(RenderChoiceTest, MatchesHaveTheirShares) {
  analysis::FunctionChoice choice;
  choice.events = {0};
  choice.total = test::Samples(1000);
  choice.matches = {Match("sort<int>", 600, 700)};
  EXPECT_EQ(RenderChoice(choice, {}), "");
  choice.matches.push_back(Match("sort<std::string>", 10, 10));
  choice.matches[1].only_inlined = true;
  EXPECT_EQ(RenderChoice(choice, {}),
            "# 2 functions match\n"
            "#\n"
            "#    Self  Children  Module  Function\n"
            "# .......  ........  ......  ........\n"
            "#\n"
            "   60.00%    70.00%  app     sort<int>\n"
            "    1.00%     1.00%  app     sort<std::string> (only inlined)\n");
  for (int i = 0; i < 30; ++i) choice.matches.push_back(Match("sort", 1, 1));
  EXPECT_THAT(RenderChoice(choice, {}), HasSubstr("# and 12 more\n"));
}

TEST(RenderChoiceTest, NearestNamesWhenNothingMatches) {
  analysis::FunctionChoice choice;
  EXPECT_EQ(RenderChoice(choice, {}), "# no function matches\n");
  choice.total = test::Samples(1000);
  choice.nearest = {Match("multiply", 5, 5)};
  EXPECT_EQ(RenderChoice(choice, {}),
            "# no function matches; the nearest names are\n"
            "#\n"
            "#    Self  Children  Module  Function\n"
            "# .......  ........  ......  ........\n"
            "#\n"
            "    0.50%     0.50%  app     multiply\n");
}

TEST(RenderComparisonTest, LinesOfATerminalFit) {
  for (const int width : {60, 80, 120}) {
    const std::string text = RenderComparison(test::MultiplyChanged(), test::WholeFile("a.prof"),
                                              test::CutFile(), {.width = width});
    for (const std::string& line : LinesOf(text))
      EXPECT_LE(DisplayWidth(line), static_cast<std::size_t>(width)) << line;
  }
}

TEST(RenderComparisonTest, CountsHaveDifferencesOfCounts) {
  const std::string text = RenderComparison(test::MultiplyChanged(), test::WholeFile("a.prof"),
                                            test::WholeFile("b.prof"), {.show_samples = true});
  EXPECT_THAT(LineWith(text, "c[i * n + j] = sum;"), HasSubstr("     31       91      +60    43"));
  EXPECT_THAT(LineWith(text, "sum += a.at"), HasSubstr("  12297            -12297    42"));
}

TEST(RenderComparisonTest, LinesOfAnotherFileNearbyAreShown) {
  analysis::AnnotateComparison comparison = test::MultiplyChanged();
  // The hot lines of two files, one behind the other.
  std::vector<analysis::ComparedLine> hot;
  for (const analysis::ComparedLine& line : comparison.lines) {
    if (line.before || line.after) hot.push_back(line);
  }
  ASSERT_GE(hot.size(), 2U);
  hot[1].file = "/other/body.inc";
  hot[1].text = "the line of the other file";
  comparison.lines = {hot[0], hot[1]};
  const std::string text =
      RenderComparison(comparison, test::WholeFile("a"), test::WholeFile("b"), {});
  EXPECT_THAT(text, HasSubstr("the line of the other file"));
}

TEST(RenderComparisonTest, EventsAreMatchedByName) {
  analysis::AnnotateComparison comparison = test::MultiplyChanged();
  comparison.before = test::TwoEvents();
  std::swap(comparison.before.events[0], comparison.before.events[1]);
  const std::string text =
      RenderComparison(comparison, test::WholeFile("a"), test::WholeFile("b"), {});
  // cpu-clock is the second event before and the first one after; cache-misses has no column.
  EXPECT_THAT(LineWith(text, "c[i * n + j] = sum;"), HasSubstr("    0.24%    1.14%    +0.89"));
}

TEST(RenderComparisonTest, ViewsChooseLinesOrInstructions) {
  const auto render = [](AnnotateView view) {
    return RenderComparison(test::MultiplyChanged(), test::WholeFile("a"), test::WholeFile("b"),
                            {.view = view});
  };
  EXPECT_THAT(render(AnnotateView::kSourceOnly), Not(HasSubstr("10aa:")));
  EXPECT_THAT(render(AnnotateView::kAsmOnly), HasSubstr("10aa:"));
  EXPECT_THAT(render(AnnotateView::kAsmOnly), Not(HasSubstr("c[i * n + j]")));
}

}  // namespace
}  // namespace prof::report
