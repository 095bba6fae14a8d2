// Instructions of an annotated function: samples, positions, jumps, blocks, names of targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/annotate/code_chains.h"
#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::AddCode;
using test::AnnotateBest;
using test::LoopCode;
using test::Stream;
using test::Text;
using ::testing::ElementsAre;

using Frames = std::vector<model::SymbolFrame>;

class Instructions : public ::testing::Test {
 protected:
  Instructions() : app(stream.Module("/bin/app")), thread(stream.Thread(5, 5, "app")) {
    Hit(0x1006, 10);
    Hit(0x1009, 20);
    Hit(0x1004, 5);
  }
  void Hit(std::uint64_t address, std::uint64_t weight) {
    stream.Sample(thread, stream.Stack(app, {address}), weight);
    stream.Symbol(app, address, Frames{{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  }
  CodeCopy Copy(const model::FunctionCode& code) {
    AddCode(stream, app, {code});
    function = AnnotateBest(stream.Build(), "loop");
    EXPECT_EQ(function.copies.size(), 1U);
    return function.copies.at(0);
  }

  Stream stream;
  model::ModuleId app = 0;
  model::ThreadId thread = 0;
  AnnotatedFunction function;
};

TEST_F(Instructions, HaveSamplesBytesAndText) {
  const CodeCopy copy = Copy(LoopCode("loop"));
  EXPECT_EQ(copy.origin, "recorded with the profile");
  ASSERT_EQ(copy.instructions.size(), 9U);
  EXPECT_EQ(copy.instructions[3].code.text, "add    $0x1,%eax");
  EXPECT_EQ(copy.instructions[3].bytes, test::Bytes({0x83, 0xc0, 0x01}));
  EXPECT_EQ(Text(copy.instructions[3].self), "10/1");
  EXPECT_EQ(Text(copy.instructions[2].self), "5/1");
  EXPECT_EQ(Text(copy.instructions[0].self), "0/0");
}

TEST_F(Instructions, TakeTheSamplesInsideThem) {
  Hit(0x1007, 3);
  const CodeCopy copy = Copy(LoopCode("loop"));
  EXPECT_EQ(Text(copy.instructions[3].self), "13/2");
  EXPECT_EQ(Text(copy.outside), "0/0");
}

TEST_F(Instructions, KnowWhereTheyJumpAndWhatIsHot) {
  const CodeCopy copy = Copy(LoopCode("loop"));
  EXPECT_EQ(copy.instructions[5].code.text, "jl     1006");
  EXPECT_EQ(copy.instructions[5].jumps_to, 3U);
  EXPECT_EQ(copy.instructions[5].target_name, "<+0x6>");
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t i = 0; i < copy.instructions.size(); ++i) {
    if (copy.instructions[i].begins_block) blocks.push_back(i);
  }
  EXPECT_THAT(blocks, ElementsAre(0, 3));
  ASSERT_TRUE(copy.hot.has_value());
  EXPECT_EQ(copy.hot->first, 3U);
  EXPECT_EQ(copy.hot->last, 5U);
  EXPECT_EQ(Text(copy.hot->self), "30/2");
}

TEST_F(Instructions, HavePositionsFromLinesAndInlinedRanges) {
  auto code = LoopCode("loop");
  code.files.emplace_back("/src/add.h");
  code.lines[2] = {{0x1006}, 1, 3};
  code.inlined = {{{0x1006}, {0x1009}, 1, "_ZN2ns3addEi", 0, 12},
                  {{0x1006}, {0x1009}, 2, "plus", 1, 9}};
  const CodeCopy copy = Copy(code);
  const auto position = [&](std::size_t i) {
    return Text(copy.positions.at(copy.instructions.at(i).position), function);
  };
  EXPECT_EQ(position(0), "loop /src/loop.c:10");
  EXPECT_EQ(position(3), "plus /src/add.h:3 < ns::add /src/add.h:9 < loop /src/loop.c:12");
  EXPECT_EQ(position(4), "loop /src/loop.c:11");
  // The same place is one position.
  EXPECT_EQ(copy.instructions[2].position, copy.instructions[4].position);
  EXPECT_EQ(copy.positions.size(), 5U);
}

TEST_F(Instructions, WithoutLineTableHaveAPositionWithoutLine) {
  auto code = LoopCode("loop");
  code.lines.clear();
  const CodeCopy copy = Copy(code);
  EXPECT_EQ(copy.positions.size(), 1U);
  EXPECT_EQ(Text(copy.positions[0], function), "loop ?:0");
}

TEST_F(Instructions, CallsAreNamedByReferencesThenByKnownFunctions) {
  auto code = LoopCode("loop");
  code.references = {{{0x2000}, "_ZN2ns4workEi", 0}};
  EXPECT_EQ(Copy(code).instructions.at(6).target_name, "ns::work");
}

TEST_F(Instructions, CallsIntoSampledFunctionsHaveNames) {
  stream.Sample(thread, stream.Stack(app, {0x2004}), 1);
  stream.Symbol(app, 0x2004, Frames{{"helper", "", 0, false}}, 0x1ff0, 0x40);
  EXPECT_EQ(Copy(LoopCode("loop")).instructions.at(6).target_name, "helper+0x10");
}

TEST_F(Instructions, ReferencesMayPointIntoThings) {
  auto code = LoopCode("loop");
  // lea 0x12345(%rip),%rax; then as before from 1007 on: never mind what that says.
  const auto lea = test::Bytes({0x48, 0x8d, 0x05, 0x45, 0x23, 0x01, 0x00});
  std::ranges::copy(lea, code.code.begin());
  code.references = {{{0x1334c}, "table", 0x10}};
  EXPECT_EQ(Copy(code).instructions.at(0).target_name, "table+0x10");
}

TEST_F(Instructions, ACallOfItselfHasItsName) {
  auto code = LoopCode("loop");
  const auto displacement = test::Bytes({0xee, 0xff, 0xff, 0xff});
  std::ranges::copy(displacement, code.code.begin() + 14);
  const CodeCopy copy = Copy(code);
  EXPECT_EQ(copy.instructions.at(6).target_name, "loop");
  EXPECT_FALSE(copy.instructions.at(6).jumps_to.has_value());
}

TEST_F(Instructions, OfAnUnknownMachineAreThoseOfTheRecording) {
  model::RecordingInfo info;
  info.arch = "x86_64";
  stream.Add(info);
  AddCode(stream, app, {LoopCode("loop")}, EM_NONE);
  EXPECT_EQ(AnnotateBest(stream.Build(), "loop").copies.at(0).instructions.size(), 9U);
}

TEST_F(Instructions, MayBeInIntelSyntax) {
  AddCode(stream, app, {LoopCode("loop")});
  AnnotateOptions options;
  options.disassembly.syntax = disasm::Syntax::kIntel;
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop", options);
  EXPECT_EQ(loop.copies.at(0).instructions.at(3).code.text, "add    eax,0x1");
}

// "name file:line < ...": files as indexes.
std::string ChainText(const CodeChains& chains) {
  std::string text;
  for (const ChainStep& step : chains.chain()) {
    text += (text.empty() ? "" : " < ") + std::string(step.name) + ":" + std::to_string(step.line);
  }
  return text;
}

TEST(CodeChainsOf, TablesInAnyOrderNestSomehow) {
  model::FunctionCode code;
  code.start = {100};
  code.size = 100;
  code.name = "f";
  code.files = {"a.c"};
  code.lines = {{{150}, 0, 5}, {{110}, 0, 1}, {{120}, 9, 2}};
  code.inlined = {
      {{130}, {160}, 2, "orphan", 0, 7},        {{110}, {140}, 1, "g", 0, 8},
      {{115}, {190}, 2, "longer than g", 0, 9}, {{170}, {160}, 1, "turned", 0, 1},
      {{100}, {200}, 0, "no depth", 0, 1},      {{100}, {200}, ~std::uint32_t{0}, "deep", 0, 1}};
  CodeChains chains(code);
  EXPECT_TRUE(chains.MoveTo({100}));
  EXPECT_EQ(ChainText(chains), "f:0");
  EXPECT_FALSE(chains.MoveTo({105}));
  EXPECT_TRUE(chains.MoveTo({112}));
  EXPECT_EQ(ChainText(chains), "g:1 < f:8");
  // A file that does not exist is no line.
  EXPECT_TRUE(chains.MoveTo({121}));
  EXPECT_EQ(ChainText(chains), "longer than g:0 < g:9 < f:8");
  EXPECT_TRUE(chains.MoveTo({131}));
  EXPECT_EQ(ChainText(chains), "orphan:0 < g:7 < f:8");
  EXPECT_TRUE(chains.MoveTo({140}));
  EXPECT_EQ(ChainText(chains), "f:0");
  EXPECT_TRUE(chains.MoveTo({150}));
  EXPECT_EQ(ChainText(chains), "f:5");
}

}  // namespace
}  // namespace prof::analysis
