// Modules whose unwind information is in .debug_frame, plain and compressed, through both engines.
#include "unwind/debug_frame.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include <filesystem>
#include <random>

#include "unit/unwind/eh_frame_builder.h"
#include "unit/unwind/engines.h"
#include "unit/unwind/self_process.h"
#include "unwind/inflate_section.h"
#include "unwind/walk/rule_compiler.h"

namespace prof::unwind {
namespace {

using model::StackEnd;
using Program = EhFrameBuilder::Program;

constexpr std::uint64_t kText = 0x401000;  // functions of 0x100 bytes
constexpr std::uint64_t kStack = 0x7ffe0000;

class DebugFrameBuilder {
 public:
  // CFA = rsp + 8, return address at CFA - 8.
  void Cie(std::uint8_t version, std::string_view augmentation = "") {
    cie_ = out_.size();
    ByteWriter body;
    body.U32(0xffffffff);
    body.U8(version);
    for (const char letter : augmentation) body.U8(static_cast<std::uint8_t>(letter));
    body.U8(0);
    if (version == 4) {
      body.U8(8);
      body.U8(0);
    }
    for (const std::uint8_t byte :
         {std::uint8_t{1}, std::uint8_t{0x78}, std::uint8_t{16}, kDefCfa, std::uint8_t{7},
          std::uint8_t{8}, std::uint8_t{kOffset + 16}, std::uint8_t{1}}) {
      body.U8(byte);
    }
    Append(body);
  }
  void Fde(std::uint64_t start, std::uint64_t size, const Program& rules) {
    ByteWriter body;
    body.U32(static_cast<std::uint32_t>(cie_));
    body.U64(start);
    body.U64(size);
    for (const std::uint8_t byte : rules) body.U8(byte);
    Append(body);
  }
  [[nodiscard]] std::vector<std::byte> bytes() const {
    return {out_.bytes().begin(), out_.bytes().end()};
  }

 private:
  void Append(const ByteWriter& body) {
    out_.U32(static_cast<std::uint32_t>(body.size()));
    out_.Bytes(body.bytes());
  }

