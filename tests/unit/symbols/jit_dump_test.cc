// JIT code by jitdump files: names, lines, code; broken files.
#include "symbols/jit_dump.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "jit_dump_data.h"
#include "support/temp_dir.h"

#include "prof/symbols/symbolizer.h"

namespace prof::symbols {
namespace {

using model::CodeLine;
using model::FileAddr;
using model::SymbolStatus;
using test::JitDumpData;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Resolves and reads from dumps given as bytes.
class Jit {
 public:
  explicit Jit(std::vector<std::string> dumps) : options_{.fs = HostFs(dir_.path().string())} {
    for (const std::string& bytes : dumps) {
      files_.push_back(test::OpenBytes(bytes));
      fds_.push_back(files_.back().get());
    }
    module_.kind = model::ModuleKind::kJit;
    module_.path = "/tmp/perf-42.map";
    module_.pid = 42;
  }
  explicit Jit(const JitDumpData& data) : Jit(std::vector{data.bytes()}) {}

  void WritePerfMap(const std::string& text) {
    std::filesystem::create_directory(dir_.File("tmp"));
    std::ofstream(dir_.File("tmp/perf-42.map")) << text;
  }
  model::ModuleSymbols Resolve(std::vector<std::uint64_t> addresses) {
    std::vector<FileAddr> wanted;
    for (const std::uint64_t address : addresses) wanted.push_back({address});
    return Symbolizer(options_).Resolve(module_, wanted, {.jit_dump_fds = fds_});
  }
  // "name+offset file:line" of one address.
  std::string At(std::uint64_t address) {
    const auto symbols = Resolve({address});
    if (symbols.addresses.empty() || symbols.addresses[0].frames.empty()) return "-";
    const auto& found = symbols.addresses[0];
    const auto& frame = found.frames[0];
    std::string text = frame.name + "+" + std::to_string(address - found.function_start.value);
    if (frame.line != 0) text += " " + frame.file + ":" + std::to_string(frame.line);
    return text;
  }
  model::ModuleCode Read(std::vector<FunctionRange> functions) {
    return Symbolizer(options_).ReadCode(module_, functions, {.jit_dump_fds = fds_});
  }

