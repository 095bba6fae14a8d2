// Code and sources: split where a block ends, cut where the format ends, and checked when read.
#include "store/code_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "record_text.h"
#include "sample_records.h"
#include "store/code_replay.h"
#include "store_file.h"
#include "support/vector_sink.h"

#include "prof/base/byte_writer.h"

namespace prof::store::test {
namespace {

using ::testing::HasSubstr;

struct Decoded {
  DecodeOutcome outcome = DecodeOutcome::kMalformed;
  std::vector<model::Record> records;
  std::uint64_t dropped = 0;
};

Decoded Decode(std::span<const std::byte> payload) {
  Decoded result;
  CodeBlock block;
  result.outcome = block.Decode(payload);
  if (result.outcome != DecodeOutcome::kOk) return result;
  prof::test::VectorSink sink;
  EXPECT_TRUE(block.Replay(sink, &result.dropped));
  result.records = std::move(sink.records);
  return result;
}

// What a reader makes of a module with this function, which the writer takes as it is.
Decoded Store(const model::FunctionCode& function) {
  CodeBlockBuilder builder;
  builder.BeginModule({}, "");
  builder.Add(function, FitFunction(function));
  ByteWriter payload;
  builder.Encode(payload);
  return Decode(payload.bytes());
}

model::FunctionCode Function() { return FullCode().functions.at(0); }

const model::FunctionCode& Only(const Decoded& decoded) {
  return std::get<model::ModuleCode>(decoded.records.at(0)).functions.at(0);
}

TEST(CodeBlockTest, TheBlockIsNotRequiredSoThatOlderReadersPassOverIt) {
  StoreFile file;
  file.Write({FullCode()});
  const std::string bytes = file.bytes();
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  std::memcpy(&type, bytes.data() + kFileHeaderBytes + 4, sizeof type);
  std::memcpy(&flags, bytes.data() + kFileHeaderBytes + 6, sizeof flags);
  EXPECT_EQ(type, 5);
  EXPECT_EQ(flags & kBlockRequired, 0);
}

TEST(CodeBlockTest, RowsThatBreakAPromiseAreDroppedAndCounted) {
  model::FunctionCode function = Function();
  function.lines = {
      {{0xfff}, 0, 1}, {{0x1004}, 0, 2}, {{0x1003}, 0, 3}, {{0x1006}, 1, 4}, {{0x100c}, 0, 5}};
  function.inlined = {{{0x1000}, {0x1000}, 1, "empty", 0, 0},
                      {{0x1001}, {0x1004}, 1, "good", 0, 0},
                      {{0x1001}, {0x1005}, 2, "beyond the one around it", 0, 0},
                      {{0x1002}, {0x1003}, 3, "one depth is missing", 0, 0},
                      {{0x1003}, {0x1006}, 1, "overlaps", 0, 0},
                      {{0x1008}, {0x100d}, 1, "beyond the function", 0, 0},
                      {{0x1008}, {0x1009}, 0, "no depth", 0, 0},
                      {{0x1008}, {0x1009}, 1, "good", 0, 0},
                      {{0x1002}, {0x1003}, 2, "backwards", 0, 0}};
  function.references = {{{0x20}, "b", 0}, {{0x10}, "a", 0}, {{0x20}, "twice", 0}};
  const Decoded decoded = Store(function);
  ASSERT_EQ(decoded.outcome, DecodeOutcome::kOk);
  EXPECT_EQ(decoded.dropped, 3u + 7u + 2u);
  const model::FunctionCode& read = Only(decoded);
  EXPECT_THAT(read.lines, ::testing::ElementsAre(model::CodeLine{{0x1004}, 0, 2},
                                                 model::CodeLine{{0x1006}, 1, 4}));
  ASSERT_EQ(read.inlined.size(), 2u);
  EXPECT_EQ(read.inlined[0].name, "good");
  EXPECT_EQ(read.inlined[1].name, "good");
  ASSERT_EQ(read.references.size(), 1u);
}

TEST(CodeBlockTest, FunctionsOutOfOrderOrBeyondTheAddressSpaceAreDropped) {
  model::ModuleCode code = FullCode();
  code.functions.push_back(Function());  // behind 0x2000
  code.functions.push_back(Function());
  code.functions.back().start = {~std::uint64_t{0} - 3};
  StoreFile file;
  file.Write({code});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok);
  ASSERT_EQ(replayed.records.size(), 2u);
  EXPECT_EQ(Text(replayed.records[0]), Text(FullCode()));
  EXPECT_EQ(std::get<model::Loss>(replayed.records[1]).count, 2u);
}

TEST(CodeBlockTest, FilesThatAreNotListedBecomeUnknown) {
  model::FunctionCode function = Function();
  function.files.resize(1);
  const Decoded decoded = Store(function);
  EXPECT_EQ(decoded.dropped, 0u);
  EXPECT_EQ(Only(decoded).lines.at(1).file, model::kNoFile);
  EXPECT_EQ(Only(decoded).inlined.at(1).call_file, model::kNoFile);
}

TEST(CodeBlockTest, CountsThatDoNotComeOutEvenBreakTheBlock) {
  CodeBlockBuilder builder;
  builder.BeginModule({}, "");
  const model::FunctionCode function = Function();
  builder.Add(function, FitFunction(function));
  builder.BeginSource(FullSource());
  builder.BeginPiece(1);
  builder.AddLine("x");
  ByteWriter payload;
  builder.Encode(payload);
  SectionList sections;
  bool unsupported = false;
  ASSERT_TRUE(sections.Parse(payload.bytes(), &unsupported));
  ASSERT_EQ(Decode(payload.bytes()).outcome, DecodeOutcome::kOk);
  for (const Section without :
       {Section::kCodeModules, Section::kFunctions, Section::kFunctionFiles, Section::kCodeLines,
        Section::kInlinedRanges, Section::kReferences, Section::kCodeBytes, Section::kSourceFiles,
        Section::kSourcePieces, Section::kSourceLines}) {
    ByteWriter rest;
    for (std::size_t i = 0; i < kSections; ++i) {
      const auto section = static_cast<Section>(i);
      const auto content = sections.Get(section);
      if (section != without && !content.empty()) WriteSection(section, content, rest);
    }
    ASSERT_LT(rest.size(), payload.size());
    EXPECT_EQ(Decode(rest.bytes()).outcome, DecodeOutcome::kMalformed) << static_cast<int>(without);
  }
}

TEST(CodeBlockTest, LostStringsLeaveTheRestInPlace) {
  CodeBlockBuilder builder;
  builder.BeginSource({.path = "", .text = {}});
  builder.BeginPiece(10);
  for (const char* line : {"", "lost", ""}) builder.AddLine(line);
  ByteWriter payload;
  builder.Encode(payload);
  SectionList sections;
  bool unsupported = false;
  ASSERT_TRUE(sections.Parse(payload.bytes(), &unsupported));
  ByteWriter rest;
  for (const Section section :
       {Section::kSourceFiles, Section::kSourcePieces, Section::kSourceLines}) {
    WriteSection(section, sections.Get(section), rest);
  }
  const Decoded decoded = Decode(rest.bytes());
  EXPECT_EQ(decoded.dropped, 1u);
  const auto& text = std::get<model::SourceFile>(decoded.records.at(0)).text;
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text[0].first_line, 10u);
  EXPECT_EQ(text[1].first_line, 12u);
}

