// Names the entries of procedure linkage tables after the functions they jump to.
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "symbols/elf_symbols.h"

namespace prof::symbols {
namespace {

constexpr std::uint64_t kPltEntryBytes = 16;

struct PltRelocation {
  std::uint64_t symbol = 0;  // index in .dynsym; 0 for an indirect function of the file itself
  std::int64_t addend = 0;   // then the address of its resolver
};

bool IsPlt(const ElfSection& section) {
  return (section.flags & SHF_EXECINSTR) != 0 && section.name.starts_with(".plt");
}

// GOT slot -> relocation, for the slots that PLT entries jump through (.rela.plt, and .rela.dyn for
// .plt.got), and the order of .rela.plt.
struct PltRelocations {
  std::unordered_map<std::uint64_t, PltRelocation> by_slot;
  std::vector<PltRelocation> in_order;
};

PltRelocations ReadRelocations(const ElfFile& file) {
  PltRelocations result;
  for (const ElfSection& section : file.sections()) {
    const bool plt = section.name == ".rela.plt" || section.name == ".rel.plt";
    if (!plt && section.name != ".rela.dyn") continue;
    Elf_Data* data = ::elf_getdata(section.scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    GElf_Rela rela;
    for (int i = 0; ::gelf_getrela(data, i, &rela) != nullptr; ++i) {
      const PltRelocation relocation{GELF_R_SYM(rela.r_info), rela.r_addend};
      if (plt) result.in_order.push_back(relocation);
      if (plt || relocation.symbol != 0) result.by_slot.emplace(rela.r_offset, relocation);
    }
  }
  return result;
}

// The slot an x86-64 entry jumps through: [endbr64] [bnd] jmp *disp32(%rip).
std::optional<std::uint64_t> SlotOfX86Entry(std::string_view code, std::uint64_t address) {
  using namespace std::string_view_literals;
  std::size_t at = 0;
  if (code.starts_with("\xf3\x0f\x1e\xfa"sv)) at = 4;
  if (code.substr(at).starts_with("\xf2"sv)) ++at;
  if (!code.substr(at).starts_with("\xff\x25"sv) || code.size() < at + 6) return std::nullopt;
  std::int32_t displacement = 0;
  std::memcpy(&displacement, code.data() + at + 2, sizeof(displacement));
  return address + at + 6 + static_cast<std::uint64_t>(std::int64_t{displacement});
}

// The function that an IRELATIVE slot's resolver stands for; indirect functions carry its address.
std::string IndirectFunctionName(const ElfFile& file, std::uint64_t resolver) {
  const model::FileAddr address{resolver};
  SymbolMatch match(std::span(&address, 1));
  if (!OfferElfSymbols(file, SHT_SYMTAB, match)) OfferElfSymbols(file, SHT_DYNSYM, match);
  const Symbol symbol = match.Best().front();
  if (symbol.name.empty() || symbol.start != resolver) return {};
  return std::string(symbol.name);
}

std::string TargetName(const ElfFile& file, const PltRelocation& relocation) {
  if (relocation.symbol == 0) {
    return IndirectFunctionName(file, static_cast<std::uint64_t>(relocation.addend));
  }
  const ElfSection* dynsym = file.FindType(SHT_DYNSYM);
  Elf_Data* data = dynsym == nullptr ? nullptr : ::elf_getdata(dynsym->scn, nullptr);
  GElf_Sym symbol;
  if (data == nullptr ||
      ::gelf_getsym(data, static_cast<int>(relocation.symbol), &symbol) == nullptr) {
    return {};
  }
  const char* name = ::elf_strptr(file.elf(), dynsym->link, symbol.st_name);
  return name == nullptr ? std::string() : name;
}

// Whether the linker puts the addend there, moved to where the file is loaded.
bool IsRelative(const ElfFile& file, std::uint64_t type) {
  return file.machine() == EM_X86_64 ? type == R_X86_64_RELATIVE
                                     : file.machine() == EM_AARCH64 && type == R_AARCH64_RELATIVE;
}

std::optional<PltRelocation> RelocationOf(const ElfFile& file, const ElfSection& plt,
                                          const PltRelocations& relocations, std::uint64_t entry) {
  if (file.machine() == EM_X86_64) {
    const std::string_view bytes = file.Bytes(plt);
    const std::uint64_t offset = entry - plt.address;
    if (offset >= bytes.size()) return std::nullopt;
    const auto slot = SlotOfX86Entry(bytes.substr(offset, kPltEntryBytes), entry);
    if (!slot) return std::nullopt;
    const auto found = relocations.by_slot.find(*slot);
    if (found == relocations.by_slot.end()) return std::nullopt;
    return found->second;
  }
  // Elsewhere the entries follow a header in the order of .rela.plt.
  const std::uint64_t header = file.machine() == EM_AARCH64 ? 32 : 16;
  if (plt.name != ".plt" || entry < plt.address + header) return std::nullopt;
  const std::uint64_t index = (entry - plt.address - header) / kPltEntryBytes;
  if (index >= relocations.in_order.size()) return std::nullopt;
  return relocations.in_order[index];
}

}  // namespace

std::vector<NamedRange> FindPltEntries(const ElfFile& file,
                                       std::span<const model::FileAddr> wanted) {
  std::vector<NamedRange> entries(wanted.size());
  std::optional<PltRelocations> relocations;
  for (const ElfSection& section : file.sections()) {
    if (!IsPlt(section) || section.type == SHT_NOBITS) continue;
    const std::uint64_t step =
        section.name == ".plt.got" && section.entry_size != 0 ? section.entry_size : kPltEntryBytes;
    auto it = std::ranges::lower_bound(wanted, model::FileAddr{section.address});
    for (; it != wanted.end() && section.Contains(it->value); ++it) {
      if (!relocations) relocations = ReadRelocations(file);
      const std::uint64_t entry = it->value - (it->value - section.address) % step;
      const auto relocation = RelocationOf(file, section, *relocations, entry);
      if (!relocation) continue;
      std::string name = TargetName(file, *relocation);
      if (name.empty()) continue;
      entries[static_cast<std::size_t>(it - wanted.begin())] = {entry, step, name + "@plt"};
    }
  }
  return entries;
}

std::vector<GotSlot> FindGotSlots(const ElfFile& file, std::span<const model::FileAddr> wanted) {
  std::vector<GotSlot> slots(wanted.size());
  const auto in_got = [&file](std::uint64_t address) {
    return std::ranges::any_of(file.sections(), [address](const ElfSection& section) {
      return section.name.starts_with(".got") && section.Contains(address);
    });
  };
  std::vector<std::uint64_t> inside;
  for (const model::FileAddr address : wanted) {
    if (in_got(address.value)) inside.push_back(address.value);
  }
  if (inside.empty()) return slots;
  for (const ElfSection& section : file.sections()) {
    if (section.type != SHT_RELA || (section.flags & SHF_ALLOC) == 0) continue;
    Elf_Data* data = ::elf_getdata(section.scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    GElf_Rela rela;
    for (int i = 0; ::gelf_getrela(data, i, &rela) != nullptr; ++i) {
      if (!std::ranges::binary_search(inside, rela.r_offset)) continue;
      const auto at = std::ranges::lower_bound(wanted, model::FileAddr{rela.r_offset});
      GotSlot& slot = slots[static_cast<std::size_t>(at - wanted.begin())];
      const PltRelocation relocation{GELF_R_SYM(rela.r_info), rela.r_addend};
      if (IsRelative(file, GELF_R_TYPE(rela.r_info)))
        slot.address = static_cast<std::uint64_t>(rela.r_addend);
      else
        slot.name = TargetName(file, relocation);
    }
  }
  return slots;
}

}  // namespace prof::symbols
