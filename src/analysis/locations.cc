// Turns distinct addresses into chains of code locations, with symbols or without.
#include "analysis/locations.h"

namespace prof::analysis {

std::uint32_t Locations::Intern(ModuleIndex module, model::FileAddr lookup) {
  const auto fresh = static_cast<std::uint32_t>(addresses_.size());
  const std::uint32_t found =
      address_table_.FindOrInsert(MixHash(lookup.value, module), fresh, [&](std::uint32_t index) {
        return addresses_[index].address == lookup && addresses_[index].module == module;
      });
  if (found == fresh) addresses_.push_back({.module = module, .address = lookup});
  return found;
}

FunctionIndex Locations::InternFunction(const Function& function) {
  const bool unnamed = function.name == kNoIndex;
  const std::uint64_t identity = unnamed ? function.address.value : function.name;
  const auto fresh = static_cast<FunctionIndex>(functions_.size());
  const std::uint64_t module_and_kind = std::uint64_t{function.module} << 1 | (unnamed ? 1 : 0);
  const FunctionIndex found = function_table_.FindOrInsert(
      MixHash(identity, module_and_kind), fresh, [&](std::uint32_t index) {
        const Function& other = functions_[index];
        return other.module == function.module && other.name == function.name &&
               (!unnamed || other.address == function.address);
      });
  if (found == fresh) functions_.push_back(function);
  return found;
}

void Locations::Apply(ModuleIndex module, const model::ModuleSymbols& symbols, NameTable& names) {
  for (const model::AddressSymbols& entry : symbols.addresses) {
    const std::uint32_t index =
        address_table_.Find(MixHash(entry.address.value, module), [&](std::uint32_t candidate) {
          return addresses_[candidate].address == entry.address &&
                 addresses_[candidate].module == module;
        });
    if (index == IndexTable::kEmpty || entry.frames.empty()) continue;
    addresses_[index].first = static_cast<std::uint32_t>(chains_.size());
    addresses_[index].count = static_cast<std::uint32_t>(entry.frames.size());
    addresses_[index].unoptimized = entry.unoptimized;
    addresses_[index].extent = {entry.function_start, entry.function_size};
    for (const model::SymbolFrame& frame : entry.frames) {
      const bool outermost = &frame == &entry.frames.back();
      Function function{.module = module, .address = {}};
      if (frame.name.empty()) {
        function.address = entry.address;
      } else {
        function.name = names.Intern(frame.name);
        if (outermost) function.address = entry.function_start;
      }
      // Whatever the stream says, exactly the last one is the real function.
      chains_.push_back({.function = InternFunction(function),
                         .file = frame.file.empty() ? kNoIndex : names.Intern(frame.file),
                         .line = frame.line,
                         .inlined = !outermost});
    }
  }
}

void Locations::Complete() {
  for (Address& address : addresses_) {
    if (address.count != 0) continue;
    address.first = static_cast<std::uint32_t>(chains_.size());
    address.count = 1;
    chains_.push_back(
        {.function = InternFunction({.module = address.module, .address = address.address})});
  }
}

std::span<const CodeLocation> Locations::Of(std::uint32_t address_index) const {
  const Address& address = addresses_[address_index];
  return std::span(chains_).subspan(address.first, address.count);
}

}  // namespace prof::analysis
