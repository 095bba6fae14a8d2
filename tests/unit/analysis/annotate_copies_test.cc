// Compiled copies of a function: parts, clones, inlined ones; where their code came from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::AddCode;
using test::AnnotateBest;
using test::LoopCode;
using test::Stream;
using test::Text;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Frames = std::vector<model::SymbolFrame>;

// "name start inlined self outside instructions" per copy.
std::vector<std::string> CopyTexts(const AnnotatedFunction& function) {
  std::vector<std::string> texts;
  for (const CodeCopy& copy : function.copies) {
    texts.push_back(copy.name + " " + std::to_string(copy.start.value) +
                    (copy.inlined ? " inlined " : " ") + Text(copy.self) + " " +
                    Text(copy.outside) + " " + std::to_string(copy.instructions.size()));
  }
  return texts;
}

class Copies : public ::testing::Test {
 protected:
  Copies() : app(stream.Module("/opt/app")), thread(stream.Thread(5, 5, "app")) {}

  void Hit(std::uint64_t address, std::uint64_t weight, const Frames& frames, std::uint64_t start,
           std::uint64_t size) {
    stream.Sample(thread, stream.Stack(app, {address}), weight);
    if (!frames.empty()) stream.Symbol(app, address, frames, start, size);
  }

  Stream stream;
  model::ModuleId app = 0;
  model::ThreadId thread = 0;
};

TEST_F(Copies, ColdPartsClonesAndInlinedOnesAddUp) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  Hit(0x3001, 2, {{"loop.cold", "/src/loop.c", 14, false}}, 0x3000, 8);
  Hit(0x4001, 30, {{"loop.constprop.0", "/src/loop.c", 12, false}}, 0x4000, 8);
  Hit(0x5001, 4, {{"loop", "/src/loop.c", 12, true}, {"caller", "/src/c.c", 3, false}}, 0x5000, 8);
  Hit(0x5002, 7, {{"caller", "/src/c.c", 4, false}}, 0x5000, 8);
  AddCode(stream, app, {LoopCode("loop")});
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop");
  EXPECT_EQ(loop.name, "loop");
  EXPECT_EQ(Text(loop.self), "46/4");
  EXPECT_THAT(CopyTexts(loop),
              ElementsAre("loop.constprop.0 16384 30/1 30/1 0", "loop 4096 10/1 0/0 9",
                          "caller 20480 inlined 4/1 4/1 0", "loop.cold 12288 2/1 2/1 0"));
}

TEST_F(Copies, InlinedOnesShowOnlyTheirInstructions) {
  const Frames inner = {{"step", "/src/step.h", 5, true}, {"loop", "/src/loop.c", 12, false}};
  Hit(0x1006, 10, inner, 0x1000, 20);
  Hit(0x1012, 3, {{"loop", "/src/loop.c", 14, false}}, 0x1000, 20);
  auto code = LoopCode("loop");
  code.files.emplace_back("/src/step.h");
  code.lines = {{{0x1000}, 0, 10}, {{0x1006}, 1, 5}, {{0x100d}, 0, 13}};
  code.inlined = {{{0x1004}, {0x1006}, 1, "step", 0, 11}, {{0x1009}, {0x100d}, 1, "step", 0, 12}};
  AddCode(stream, app, {code});
  const AnnotatedFunction step = AnnotateBest(stream.Build(), "step");
  EXPECT_THAT(CopyTexts(step), ElementsAre("loop 4096 inlined 10/1 0/0 4"));
  const CodeCopy& copy = step.copies[0];
  std::vector<std::string> shown;
  for (const AnnotatedInstruction& instruction : copy.instructions) {
    shown.push_back(Text(copy.positions.at(instruction.position), step) + " " +
                    Text(instruction.self) + (instruction.begins_block ? " block" : ""));
  }
  // The sampled one is shown by what the symbols say of it; the code's tables do not have it.
  EXPECT_THAT(shown, ElementsAre("step /src/loop.c:10 0/0 block", "step /src/step.h:5 10/1 block",
                                 "step /src/step.h:5 0/0", "step /src/step.h:5 0/0"));
  EXPECT_EQ(copy.instructions[3].jumps_to, 1U);
}