  ByteWriter out_;
  std::size_t cie_ = 0;
};

// Function 0 pushes rbx and rbp, function 1 has CFA = rbp + 16, function 2 is the outermost one.
std::vector<std::byte> ThreeFunctions(std::uint8_t version) {
  DebugFrameBuilder frames;
  frames.Cie(version);
  frames.Fde(0, 0x1000, {kDefCfaOffset, 80});  // dropped by the linker
  frames.Fde(kText, 0x100, {kDefCfaOffset, 24, kOffset + 6, 3, kOffset + 3, 2});
  frames.Fde(kText + 0x100, 0x100, {kDefCfa, 6, 16, kOffset + 6, 2});
  frames.Fde(kText + 0x200, 0x100, {kUndefined, 16});
  return frames.bytes();
}

// An executable of three functions with one section besides the section names.
std::vector<std::byte> ElfWith(std::string_view name, std::uint64_t flags,
                               std::span<const std::byte> section) {
  constexpr std::uint64_t kSections = 0x1300;
  constexpr std::uint64_t kNames = 0x1400;
  constexpr std::uint64_t kContents = 0x1500;
  std::vector<std::byte> file(kContents + section.size(), std::byte{0x90});
  const auto put = [&file](std::uint64_t offset, const auto& value) {
    std::memcpy(file.data() + offset, &value, sizeof value);
  };
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = kSections;
  header.e_shnum = 3;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shstrndx = 1;
  put(0, header);
  put(sizeof header, Elf64_Phdr{PT_LOAD, PF_R | PF_X, 0x1000, kText, kText, 0x300, 0x300, 0x1000});
  put(kSections, Elf64_Shdr{});
  put(kSections + sizeof(Elf64_Shdr), Elf64_Shdr{0, SHT_STRTAB, 0, 0, kNames, 0x100, 0, 0, 1, 0});
  put(kSections + 2 * sizeof(Elf64_Shdr),
      Elf64_Shdr{1, SHT_PROGBITS, flags, 0, kContents, section.size(), 0, 0, 1, 0});
  std::memset(file.data() + kNames, 0, 0x100);
  std::memcpy(file.data() + kNames + 1, name.data(), name.size());
  std::memcpy(file.data() + kContents, section.data(), section.size());
  return file;
}

// Both engines must find the three frames of a thread in function 0.
void ExpectThreeFramesAt(std::uint64_t bias, const std::vector<std::byte>& file) {
  TestImages images;
  auto image = ElfImage::FromMemory(file, "made");
  ASSERT_TRUE(image.has_value());
  model::AddressSpace space;
  const std::uint64_t text = kText + bias;
  space.Map({{text}, {text + 0x300}, {0x1000}, images.Add(std::move(*image))});
  const std::vector<std::uint64_t> stack = {
      kStack + 24, 0, text + 0x120, kStack + 48, text + 0x220, 0, 0, 0};
  // Function 1 has rbp = kStack + 24, which is what function 0 saved at its stack pointer.
  StackInput input;
  input.stack = std::as_bytes(std::span(stack));
  input.registers.value[16] = text + 0x10;
  input.registers.value[7] = kStack;
  input.registers.valid = 0x1ffff;
  Engines engines(images);
  Outcome fast;
  Outcome slow;
  engines.Fast(input, space, fast);
  engines.Slow(input, space, slow);
  EXPECT_EQ(Callers(fast.frames), (std::vector<std::uint64_t>{text + 0x120, text + 0x220}));
  EXPECT_EQ(fast.end, StackEnd::kComplete);
  EXPECT_TRUE(SameFrames(fast, slow)) << slow.frames.size();
}

void ExpectThreeFrames(const std::vector<std::byte>& file) {
  ExpectThreeFramesAt(0, file);
  ExpectThreeFramesAt(0x5555'5555'0000, file);  // position independent
}

TEST(DebugFrame, ServesBothEnginesInEveryVersion) {
  for (const std::uint8_t version : {1, 3, 4}) {
    SCOPED_TRACE(int{version});
    ExpectThreeFrames(ElfWith(".debug_frame", 0, ThreeFunctions(version)));
  }
}

std::vector<std::byte> ZlibOf(std::span<const std::byte> bytes) {
  libdeflate_compressor* compressor = ::libdeflate_alloc_compressor(6);
  std::vector<std::byte> packed(::libdeflate_zlib_compress_bound(compressor, bytes.size()));
  packed.resize(::libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), packed.data(),
                                           packed.size()));
  ::libdeflate_free_compressor(compressor);
  return packed;
}

std::vector<std::byte> WithHeader(std::uint32_t type, std::uint64_t size,
                                  std::span<const std::byte> packed) {
  ByteWriter out;
  out.U32(type);
  out.U32(0);
  out.U64(size);
  out.U64(1);
  out.Bytes(packed);
  return {out.bytes().begin(), out.bytes().end()};
}

TEST(DebugFrame, IsInflatedFromEveryForm) {
  const auto plain = ThreeFunctions(4);
  const auto zlib = ZlibOf(plain);
  ExpectThreeFrames(ElfWith(".debug_frame", SHF_COMPRESSED, WithHeader(1, plain.size(), zlib)));

  std::vector<std::byte> zstd(::ZSTD_compressBound(plain.size()));
  zstd.resize(::ZSTD_compress(zstd.data(), zstd.size(), plain.data(), plain.size(), 3));
  ExpectThreeFrames(ElfWith(".debug_frame", SHF_COMPRESSED, WithHeader(2, plain.size(), zstd)));

  ByteWriter old;
  old.Bytes(std::as_bytes(std::span("ZLIB", 4)));
  old.U64(__builtin_bswap64(plain.size()));
  old.Bytes(zlib);
  ExpectThreeFrames(ElfWith(".zdebug_frame", 0, old.bytes()));
}

