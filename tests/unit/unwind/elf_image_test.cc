// ElfImage on small hand-made files, on real ones, and on damaged ones.
#include "prof/unwind/elf_image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "unit/unwind/self_process.h"

namespace prof::unwind {
namespace {

using model::FileAddr;
using model::FileOffset;

constexpr std::uint64_t kTextOffset = 0x200;
constexpr std::uint64_t kTextAddress = 0x401200;
constexpr std::uint64_t kTextSize = 0x40;

template <class T>
void Put(std::vector<std::byte>& file, std::size_t offset, const T& value) {
  if (file.size() < offset + sizeof(T)) file.resize(offset + sizeof(T));
  std::memcpy(file.data() + offset, &value, sizeof(T));
}

// Read-only segment [0, 0x200) at 0x400000, text [0x200, 0x240) at 0x401200, a build ID note at
// 0x180, .eh_frame_hdr at 0x1c0 that points at 0x1e0; no section headers.
std::vector<std::byte> SmallElf() {
  std::vector<std::byte> file(kTextOffset + kTextSize, std::byte{0x90});
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_entry = kTextAddress;
  header.e_phoff = sizeof(header);
  header.e_phnum = 4;
  header.e_phentsize = sizeof(Elf64_Phdr);
  Put(file, 0, header);
  const auto segment = [&](std::size_t i, std::uint32_t type, std::uint32_t flags,
                           std::uint64_t offset, std::uint64_t address, std::uint64_t size) {
    const Elf64_Phdr phdr{type, flags, offset, address, address, size, size, 4};
    Put(file, sizeof(Elf64_Ehdr) + i * sizeof(Elf64_Phdr), phdr);
  };
  segment(0, PT_LOAD, PF_R, 0, 0x400000, kTextOffset);
  segment(1, PT_LOAD, PF_R | PF_X, kTextOffset, kTextAddress, kTextSize);
  segment(2, PT_NOTE, PF_R, 0x180, 0x400180, 24);
  segment(3, PT_GNU_EH_FRAME, PF_R, 0x1c0, 0x4001c0, 12);
  Put(file, 0x180, Elf64_Nhdr{4, 8, NT_GNU_BUILD_ID});
  std::memcpy(file.data() + 0x18c, "GNU\0\x01\x02\x03\x04\x05\x06\x07\x08", 12);
  Put(file, 0x1c0, std::uint32_t{0x3b031b01});
  Put(file, 0x1c4, std::int32_t{0x1e0 - 0x1c4});
  Put(file, 0x1c8, std::uint32_t{0});
  return file;
}

TEST(ElfImage, ReadsSegmentsNotesAndUnwindHeader) {
  const auto file = SmallElf();
  const auto image = ElfImage::FromMemory(file, "small");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ((*image)->machine(), EM_X86_64);
  EXPECT_EQ((*image)->entry(), FileAddr{kTextAddress});
  EXPECT_EQ((*image)->build_id().Hex(), "0102030405060708");
  EXPECT_EQ((*image)->eh_frame_hdr().address, FileAddr{0x4001c0});
  EXPECT_EQ((*image)->eh_frame_hdr().bytes.size(), 12U);
  EXPECT_EQ((*image)->eh_frame().address, FileAddr{0x4001e0});
  EXPECT_EQ((*image)->eh_frame().bytes.size(), kTextOffset - 0x1e0);
  EXPECT_TRUE((*image)->debug_frame().empty());
  EXPECT_EQ((*image)->Extent(), std::pair(FileAddr{0x400000}, FileAddr{kTextAddress + kTextSize}));
}

TEST(ElfImage, TranslatesOffsetsThroughSegments) {
  const auto file = SmallElf();
  const auto image = ElfImage::FromMemory(file, "small");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ((*image)->ToFileAddr(FileOffset{0x10}), FileAddr{0x400010});
  EXPECT_EQ((*image)->ToFileAddr(FileOffset{kTextOffset}), FileAddr{kTextAddress});
  EXPECT_EQ((*image)->ToFileAddr(FileOffset{kTextOffset + kTextSize - 1}),
            FileAddr{kTextAddress + kTextSize - 1});
  EXPECT_EQ((*image)->ToFileAddr(FileOffset{kTextOffset + kTextSize}), std::nullopt);
  EXPECT_EQ((*image)->ToFileAddr(FileOffset{~std::uint64_t{0}}), std::nullopt);
}

TEST(ElfImage, GivesExactlyTheBytesAskedForOrNone) {
  const auto file = SmallElf();
  const auto image = ElfImage::FromMemory(file, "small");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ((*image)->BytesAt({kTextAddress}, kTextSize).data(), file.data() + kTextOffset);
  EXPECT_EQ((*image)->BytesAt({kTextAddress}, kTextSize).size(), kTextSize);
  EXPECT_TRUE((*image)->BytesAt({kTextAddress}, kTextSize + 1).empty());
  EXPECT_TRUE((*image)->BytesAt({kTextAddress + kTextSize}, 1).empty());
  EXPECT_TRUE((*image)->BytesAt({0}, 1).empty());
  EXPECT_TRUE((*image)->BytesAt({kTextAddress + 1}, ~std::size_t{0}).empty());
}

TEST(ElfImage, TranslatesAddressesOf32BitFiles) {
  std::vector<std::byte> file(0x300);
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_386;
  header.e_phoff = sizeof(header);
  header.e_phnum = 2;
  header.e_phentsize = sizeof(Elf32_Phdr);
  Put(file, 0, header);
  const Elf32_Phdr text{PT_LOAD, 0x200, 0x8049200, 0x8049200, 0x100, 0x100, PF_R | PF_X, 4};
  const Elf32_Phdr note{PT_NOTE, 0x180, 0x8048180, 0x8048180, 24, 24, PF_R, 4};
  Put(file, sizeof(header), text);
  Put(file, sizeof(header) + sizeof(text), note);
  Put(file, 0x180, Elf64_Nhdr{4, 8, NT_GNU_BUILD_ID});
  std::memcpy(file.data() + 0x18c, "GNU\0\x01\x02\x03\x04\x05\x06\x07\x08", 12);
  const auto image = ElfImage::FromMemory(file, "32");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ((*image)->machine(), EM_386);
  EXPECT_EQ((*image)->ToFileAddr(FileOffset{0x210}), FileAddr{0x8049210});
  EXPECT_EQ((*image)->build_id().Hex(), "0102030405060708");
  EXPECT_TRUE((*image)->eh_frame().empty());
  file.resize(40);
  EXPECT_EQ(ElfImage::FromMemory(file, "cut").error().kind, ErrorKind::kBadData);
}

TEST(ElfImage, RefusesWhatItCannotRead) {
  auto file = SmallElf();
  const std::vector<std::byte> text(100, std::byte{'x'});
  EXPECT_EQ(ElfImage::FromMemory(text, "text").error().kind, ErrorKind::kBadData);
  EXPECT_EQ(ElfImage::FromMemory({}, "empty").error().kind, ErrorKind::kBadData);
  file[EI_CLASS] = std::byte{7};
  EXPECT_EQ(ElfImage::FromMemory(file, "7").error().kind, ErrorKind::kUnsupported);
  file[EI_CLASS] = std::byte{ELFCLASS64};
  file[EI_DATA] = std::byte{ELFDATA2MSB};
  EXPECT_EQ(ElfImage::FromMemory(file, "big-endian").error().kind, ErrorKind::kUnsupported);
}

// Whatever a damaged file yields, it lies inside the file.
void CheckInside(std::span<const std::byte> file) {
  const auto image = ElfImage::FromMemory(file, "damaged");
  if (!image) return;
  const auto inside = [&](std::span<const std::byte> part) {
    return part.empty() ||
           (part.data() >= file.data() && part.data() + part.size() <= file.data() + file.size());
  };
  EXPECT_TRUE(inside((*image)->eh_frame().bytes));
  EXPECT_TRUE(inside((*image)->eh_frame_hdr().bytes));
  EXPECT_TRUE(inside((*image)->debug_frame().bytes));
  for (const auto& segment : (*image)->segments()) {
    EXPECT_TRUE(inside((*image)->BytesAt(segment.address, segment.file_size)));
  }
  EXPECT_EQ((*image)->Extent(), (*image)->Extent());
  EXPECT_TRUE((*image)->BytesAt((*image)->Extent().second, 1).empty());
}

TEST(ElfImage, CutAtEveryLengthItStaysInside) {
  const auto file = SmallElf();
  for (std::size_t size = 0; size <= file.size(); ++size) {
    const std::vector<std::byte> cut(file.begin(), file.begin() + static_cast<long>(size));
    CheckInside(cut);
  }
}

TEST(ElfImage, RandomDamageStaysInside) {
  std::mt19937 random(7);
  const auto self = MappedFile::Open("/proc/self/exe");
  ASSERT_TRUE(self.has_value());
  const auto bytes = self->bytes();
  // The headers are at both ends of the file; the middle stands for nothing here.
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (int round = 0; round < 300; ++round) {
    auto file = SmallElf();
    if (round % 30 == 0) file.assign(bytes.begin(), bytes.end());
    const std::size_t headers =
        sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) * (round % 30 == 0 ? header.e_phnum : 4U);
    for (int i = 0; i < 8; ++i) file[random() % headers] = static_cast<std::byte>(random());
    if (round % 30 == 0) {
      for (int i = 0; i < 50; ++i) {
        const std::size_t at = header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr));
        file[at] = static_cast<std::byte>(random());
      }
      file.resize(file.size() - random() % 200);
    }
    std::memcpy(file.data(), ELFMAG, SELFMAG);
    file[EI_CLASS] = std::byte{ELFCLASS64};
    file[EI_DATA] = std::byte{ELFDATA2LSB};
    CheckInside(file);
  }
}

TEST(ElfImage, RealFilesAndTheVdsoHaveUnwindInformation) {
  const SelfProcess self;
  bool saw_vdso = false;
  for (const auto& [start, mapping] : self.space()) {
    const ElfImage* image = self.images().Image(mapping.module);
    const std::string path = self.PathOf(mapping.module);
    if (image == nullptr || image->machine() != EM_X86_64) continue;
    SCOPED_TRACE(path);
    EXPECT_FALSE(image->eh_frame_hdr().empty());
    EXPECT_FALSE(image->eh_frame().empty());
    EXPECT_FALSE(image->build_id().empty());
    if (path != "[vdso]") continue;
    saw_vdso = true;
    EXPECT_EQ(image->ToFileAddr(FileOffset{0x40}), FileAddr{0x40});
  }
  EXPECT_TRUE(saw_vdso || getauxval(AT_SYSINFO_EHDR) == 0);
}

}  // namespace
}  // namespace prof::unwind