TEST_F(Copies, WithoutCodeLinesAreStillThere) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop");
  EXPECT_EQ(loop.lines.size(), 1U);
  EXPECT_THAT(CopyTexts(loop), ElementsAre("loop 4096 10/1 10/1 0"));
  EXPECT_THAT(loop.copies[0].origin, HasSubstr("the profile has no code"));
  EXPECT_FALSE(loop.copies[0].hot.has_value());
}

TEST_F(Copies, ColdFunctionsThatWereLeftOutAreSaid) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  stream.Add(model::CodeSummary{.functions_left_out = 3, .left_out_share = 0.002});
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop");
  EXPECT_EQ(loop.copies[0].origin, "not in the profile, which leaves out 3 cold functions");
  EXPECT_THAT(loop.notes,
              Contains("the recording has no code of 3 cold functions (0.2 % of all samples)"));
}

TEST_F(Copies, CodeThatCouldNotBeReadSaysWhy) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  auto code = LoopCode("loop");
  code.code.clear();
  model::ModuleCode module;
  module.module = stream.ModuleAt(app);
  module.detail = "/opt/app: permission denied";
  module.functions = {code};
  stream.Add(module);
  EXPECT_EQ(AnnotateBest(stream.Build(), "loop").copies[0].origin,
            "its code could not be read: /opt/app: permission denied");
}

TEST_F(Copies, MissingCodeIsAskedFor) {
  Hit(0x1006, 10, {{"_Z4loopv", "/src/loop.c", 12, false}}, 0x1000, 20);
  const Profile profile = stream.Build();
  model::ModuleCode provided;
  provided.machine.number = EM_X86_64;
  provided.detail = "/opt/app by its build ID";
  provided.functions = {LoopCode("_Z4loopv")};
  AnnotateOptions options;
  std::string asked;
  options.missing_code = [&](const model::Module& module, model::FileAddr start, std::uint64_t size,
                             const std::string& name) {
    asked =
        module.path + " " + std::to_string(start.value) + " " + std::to_string(size) + " " + name;
    return &provided;
  };
  AnnotatedFunction loop = AnnotateBest(profile, "loop", options);
  EXPECT_EQ(asked, "/opt/app 4096 20 _Z4loopv");
  EXPECT_THAT(CopyTexts(loop), ElementsAre("loop 4096 10/1 0/0 9"));
  EXPECT_EQ(loop.copies[0].origin, "/opt/app by its build ID");

  provided.functions[0].code.clear();
  provided.detail = "/opt/app is another file";
  loop = AnnotateBest(profile, "loop", options);
  EXPECT_THAT(loop.copies[0].instructions, IsEmpty());
  EXPECT_THAT(loop.copies[0].origin, HasSubstr("; /opt/app is another file"));

  options.missing_code = [](const auto&, auto, auto, const auto&) { return nullptr; };
  EXPECT_THAT(CopyTexts(AnnotateBest(profile, "loop", options)),
              ElementsAre("loop 4096 10/1 10/1 0"));
}

TEST_F(Copies, OnlyTheHottestAreAskedFor) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t start = 0x1000 + i * 16;
    Hit(start, i + 1, {{"at", "/src/at.h", 1, true}, {"caller" + std::to_string(i), "", 0, false}},
        start, 16);
  }
  AnnotateOptions options;
  std::vector<std::string> asked;
  options.missing_code = [&](const auto&, auto, auto, const std::string& name) {
    asked.push_back(name);
    return nullptr;
  };
  const AnnotatedFunction at = AnnotateBest(stream.Build(), "at", options);
  EXPECT_EQ(asked.size(), 64U);
  EXPECT_EQ(asked.front(), "caller99");
  EXPECT_EQ(at.copies.size(), 100U);
  EXPECT_THAT(at.copies.back().origin, HasSubstr("64 hotter copies"));
}

