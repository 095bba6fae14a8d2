// Which functions and source lines go into a recording.
#include "prof/analysis/hot_code.h"

#include <gtest/gtest.h>

#include <set>

namespace prof::analysis {
namespace {

model::AddressSymbols At(std::uint64_t address, std::uint64_t start, std::uint64_t size,
                         std::vector<model::SymbolFrame> frames) {
  return {.address = {address},
          .function_start = {start},
          .function_size = size,
          .frames = std::move(frames)};
}

std::vector<std::string> Names(const std::vector<symbols::FunctionRange>& ranges) {
  std::vector<std::string> names;
  for (const auto& range : ranges) names.push_back(range.name);
  return names;
}
using Texts = std::vector<std::string>;

model::ModuleSymbols ThreeFunctions() {
  model::ModuleSymbols symbols;
  symbols.addresses = {At(100, 96, 64, {{.name = "cold"}}), At(200, 196, 64, {{.name = "hot"}}),
                       At(210, 196, 64, {{.name = "hot"}}), At(300, 296, 64, {{.name = "caller"}}),
                       At(400, 0, 0, {{.name = "sizeless"}})};
  return symbols;
}

TEST(HotFunctions, KeepsTheHottestUpToTheLimitAndThenOnlyHotOnes) {
  HotFunctions hot(10'000, {.functions = 1});
  const AddressHits hits[] = {{{100}, 9, 9}, {{200}, 5000, 5000}, {{210}, 10, 10}};
  EXPECT_EQ(Names(hot.Choose(ThreeFunctions(), hits)), Texts{"hot"});
  const model::CodeSummary summary = hot.summary();
  EXPECT_EQ(summary.functions_left_out, 1u);
  EXPECT_DOUBLE_EQ(summary.left_out_share, 0.0009);

  const AddressHits warm[] = {{{100}, 10, 10}};
  EXPECT_EQ(Names(hot.Choose(ThreeFunctions(), warm)), Texts{"cold"}) << "0.1 % is not cold";
}

TEST(HotFunctions, CallersAreKeptFromOnePercentOfTheStacksOn) {
  HotFunctions hot(10'000);
  const AddressHits hits[] = {{{300}, 0, 100}};
  EXPECT_EQ(Names(hot.Choose(ThreeFunctions(), hits)), Texts{"caller"});
  const AddressHits few[] = {{{300}, 0, 99}};
  EXPECT_TRUE(hot.Choose(ThreeFunctions(), few).empty());
  EXPECT_EQ(hot.summary().functions_left_out, 0u) << "it never ran itself";
}

TEST(HotFunctions, RangesAreThoseOfTheSymbolTableInOrderOfAddresses) {
  HotFunctions hot(10);
  const AddressHits hits[] = {{{100}, 1, 1}, {{200}, 5, 5}, {{400}, 4, 4}};
  const auto ranges = hot.Choose(ThreeFunctions(), hits);
  ASSERT_EQ(Names(ranges), (Texts{"cold", "hot"})) << "without a size there is no range";
  EXPECT_EQ(ranges[1].start.value, 196u);
  EXPECT_EQ(ranges[1].size, 64u);
}

TEST(HotFunctions, SaysHowManyHaveNoCode) {
  HotFunctions hot(10);
  const AddressHits hits[] = {{{100}, 1, 1}, {{200}, 5, 5}};
  hot.Choose(ThreeFunctions(), hits);
  model::ModuleCode code;
  code.functions.resize(2);
  code.functions[0].code.resize(3);
  hot.Count(code);
  EXPECT_EQ(hot.summary().functions, 1u);
  EXPECT_EQ(hot.summary().functions_without_code, 1u);
}

// Sources of 100 lines "<path> <line>".
ReadText Numbered(const std::string& path) {
  ReadText text{.state = model::SourceState::kRead, .lines = {}, .bytes = 1000, .checksum = 7};
  for (int line = 1; line <= 100; ++line) text.lines.push_back(path + " " + std::to_string(line));
  return text;
}

HotLines LinesOf(const std::string& path, std::initializer_list<std::pair<int, int>> self) {
  HotLines lines;
  model::ModuleSymbols symbols;
  std::vector<AddressHits> hits;
  std::uint64_t address = 1;
  for (const auto& [line, count] : self) {
    symbols.addresses.push_back(
        At(address, 1, 1, {{.name = "f", .file = path, .line = static_cast<std::uint32_t>(line)}}));
    const auto samples = static_cast<std::uint64_t>(count);
    hits.push_back({{address++}, samples, samples + 1});
  }
  lines.Add(symbols, hits, 50);
  return lines;
}

std::set<std::uint32_t> LinesIn(const model::SourceFile& file) {
  std::set<std::uint32_t> lines;
  for (const auto& piece : file.text) {
    for (std::uint32_t i = 0; i < piece.text.size(); ++i) {
      EXPECT_EQ(piece.text[i], file.path + " " + std::to_string(piece.first_line + i));
      lines.insert(piece.first_line + i);
    }
  }
  return lines;
}

TEST(EmbedSources, TakesTheNeighbourhoodOfHotLines) {
  model::CodeSummary summary;
  const auto files =
      EmbedSources(LinesOf("a.c", {{3, 9}, {50, 1}}), Numbered, {.context = 2}, summary);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(LinesIn(files[0]), (std::set<std::uint32_t>{1, 2, 3, 4, 5, 48, 49, 50, 51, 52}));
  EXPECT_EQ(files[0].text.size(), 2u);
  EXPECT_EQ(files[0].bytes, 1000u);
  EXPECT_EQ(files[0].checksum, 7u);
  EXPECT_EQ(summary.source_lines_left_out, 0u);
  EXPECT_EQ(summary.source_bytes, 5 * 6u + 5 * 7u);
}

TEST(EmbedSources, TheHottestComesFirstWhenRoomIsScarce) {
  model::CodeSummary summary;
  const auto files = EmbedSources(LinesOf("a.c", {{3, 1}, {50, 9}}), Numbered,
                                  {.text_bytes = 40, .context = 2}, summary);
  EXPECT_EQ(LinesIn(files[0]), (std::set<std::uint32_t>{48, 49, 50, 51, 52}));
  EXPECT_EQ(summary.source_lines_left_out, 1u);
}

TEST(EmbedSources, AHotFunctionIsTakenWholeWithoutWhatWasInlinedIntoIt) {
  HotLines lines = LinesOf("a.c", {{30, 5}});
  model::FunctionCode code;
  code.files = {"a.c", "b.h"};
  code.lines = {{{0}, 0, 28}, {{4}, 1, 9}, {{8}, 0, 90}, {{12}, 0, 40}};
  code.inlined = {{.begin = {8}, .end = {12}, .depth = 1, .name = "g"}};
  lines.AddFunction(code, 5);
  model::CodeSummary summary;
  const auto files = EmbedSources(lines, Numbered, {.context = 0}, summary);
  ASSERT_EQ(files.size(), 1u);
  const auto in = LinesIn(files[0]);
  EXPECT_EQ(*in.begin(), 26u) << "the name of the function is above its first line";
  EXPECT_EQ(*in.rbegin(), 40u);
}

TEST(EmbedSources, WithoutTextTheChecksumsStay) {
  model::CodeSummary summary;
  const auto files = EmbedSources(LinesOf("a.c", {{3, 9}}), Numbered, {.text = false}, summary);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(files[0].text.empty());
  EXPECT_EQ(files[0].checksum, 7u);
  EXPECT_FALSE(summary.source_wanted);
  EXPECT_EQ(summary.source_lines_left_out, 0u) << "nobody wanted them";
}

TEST(EmbedSources, NamesWhatIsMissingAndWhatIsNewerThanTheProgram) {
  HotLines lines = LinesOf("a.c", {{3, 9}});
  model::CodeSummary summary;
  auto files = EmbedSources(
      lines, [](const std::string&) { return ReadText{}; }, {}, summary);
  EXPECT_EQ(files[0].state, model::SourceState::kMissing);
  files = EmbedSources(
      lines,
      [](const std::string& path) {
        ReadText text = Numbered(path);
        text.modified_s = 51;  // the program is of 50
        return text;
      },
      {}, summary);
  EXPECT_EQ(files[0].state, model::SourceState::kNewerThanProgram);
  EXPECT_FALSE(files[0].text.empty());
}

TEST(EmbedSources, LinesBehindTheEndOfAFileAndLongLinesDoNoHarm) {
  model::CodeSummary summary;
  const auto files = EmbedSources(
      LinesOf("a.c", {{1, 1}, {2000000000, 3}}),
      [](const std::string&) {
        return ReadText{.state = model::SourceState::kRead, .lines = {"123\xc3\xa4x"}};
      },
      {.line_bytes = 4}, summary);
  ASSERT_EQ(files[0].text.size(), 1u);
  EXPECT_EQ(files[0].text[0].text, (std::vector<std::string>{"123"}));
}

}  // namespace
}  // namespace prof::analysis
