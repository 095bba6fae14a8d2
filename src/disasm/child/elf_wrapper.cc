#include "disasm/child/elf_wrapper.h"

#include <elf.h>

#include <string_view>

namespace prof::disasm {
namespace {

constexpr std::string_view kNames("\0.text\0.shstrtab\0", 17);
constexpr std::uint64_t kTextName = 1;
constexpr std::uint64_t kNamesName = 7;

class ElfWriter {
 public:
  explicit ElfWriter(const ElfMachine& machine) : machine_(machine) {}

  void Half(std::uint64_t value) { Put(value, 2); }
  void Word(std::uint64_t value) { Put(value, 4); }
  // Addresses, offsets and sizes: as wide as the machine's.
  void Wide(std::uint64_t value) { Put(value, machine_.is_64 ? 8 : 4); }
  void Bytes(std::string_view bytes) { file_ += bytes; }

  void Section(std::uint64_t name, std::uint64_t type, std::uint64_t flags, std::uint64_t address,
               std::uint64_t offset, std::uint64_t size) {
    Word(name);
    Word(type);
    Wide(flags);
    Wide(address);
    Wide(offset);
    Wide(size);
    Word(0);  // link
    Word(0);  // info
    Wide(type == SHT_NULL ? 0 : 1);
    Wide(0);  // entry size
  }

  std::string Take() { return std::move(file_); }

 private:
  void Put(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned shift = 8 * (machine_.big_endian ? size - 1 - i : i);
      file_.push_back(static_cast<char>(value >> shift));
    }
  }

  const ElfMachine& machine_;
  std::string file_;
};

}  // namespace

std::string WrapInElf(std::span<const std::byte> code, model::FileAddr begin,
                      const ElfMachine& machine) {
  const std::uint64_t header_size = machine.is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
  const std::uint64_t section_size = machine.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  const std::uint64_t text_offset = header_size + 3 * section_size;
  ElfWriter elf(machine);
  elf.Bytes(ELFMAG);
  const char ident[EI_NIDENT - SELFMAG] = {
      static_cast<char>(machine.is_64 ? ELFCLASS64 : ELFCLASS32),
      static_cast<char>(machine.big_endian ? ELFDATA2MSB : ELFDATA2LSB), EV_CURRENT};
  elf.Bytes(std::string_view(ident, sizeof ident));
  elf.Half(ET_EXEC);
  elf.Half(machine.number);
  elf.Word(EV_CURRENT);
  elf.Wide(begin.value);  // entry
  elf.Wide(0);            // program headers
  elf.Wide(header_size);  // section headers
  elf.Word(0);            // flags
  elf.Half(header_size);
  elf.Half(0);
  elf.Half(0);
  elf.Half(section_size);
  elf.Half(3);
  elf.Half(2);  // the section of names
  elf.Section(0, SHT_NULL, 0, 0, 0, 0);
  elf.Section(kTextName, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, begin.value, text_offset,
              code.size());
  elf.Section(kNamesName, SHT_STRTAB, 0, 0, text_offset + code.size(), kNames.size());
  elf.Bytes({reinterpret_cast<const char*>(code.data()), code.size()});
  elf.Bytes(kNames);
  return elf.Take();
}

}  // namespace prof::disasm
