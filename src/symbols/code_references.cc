#include "symbols/code_references.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "symbols/module_symbols.h"
#include "symbols/symbol_match.h"

#include "prof/disasm/disassembler.h"

namespace prof::symbols {
namespace {

using model::FileAddr;

void SortUnique(std::vector<FileAddr>& addresses) {
  std::ranges::sort(addresses);
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
}

// Where the code leads to outside of the function.
std::vector<FileAddr> ReferredBy(const model::FunctionCode& function,
                                 disasm::Disassembler& disassembler) {
  std::vector<FileAddr> referred;
  const auto instructions = disassembler.Decode(function.code, function.start);
  if (!instructions) return referred;
  const auto add = [&](const std::optional<FileAddr>& address) {
    if (address && *address - function.start >= function.size) referred.push_back(*address);
  };
  for (const disasm::Instruction& instruction : *instructions) {
    add(instruction.target);
    add(instruction.referred);
  }
  SortUnique(referred);
  return referred;
}

// Names what is still nameless after the data object there.
void NameObjects(OpenModule& module, std::span<const FileAddr> addresses,
                 std::vector<NamedRange>& names) {
  SymbolMatch match(addresses);
  if (!OfferElfSymbols(module.file(), SHT_SYMTAB, match, SymbolUse::kData) &&
      (module.debug_file() == nullptr ||
       !OfferElfSymbols(*module.debug_file(), SHT_SYMTAB, match, SymbolUse::kData))) {
    OfferElfSymbols(module.file(), SHT_DYNSYM, match, SymbolUse::kData);
  }
  const std::vector<Symbol> best = match.Best();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!names[i].name.empty() || best[i].name.empty()) continue;
    names[i] = {best[i].start, best[i].size, std::string(best[i].name)};
  }
}

// Functions, PLT entries and data.
std::vector<NamedRange> NameOwn(OpenModule& module, std::span<const FileAddr> addresses) {
  std::string detail;
  std::vector<NamedRange> names = NameAddresses(module, addresses, detail);
  NameObjects(module, addresses, names);
  return names;
}

}  // namespace

std::vector<NamedRange> NameReferences(OpenModule& module, std::span<const FileAddr> addresses) {
  std::vector<NamedRange> names = NameOwn(module, addresses);
  std::vector<GotSlot> slots = FindGotSlots(module.file(), addresses);
  std::vector<FileAddr> held;  // addresses of this file in slots
  for (const GotSlot& slot : slots) {
    if (slot.address != 0) held.push_back({slot.address});
  }
  SortUnique(held);
  const std::vector<NamedRange> held_names =
      held.empty() ? std::vector<NamedRange>() : NameOwn(module, held);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    GotSlot& slot = slots[i];
    if (slot.address != 0) {
      const auto at = std::ranges::lower_bound(held, FileAddr{slot.address}) - held.begin();
      const NamedRange& range = held_names[static_cast<std::size_t>(at)];
      if (range.start == slot.address) slot.name = range.name;
    }
    if (!slot.name.empty()) names[i] = {addresses[i].value, 0, slot.name + "@got"};
  }
  return names;
}

std::string AddReferences(const AddressNamer& name, model::ModuleCode& code) {
  const std::uint16_t machine = code.machine.number;
  if (machine != EM_X86_64 && machine != EM_386) {
    return "what it calls is named on x86 only";
  }
  const auto architecture =
      machine == EM_X86_64 ? disasm::Architecture::kX86_64 : disasm::Architecture::kX86_32;
  disasm::DisassemblerOptions options;
  options.text = false;
  auto disassembler = disasm::Disassembler::Create(architecture, options);
  if (!disassembler) return "what it calls has no names: " + disassembler.error().message;
  std::vector<std::vector<FileAddr>> referred;
  std::vector<FileAddr> all;
  for (const model::FunctionCode& function : code.functions) {
    referred.push_back(ReferredBy(function, **disassembler));
    all.insert(all.end(), referred.back().begin(), referred.back().end());
  }
  SortUnique(all);
  const std::vector<NamedRange> names = name(all);
  for (std::size_t f = 0; f < referred.size(); ++f) {
    for (const FileAddr address : referred[f]) {
      const auto at = std::ranges::lower_bound(all, address) - all.begin();
      const NamedRange& range = names[static_cast<std::size_t>(at)];
      if (range.name.empty()) continue;
      code.functions[f].references.push_back({address, range.name, address.value - range.start});
    }
  }
  return {};
}

}  // namespace prof::symbols