TEST(DebugFrame, CompressedNonsenseIsNoUnwindInformation) {
  const auto plain = ThreeFunctions(4);
  const auto zlib = ZlibOf(plain);
  for (const auto& section :
       {WithHeader(1, plain.size() + 1, zlib), WithHeader(1, std::uint64_t{1} << 60, zlib),
        WithHeader(7, plain.size(), zlib), WithHeader(2, plain.size(), zlib),
        WithHeader(1, plain.size(), std::span(zlib).first(5))}) {
    const auto file = ElfWith(".debug_frame", SHF_COMPRESSED, section);
    const auto image = ElfImage::FromMemory(file, "made");
    ASSERT_TRUE(image.has_value());
    EXPECT_TRUE(Inflate((*image)->compressed_debug_frame()).empty());
    ModuleCfiTable table;
    EXPECT_EQ(table.For(0, **image), nullptr);
  }
}

TEST(DebugFrame, CodeThatEhFrameCoversKeepsItsRules) {
  walk::ModuleCfi debug;
  EhFrameBuilder more;
  more.Cie();
  more.Fde(0x1000, 0x300, {kDefCfaOffset, 40});
  debug = more.Cfi();
  EhFrameBuilder first;
  first.Cie();
  first.Fde(0x1100, 0x100, {kDefCfaOffset, 16});
  walk::ModuleCfi cfi = first.Cfi();
  cfi.next = &debug;
  EXPECT_EQ(walk::CompileRule(cfi, 0x1010).offset, 40);
  EXPECT_EQ(walk::CompileRule(cfi, 0x1110).offset, 16);
  EXPECT_EQ(walk::CompileRule(cfi, 0x1210).offset, 40);
  EXPECT_EQ(walk::CompileRule(cfi, 0x1310).cfa, walk::CfaForm::kNone);
}

TEST(DebugFrame, DamageIsHarmless) {
  const auto plain = ThreeFunctions(4);
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    auto damaged = plain;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = std::byte(random() % 256);
    damaged.resize(random() % (damaged.size() + 1));
    damaged.shrink_to_fit();
    const auto converted = EhFrameFromDebugFrame(damaged, 0);
    EXPECT_LE(converted.size(), 2 * plain.size());
  }
}

// The test program itself with its search table made unusable: libunwind gets ours.
TEST(DebugFrame, EhFrameWithoutSearchTableServesBothEngines) {
  const SelfProcess self;
  const auto file = MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(file.has_value());
  std::vector<std::byte> copy(file->bytes().begin(), file->bytes().end());
  const auto image = ElfImage::FromMemory(copy, "bare");
  ASSERT_TRUE(image.has_value());
  const auto at = (*image)->eh_frame_hdr().bytes.data() - copy.data();
  copy[static_cast<std::size_t>(at) + 3] = std::byte{0xff};  // table encoding: omitted
  ASSERT_TRUE(SearchTable((*image)->eh_frame_hdr()).empty());

  Capture capture;
  capture.Take();
  TestImages images;
  model::AddressSpace space;
  for (const auto& [start, mapping] : self.space()) {
    model::Mapping moved = mapping;
    const std::string path = self.PathOf(mapping.module);
    auto other = path == std::filesystem::read_symlink("/proc/self/exe")
                     ? ElfImage::FromMemory(copy, path)
                     : Result<std::unique_ptr<ElfImage>>(nullptr);
    if (*other == nullptr) {
      if (auto opened = MappedFile::Open(path))
        other = ElfImage::FromFile(std::move(*opened), path);
    }
    moved.module = images.Add(other ? std::move(*other) : nullptr);
    space.Map(moved);
  }
  Engines engines(images);
  Outcome fast;
  Outcome slow;
  engines.Fast(capture.input(), space, fast);
  engines.Slow(capture.input(), space, slow);
  EXPECT_EQ(Callers(fast.frames), capture.expected);
  EXPECT_TRUE(SameFrames(fast, slow)) << slow.frames.size();
}

}  // namespace
}  // namespace prof::unwind