TEST(CodeBlockTest, PiecesThatOverlapOrRunPastTheLastLineAreDropped) {
  CodeBlockBuilder builder;
  builder.BeginSource({.path = "a.c", .text = {}});
  for (const std::uint32_t first : {0U, 5U, 6U, 7U, 0xffff'ffffU}) {
    builder.BeginPiece(first);
    builder.AddLine("one");
    builder.AddLine("two");
  }
  ByteWriter payload;
  builder.Encode(payload);
  const Decoded decoded = Decode(payload.bytes());
  EXPECT_EQ(decoded.dropped, 3u);
  const auto& text = std::get<model::SourceFile>(decoded.records.at(0)).text;
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text[0].first_line, 5u);
  EXPECT_EQ(text[1].first_line, 7u);
}

TEST(CodeBlockTest, ModuleWithMoreCodeThanABlockHoldsComesInParts) {
  model::ModuleCode code = FullCode();
  code.functions.clear();
  for (std::uint64_t i = 0; i < 20; ++i) {
    model::FunctionCode function = Function();
    function.start = {i << 20};
    function.size = 1 << 20;
    function.code.assign(1 << 19, static_cast<std::byte>(i));
    function.lines.clear();
    function.inlined.clear();
    for (std::uint64_t at = 0; at < 3'000; ++at) {
      function.lines.push_back({{(i << 20) + at * 8}, 0, 1});
    }
    code.functions.push_back(std::move(function));
  }
  StoreFile file;
  file.Write({code});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_GT(replayed.records.size(), 2u);
  model::ModuleCode joined = std::get<model::ModuleCode>(replayed.records[0]);
  joined.functions.clear();
  for (const auto& record : replayed.records) {
    const auto& part = std::get<model::ModuleCode>(record);
    joined.functions.insert(joined.functions.end(), part.functions.begin(), part.functions.end());
  }
  // 10 MB of code are too much for a text.
  ASSERT_EQ(joined.functions.size(), code.functions.size());
  for (std::size_t i = 0; i < code.functions.size(); ++i) {
    EXPECT_TRUE(joined.functions[i].code == code.functions[i].code) << i;
    joined.functions[i].code.clear();
    code.functions[i].code.clear();
  }
  EXPECT_EQ(Text(joined), Text(code));
}

