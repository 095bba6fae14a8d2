// The distinct lookup addresses of a profile and the inline chains they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/index_table.h"
#include "analysis/name_table.h"

#include "prof/analysis/profile.h"
#include "prof/model/record.h"

namespace prof::analysis {

// Grows while a profile is built (Intern, Apply), then Complete() gives every address that is still
// without symbols an unnamed function of its own. Apply() after that replaces chains.
class Locations {
 public:
  struct Address {
    ModuleIndex module = kNoIndex;
    bool unoptimized = false;  // as in model::AddressSymbols
    model::FileAddr address;
    std::uint32_t first = 0;  // into the chains
    std::uint32_t count = 0;  // 0: nothing known yet
    FunctionExtent extent;
  };

  std::uint32_t Intern(ModuleIndex module, model::FileAddr lookup);
  // Addresses that no stack has are passed over.
  void Apply(ModuleIndex module, const model::ModuleSymbols& symbols, NameTable& names);
  void Complete();

  // Never empty after Complete().
  [[nodiscard]] std::span<const CodeLocation> Of(std::uint32_t address_index) const;
  [[nodiscard]] FunctionExtent ExtentOf(std::uint32_t address_index) const {
    return addresses_[address_index].extent;
  }
  [[nodiscard]] bool IsUnoptimized(std::uint32_t address_index) const {
    return addresses_[address_index].unoptimized;
  }
  [[nodiscard]] std::span<const Address> addresses() const { return addresses_; }
  [[nodiscard]] std::span<const CodeLocation> all() const { return chains_; }
  [[nodiscard]] std::span<const Function> functions() const { return functions_; }

 private:
  FunctionIndex InternFunction(const Function& function);

  std::vector<Address> addresses_;
  std::vector<CodeLocation> chains_;
  std::vector<Function> functions_;
  IndexTable address_table_;
  IndexTable function_table_;
};

}  // namespace prof::analysis
