#include "symbols/elf_code.h"

#include <gelf.h>

#include <algorithm>

namespace prof::symbols {
namespace {

std::span<const std::byte> PartOf(std::span<const std::byte> bytes, std::uint64_t offset,
                                  std::uint64_t size) {
  if (offset >= bytes.size()) return {};
  bytes = bytes.subspan(static_cast<std::size_t>(offset));
  return bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes.size())));
}

std::span<const std::byte> InSegments(const ElfFile& file, std::uint64_t address,
                                      std::uint64_t size) {
  std::size_t file_bytes = 0;
  const char* raw = ::elf_rawfile(file.elf(), &file_bytes);
  std::size_t count = 0;
  if (raw == nullptr || ::elf_getphdrnum(file.elf(), &count) != 0) return {};
  const auto bytes = std::as_bytes(std::span(raw, file_bytes));
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (::gelf_getphdr(file.elf(), static_cast<int>(i), &segment) == nullptr) continue;
    const std::uint64_t offset = address - segment.p_vaddr;
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr || offset >= segment.p_filesz) {
      continue;
    }
    return PartOf(PartOf(bytes, segment.p_offset, segment.p_filesz), offset, size);
  }
  return {};
}

}  // namespace

model::CodeMachine MachineOf(const ElfFile& file) {
  return {file.machine(), file.is_64_bit(), file.is_big_endian()};
}

std::span<const std::byte> CodeAt(const ElfFile& file, std::uint64_t address, std::uint64_t size) {
  bool any = false;
  for (const ElfSection& section : file.sections()) {
    if ((section.flags & SHF_ALLOC) == 0) continue;
    any = true;
    if ((section.flags & SHF_EXECINSTR) == 0 || !section.Contains(address)) continue;
    const std::string_view bytes = file.Bytes(section);
    return PartOf(std::as_bytes(std::span(bytes.data(), bytes.size())), address - section.address,
                  size);
  }
  // A debug file's segments are those of the program, but not their bytes.
  return any ? std::span<const std::byte>() : InSegments(file, address, size);
}

}  // namespace prof::symbols