 private:
  prof::test::TempDir dir_;
  SymbolizerOptions options_;
  std::vector<UniqueFd> files_;
  std::vector<int> fds_;
  model::Module module_;
};

const std::vector<std::uint8_t> kCode(32, 0x90);

TEST(JitDumpTest, NamesAndLinesOfAnAddress) {
  Jit jit(JitDumpData()
              .Other(4, 30)
              .Debug(0x1000, {{0x1000, 3, "a.js"}, {0x1008, 4, "\xff"}, {0x1010, 9, "b.js"}})
              .Load(0x1000, "JS:*hot a.js:3:1", kCode)
              .Load(0x2000, "no lines", kCode)
              .Other(3, 0));
  EXPECT_EQ(jit.At(0x1000), "JS:*hot a.js:3:1+0 a.js:3");
  EXPECT_EQ(jit.At(0x100f), "JS:*hot a.js:3:1+15 a.js:4");
  EXPECT_EQ(jit.At(0x101f), "JS:*hot a.js:3:1+31 b.js:9");
  EXPECT_EQ(jit.At(0x1020), "-");
  EXPECT_EQ(jit.At(0x2001), "no lines+1");
  EXPECT_EQ(jit.Resolve({0x1000}).detail, "jit-42.dump");
  EXPECT_EQ(jit.Resolve({0x1000}).addresses[0].function_size, 32u);
}

TEST(JitDumpTest, TheNewestLoadOfAnAddressCounts) {
  Jit jit(JitDumpData()
              .Load(0x1000, "old", std::vector<std::uint8_t>(256))
              .Load(0x1010, "new", kCode)
              .Load(0x1018, "newest", {0xc3}));
  EXPECT_EQ(jit.At(0x100f), "old+15");
  EXPECT_EQ(jit.At(0x1010), "new+0");
  EXPECT_EQ(jit.At(0x1018), "newest+0");
  EXPECT_EQ(jit.At(0x1019), "new+9");
  EXPECT_EQ(jit.At(0x1030), "old+48");
  const auto all = jit.Resolve({0x1000, 0x1018, 0x1019, 0x1030, 0x1100});
  ASSERT_EQ(all.addresses.size(), 5u);
  EXPECT_EQ(all.addresses[1].frames.at(0).name, "newest");
  EXPECT_TRUE(all.addresses[4].frames.empty());
}

TEST(JitDumpTest, OfSeveralFilesTheLatestLoadCounts) {
  const std::string early = JitDumpData(1).At(500).Load(0x1000, "early", kCode).bytes();
  const std::string late = JitDumpData(2).At(900).Load(0x1008, "late", kCode).bytes();
  for (const auto& order : {std::vector{early, late}, std::vector{late, early}}) {
    Jit jit(order);
    EXPECT_EQ(jit.At(0x1004), "early+4");
    EXPECT_EQ(jit.At(0x1008), "late+0");
  }
}

TEST(JitDumpTest, MovedCodeKeepsNameLinesAndBytes) {
  Jit jit(JitDumpData()
              .Debug(0x1000, {{0x1000, 3, "a.js"}, {0x1008, 4, "a.js"}})
              .Load(0x1000, "moved", kCode, 5)
              .Load(0x3000, "other", kCode, 6)
              .Move(0x1000, 0x2000, 32, 5)
              .Move(0x2000, 0x2800, 32, 5)
              .Move(0x9000, 0x9800, 32, 77));
  EXPECT_EQ(jit.At(0x2009), "moved+9 a.js:4");
  EXPECT_EQ(jit.At(0x2809), "moved+9 a.js:4");
  EXPECT_EQ(jit.At(0x1009), "moved+9 a.js:4");  // from before it moved
  EXPECT_EQ(jit.At(0x9800), "-");               // nobody loaded it
  const auto code = jit.Read({{{0x2800}, 32, "moved"}});
  EXPECT_EQ(code.functions.at(0).code.size(), 32u);
  EXPECT_THAT(code.functions.at(0).lines,
              ElementsAre(CodeLine{{0x2800}, 0, 3}, CodeLine{{0x2808}, 0, 4}));
}

TEST(JitDumpTest, PerfMapIsForWhatNoDumpHas) {
  Jit jit(JitDumpData().Load(0x1000, "dumped", kCode));
  EXPECT_EQ(jit.Resolve({0x1000, 0x3000}).detail, "jit-42.dump");
  jit.WritePerfMap("1000 20 mapped\n3000 20 only\n");
  EXPECT_EQ(jit.At(0x1000), "dumped+0");
  EXPECT_EQ(jit.At(0x3001), "only+1");
  EXPECT_EQ(jit.Resolve({0x1000, 0x3000}).detail, "jit-42.dump; /tmp/perf-42.map");
}

TEST(JitDumpTest, CodeAndLinesOfFunctions) {
  std::vector<std::uint8_t> caller = {0xe8, 0xfb, 0x0f, 0x00, 0x00, 0xc3};  // call 0x2000; ret
  Jit jit(JitDumpData()
              .Load(0x1000, "older code at the same place", {1, 2, 3, 4, 5, 6})
              .Debug(0x1000, {{0x1000, 3, "file:///src/a.mjs"}, {0x1006, 0, "\xff"}})
              .Load(0x1000, "caller", caller)
              .Load(0x2000, "callee", kCode));
  const auto code = jit.Read({{{0x1000}, 6, "caller"}, {{0x5000}, 6, "unknown"}});
  EXPECT_EQ(code.machine, (model::CodeMachine{62, true, false}));
  ASSERT_EQ(code.functions.size(), 2u);
  const model::FunctionCode& function = code.functions[0];
  EXPECT_TRUE(std::ranges::equal(function.code, std::as_bytes(std::span(caller))));
  EXPECT_THAT(function.files, ElementsAre("/src/a.mjs"));
  EXPECT_THAT(function.lines, ElementsAre(CodeLine{{0x1000}, 0, 3}));  // 0x1006 is its end
  EXPECT_THAT(function.references, ElementsAre(model::CodeReference{{0x2000}, "callee", 0}));
  EXPECT_TRUE(code.functions[1].code.empty());
  EXPECT_THAT(code.detail, HasSubstr("code of jit-42.dump; 1 of 2 functions has no code in"));
  // What was at the address before is found by its name and size.
  const auto older = jit.Read({{{0x1000}, 6, "older code at the same place"}});
  EXPECT_EQ(older.functions.at(0).code.at(0), std::byte{1});
}

TEST(JitDumpTest, LinesBehindAnElfHeaderAreMovedBack) {
  Jit jit(JitDumpData()
              .Debug(0x1000, {{0x1040, 1, "a.js"}, {0x1048, 2, "a.js"}})
              .Load(0x1000, "first", kCode)
              .Debug(0x2000, {{0x2050, 7, "a.js"}})
              .Load(0x2000, "second", kCode));
  EXPECT_EQ(jit.At(0x1007), "first+7 a.js:1");
  EXPECT_EQ(jit.At(0x1008), "first+8 a.js:2");
  EXPECT_EQ(jit.At(0x200f), "second+15");
  EXPECT_EQ(jit.At(0x2010), "second+16 a.js:7");
}

TEST(JitDumpTest, RowsInAnyOrderAscendAndTheLastOfAnAddressCounts) {
  Jit jit(JitDumpData()
              .Debug(0x1000, {{0x1010, 5, "a"}, {0x1000, 1, "a"}, {0x1010, 6, "b"}})
              .Load(0x1000, "f", kCode));
  EXPECT_THAT(jit.Read({{{0x1000}, 32, "f"}}).functions.at(0).lines,
              ElementsAre(CodeLine{{0x1000}, 0, 1}, CodeLine{{0x1010}, 1, 6}));
}

TEST(JitDumpTest, LinesWithAddressesElsewhereAreRubbish) {
  Jit jit(JitDumpData()
              .Debug(0x1000, {{0x1000, 5, "\x18\x34"}, {0xe839000000000000, 6, "b"}})
              .Load(0x1000, "f", kCode)
              .Debug(0x2000, {{0x2000, 5, "a.js"}})
              .Load(0x2008, "debug information of something else", kCode));
  EXPECT_EQ(jit.At(0x1004), "f+4");
  EXPECT_EQ(jit.At(0x200c), "debug information of something else+4");
}

TEST(JitDumpTest, OtherFilesAreRefusedWithTheReason) {
  std::string swapped = JitDumpData().bytes();
  std::reverse(swapped.begin(), swapped.begin() + 4);
  const std::pair<std::string, std::string> cases[] = {
      {swapped, "jitdump: written in the other byte order"},
      {JitDumpData(42, 62, 2).bytes(), "jit-42.dump: jitdump version 2, known is 1"},
      {"\x7f"
       "ELF and so on",
       "jitdump: no header of a jitdump file"},
      {JitDumpData().bytes().substr(0, 39), "jitdump: no header of a jitdump file"}};
  for (const auto& [bytes, message] : cases) {
    Jit jit(std::vector{bytes});
    const auto symbols = jit.Resolve({0x1000});
    EXPECT_EQ(symbols.status, SymbolStatus::kFileMissing);
    EXPECT_THAT(symbols.detail, HasSubstr(message));
    EXPECT_THAT(jit.Read({{{0x1000}, 6, "f"}}).detail, HasSubstr(message));
    jit.WritePerfMap("1000 20 mapped\n");
    EXPECT_EQ(jit.At(0x1000), "mapped+0");
  }
  const UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(JitDump::Open(fd.get()).error().message, "jitdump: not a regular file");
}

TEST(JitDumpTest, MachineThatIsNotSaidIsOurs) {
  const UniqueFd fd = test::OpenBytes(JitDumpData(42, 0).Load(0x1000, "py::f", kCode).bytes());
  const auto dump = JitDump::Open(fd.get());
  ASSERT_TRUE(dump);
  EXPECT_NE(dump->machine().number, 0);
  EXPECT_TRUE(dump->machine().is_64);
}

TEST(JitDumpTest, WhatIsStillBeingWrittenIsReadAsFarAsItGoes) {
  const std::string bytes = JitDumpData()
                                .Load(0x1000, "whole", kCode)
                                .Debug(0x2000, {{0x2000, 5, "a.js"}})
                                .Load(0x2000, "cut", kCode)
                                .bytes();
  for (std::size_t size = 40; size <= bytes.size(); ++size) {
    Jit jit(std::vector{bytes.substr(0, size)});
    const std::size_t whole = 40 + 56 + 6 + 32;
    // Its name and range are there before its code is.
    EXPECT_EQ(jit.At(0x1000), size >= whole - 32 ? "whole+0" : "-") << size;
    const auto code = jit.Read({{{0x2000}, 32, "cut"}});
    EXPECT_EQ(code.functions.at(0).code.size() == 32, size == bytes.size()) << size;
  }
}

TEST(JitDumpTest, RecordThatCannotBeSaysWhereTheFileBroke) {
  std::string bytes = JitDumpData().Load(0x1000, "good", kCode).bytes();
  const std::size_t good = bytes.size();
  bytes += JitDumpData().Load(0x2000, "lost", kCode).bytes().substr(40);
  bytes[good + 4] = 5;  // a total size below that of the prefix
  Jit jit(std::vector{bytes});
  EXPECT_EQ(jit.At(0x1000), "good+0");
  EXPECT_EQ(jit.At(0x2000), "-");
  EXPECT_THAT(jit.Resolve({0x1000}).detail,
              HasSubstr("jit-42.dump is broken behind " + std::to_string(good) + " bytes"));
}

TEST(JitDumpTest, RangesAtTheEndOfMemoryDoNotWrap) {
  Jit jit(JitDumpData()
              .Load(0xfffffffffffffff0, "wraps", kCode)
              .Load(0x3000, "empty", {})
              .Load(0xffffffffffffff00, "high", kCode));
  EXPECT_EQ(jit.At(0x5), "-");
  EXPECT_EQ(jit.At(0xfffffffffffffff8), "-");
  EXPECT_EQ(jit.At(0x3000), "-");
  EXPECT_EQ(jit.At(0xffffffffffffff1f), "high+31");
}

TEST(JitDumpTest, AnyBytesAreRead) {
  const std::string whole = JitDumpData()
                                .Debug(0x1000, {{0x1000, 3, "a.js"}, {0x1008, 4, "\xff"}})
                                .Load(0x1000, "f", kCode, 1)
                                .Move(0x1000, 0x1800, 32, 1)
                                .Other(4, 20)
                                .Load(0x2000, "g", kCode, 2)
                                .bytes();
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    for (std::uint32_t n = 1 + random() % 4; n > 0; --n) {
      bytes[40 + random() % (bytes.size() - 40)] = static_cast<char>(random());
    }
    Jit jit(std::vector{bytes});
    const auto symbols = jit.Resolve({0x1000, 0x1008, 0x1808, 0x2000});
    for (const auto& address : symbols.addresses) {
      if (address.frames.empty()) continue;
      ASSERT_LT(address.address.value - address.function_start.value, address.function_size);
    }
    for (const auto& function : jit.Read({{{0x1000}, 32, "f"}, {{0x2000}, 32, "g"}}).functions) {
      ASSERT_LE(function.code.size(), 32u);
      ASSERT_TRUE(std::ranges::is_sorted(function.lines, {}, &CodeLine::address));
    }
  }
}

}  // namespace
}  // namespace prof::symbols