TEST(CodeBlockTest, SourceWithMoreLinesThanABlockHoldsComesInParts) {
  model::SourceFile source = FullSource();
  source.text = {{1, std::vector<std::string>(300'000, "line")}, {400'000, {"last"}}};
  StoreFile file;
  file.Write({source});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_EQ(replayed.records.size(), 3u);
  std::uint64_t next = 1;
  for (const auto& record : replayed.records) {
    const auto& part = std::get<model::SourceFile>(record);
    EXPECT_EQ(part.path, source.path);
    EXPECT_EQ(part.checksum, source.checksum);
    for (const auto& piece : part.text) {
      EXPECT_EQ(piece.first_line, piece.text[0] == "last" ? 400'000 : next);
      next += piece.text.size();
    }
  }
  EXPECT_EQ(next, 300'002u);
}

TEST(CodeBlockTest, FunctionAboveTheFormatsLimitsIsCutAndSaysSo) {
  model::ModuleCode code = FullCode();
  model::FunctionCode& function = code.functions[0];
  function.size = 2 << 20;
  function.code.assign(2 << 20, std::byte{0x90});
  function.lines.clear();
  for (std::uint64_t i = 0; i < 140'000; ++i) function.lines.push_back({{0x1000 + i}, 0, 9});
  const std::string name(60'000, 'x');
  function.inlined.clear();
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    function.inlined.push_back({{0x1000 + i}, {0x1001 + i}, 1, name, 0, 1});
  }
  StoreFile file;
  file.Write({code});
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  ASSERT_EQ(replayed.records.size(), 2u);  // one record of each block, nothing dropped
  const auto& read = std::get<model::ModuleCode>(replayed.records[0]);
  const model::FunctionCode& cut = read.functions.at(0);
  EXPECT_EQ(cut.size, 2u << 20);
  EXPECT_EQ(cut.code.size(), model::kMaxFunctionBytes);
  ASSERT_EQ(cut.lines.size(), kMaxRows);
  // The code behind the last row is nobody's.
  EXPECT_EQ(cut.lines.back(), (model::CodeLine{{0x1000 + kMaxRows - 1}, model::kNoFile, 0}));
  EXPECT_LT(cut.inlined.size(), 300u);
  EXPECT_EQ(cut.references.size(), 2u);  // their names are short
  const std::size_t left_out = 140'000 - kMaxRows + 1'000 - cut.inlined.size();
  EXPECT_EQ(read.detail,
            fmt::format("/bin/app; too large for the file: {} rows of line tables, inlined ranges "
                        "and references left out (functions: 1)",
                        left_out));
}

TEST(CodeBlockTest, LongSourceLinesAreCutBetweenCharacters) {
  std::string line(65'535, 'x');
  line += "\xc3\xa9 and more";
  StoreFile file;
  file.Write({model::SourceFile{.path = "a.c", .text = {{1, {line}}}}});
  const Replayed replayed = file.Replay();
  ASSERT_EQ(replayed.records.size(), 1u);
  EXPECT_EQ(std::get<model::SourceFile>(replayed.records[0]).text.at(0).text.at(0),
            std::string(65'535, 'x'));
  // Not UTF-8 at all: there is no better place.
  EXPECT_EQ(CutText(std::string(70'000, '\x80')).size(), kMaxStringBytes);
}

TEST(CodeBlockTest, SummaryWithAShareThatIsNoneIsDropped) {
  StoreFile file;
  file.Write({model::CodeSummary{.left_out_share = 1.5}, model::CodeSummary{.functions = 3}});
  const Replayed replayed = file.Replay();
  ASSERT_EQ(replayed.records.size(), 2u);
  EXPECT_EQ(std::get<model::CodeSummary>(replayed.records[0]).functions, 3u);
  EXPECT_EQ(std::get<model::Loss>(replayed.records[1]).count, 1u);
}

}  // namespace
}  // namespace prof::store::test