TEST_F(Copies, OfStrippedCodeHaveNoExtent) {
  Hit(0x1006, 10, {}, 0, 0);
  const AnnotatedFunction function = AnnotateBest(stream.Build(), "");
  EXPECT_EQ(function.name, "0x1006");
  EXPECT_THAT(CopyTexts(function), ElementsAre("0x1006 4102 10/1 10/1 0"));
  EXPECT_EQ(function.copies[0].origin, "no symbol says where this code begins and ends");
  EXPECT_THAT(function.notes,
              Contains("no symbols and no line information in app: build it with -g"));
}

TEST(CopiesWithoutLines, SayWhatWouldBringThem) {
  const auto note = [](const std::string& path, model::ModuleKind kind) {
    Stream stream;
    const auto module = stream.Module(path, kind);
    stream.Sample(stream.Thread(5, 5, "app"), stream.Stack(module, {0x10}), 1);
    stream.Symbol(module, 0x10, "f");
    const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
    EXPECT_EQ(f.notes.size(), 1U);
    return f.notes.empty() ? "" : f.notes.front();
  };
  EXPECT_THAT(note("/usr/lib/libfoo.so.1", model::ModuleKind::kElf),
              HasSubstr("in libfoo.so.1: install its debug package"));
  EXPECT_THAT(note("/home/me/app", model::ModuleKind::kElf), HasSubstr("build it with -g"));
  EXPECT_THAT(note("[kernel.kallsyms]", model::ModuleKind::kKernel),
              HasSubstr("the kernel's debug package"));
  EXPECT_THAT(note("/tmp/perf-5.map", model::ModuleKind::kJit), HasSubstr("jitdump"));
}

TEST_F(Copies, WhereSymbolsHaveNoExtentTheRecordedCodeHas) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0, 0);
  AddCode(stream, app, {LoopCode("loop")});
  EXPECT_THAT(CopyTexts(AnnotateBest(stream.Build(), "loop")), ElementsAre("loop 4096 10/1 0/0 9"));
}

TEST_F(Copies, SamplesBehindCutCodeAreOutside) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  Hit(0x1012, 3, {{"loop", "/src/loop.c", 14, false}}, 0x1000, 20);
  auto code = LoopCode("loop");
  code.code.resize(13);
  AddCode(stream, app, {code});
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop");
  EXPECT_THAT(CopyTexts(loop), ElementsAre("loop 4096 13/2 3/1 6"));
  EXPECT_THAT(loop.notes,
              ElementsAre("only the first 13 of loop's 20 bytes of code are known",
                          "outside of the known instructions of loop: 1 of its samples"));
}

TEST_F(Copies, MachinesWithoutDisassemblerSaySo) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  AddCode(stream, app, {LoopCode("loop")}, EM_S390);
  AnnotateOptions options;
  options.disassembly.objdump = "/nonexistent/objdump";
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop", options);
  EXPECT_THAT(loop.copies[0].instructions, IsEmpty());
  EXPECT_THAT(loop.copies[0].origin, HasSubstr("objdump"));
  EXPECT_EQ(loop.lines.size(), 1U);
}

TEST_F(Copies, LinesAloneNeedNoDisassembly) {
  Hit(0x1006, 10, {{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  AddCode(stream, app, {LoopCode("loop")});
  AnnotateOptions options;
  options.instructions = false;
  EXPECT_THAT(CopyTexts(AnnotateBest(stream.Build(), "loop", options)),
              ElementsAre("loop 4096 10/1 10/1 0"));
}

TEST_F(Copies, OfATemplateAreItsInstances) {
  Hit(0x1006, 10, {{"_ZSt3maxIiERKT_S2_S2_", "/a.h", 1, false}}, 0x1000, 20);
  Hit(0x2006, 5, {{"_ZSt3maxIdERKT_S2_S2_", "/a.h", 1, false}}, 0x2000, 20);
  const AnnotatedFunction max = AnnotateBest(stream.Build(), "std::max");
  EXPECT_EQ(max.name, "std::max<...>");
  EXPECT_THAT(CopyTexts(max),
              ElementsAre("std::max<int> 4096 10/1 10/1 0", "std::max<double> 8192 5/1 5/1 0"));
  EXPECT_EQ(Text(max.self), "15/2");
}

}  // namespace
}  // namespace prof::analysis
