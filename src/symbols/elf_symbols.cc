// Reads function symbols from ELF symbol tables, .gnu_debugdata included.
#include "symbols/elf_symbols.h"

#include <gelf.h>
#include <lzma.h>

#include <cstring>
#include <utility>

namespace prof::symbols {
namespace {

// What an xz stream of a few hundred KB may grow to; real ones stay below 20 MB.
constexpr std::size_t kMaxMiniDebugInfoBytes = std::size_t{256} << 20;

// A NUL-terminated string of a string table, or empty when it does not end inside.
std::string_view StringAt(std::string_view table, std::size_t offset) {
  if (offset >= table.size()) return {};
  const std::size_t end = table.find('\0', offset);
  return end == std::string_view::npos ? std::string_view() : table.substr(offset, end - offset);
}

// ARM and RISC-V mark code and data with "$x", "$d", "$a", "$t"; assemblers leave ".L" labels.
bool IsMarker(std::string_view name) { return name.starts_with('$') || name.starts_with(".L"); }

// gelf_getsym() takes a lock for each symbol, which is most of the time of reading a large table.
bool ReadSymbol(Elf_Data& data, bool is_64_bit, std::size_t index, GElf_Sym& symbol) {
  if (!is_64_bit) return ::gelf_getsym(&data, static_cast<int>(index), &symbol) != nullptr;
  if (index >= data.d_size / sizeof(Elf64_Sym)) return false;
  std::memcpy(&symbol, static_cast<const char*>(data.d_buf) + index * sizeof(symbol),
              sizeof(symbol));
  return true;
}

// Whether a symbol of this type and name is one of that use.
bool IsWanted(SymbolUse use, unsigned type, std::string_view name) {
  if (name.empty()) return false;
  if (use == SymbolUse::kData) return type == STT_OBJECT;
  return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && !IsMarker(name));
}

// Calls visit(symbol, its section, name) for each symbol of that use. False when the file has no
// such table.
template <class Visit>
bool ForEachSymbol(const ElfFile& file, std::uint32_t table_type, SymbolUse use, Visit&& visit) {
  const ElfSection* table = file.FindType(table_type);
  if (table == nullptr) return false;
  Elf_Data* data = ::elf_getdata(table->scn, nullptr);
  Elf_Scn* strings_scn = ::elf_getscn(file.elf(), table->link);
  Elf_Data* strings_data = strings_scn == nullptr ? nullptr : ::elf_rawdata(strings_scn, nullptr);
  if (data == nullptr || data->d_buf == nullptr || strings_data == nullptr ||
      strings_data->d_buf == nullptr) {
    return false;
  }
  const std::string_view strings(static_cast<const char*>(strings_data->d_buf),
                                 strings_data->d_size);
  // Sections by ELF index: headers that libelf could not read are missing in sections().
  std::vector<const ElfSection*> by_index;
  for (const ElfSection& section : file.sections()) {
    const std::size_t index = ::elf_ndxscn(section.scn);
    if (by_index.size() <= index) by_index.resize(index + 1);
    by_index[index] = &section;
  }
  const bool is_64_bit = ::gelf_getclass(file.elf()) == ELFCLASS64;
  const std::uint64_t needed_flag = use == SymbolUse::kCode ? SHF_EXECINSTR : SHF_ALLOC;
  GElf_Sym symbol;
  for (std::size_t i = 1; ReadSymbol(*data, is_64_bit, i, symbol); ++i) {
    const auto type = GELF_ST_TYPE(symbol.st_info);
    if (type > STT_FUNC && type != STT_GNU_IFUNC) continue;  // sections, files, thread's own
    if (symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_shndx >= by_index.size() || by_index[symbol.st_shndx] == nullptr) continue;
    const ElfSection& section = *by_index[symbol.st_shndx];
    if ((section.flags & needed_flag) == 0 || !section.Contains(symbol.st_value)) continue;
    const std::string_view name = StringAt(strings, symbol.st_name);
    if (IsWanted(use, type, name)) visit(symbol, section, name);
  }
  return true;
}

}  // namespace

bool OfferElfSymbols(const ElfFile& file, std::uint32_t table_type, SymbolMatch& match,
                     SymbolUse use) {
  return ForEachSymbol(
      file, table_type, use,
      [&match](const GElf_Sym& symbol, const ElfSection& section, std::string_view name) {
        const auto bind = GELF_ST_BIND(symbol.st_info);
        match.Offer({.start = symbol.st_value,
                     .size = symbol.st_size,
                     .limit = section.address + section.size,
                     .binding = bind == STB_WEAK    ? Binding::kWeak
                                : bind == STB_LOCAL ? Binding::kLocal
                                                    : Binding::kGlobal,
                     .function = GELF_ST_TYPE(symbol.st_info) != STT_NOTYPE,
                     .name = name});
      });
}

bool ForEachFunction(
    const ElfFile& file, std::uint32_t table_type,
    const std::function<void(std::string_view name, std::uint64_t address)>& visit) {
  return ForEachSymbol(file, table_type, SymbolUse::kCode,
                       [&visit](const GElf_Sym& symbol, const ElfSection&, std::string_view name) {
                         visit(name, symbol.st_value);
                       });
}

std::unique_ptr<ElfFile> OpenMiniDebugInfo(const ElfFile& file) {
  const ElfSection* section = file.Find(".gnu_debugdata");
  if (section == nullptr) return nullptr;
  const std::string_view packed = file.Bytes(*section);
  lzma_stream stream = LZMA_STREAM_INIT;
  if (::lzma_stream_decoder(&stream, kMaxMiniDebugInfoBytes, 0) != LZMA_OK) return nullptr;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::vector<std::byte> bytes;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && bytes.size() < kMaxMiniDebugInfoBytes) {
    const std::size_t used = bytes.size();
    bytes.resize(used == 0 ? packed.size() * 4 + 4096 : used * 2);
    stream.next_out = reinterpret_cast<std::uint8_t*>(bytes.data() + used);
    stream.avail_out = bytes.size() - used;
    status = ::lzma_code(&stream, LZMA_FINISH);
  }
  bytes.resize(stream.total_out);
  ::lzma_end(&stream);
  if (status != LZMA_STREAM_END) return nullptr;
  auto inner = ElfFile::FromBytes(std::move(bytes), file.name() + " .gnu_debugdata");
  return inner ? std::move(*inner) : nullptr;
}

}  // namespace prof::symbols
