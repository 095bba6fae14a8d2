// What Zydis knows of registers, asked once: these are looked at for every operand.
#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace prof::disasm::x86 {

struct RegisterFacts {
  std::string_view name;
  ZydisRegisterClass group = ZYDIS_REGCLASS_INVALID;
  std::int8_t number = -1;  // within the class
};

class RegisterTable {
 public:
  RegisterTable();  // needs a loaded Zydis
  [[nodiscard]] const RegisterFacts& Of(ZydisRegister value) const { return facts_[value]; }

 private:
  std::array<RegisterFacts, ZYDIS_REGISTER_MAX_VALUE + 1> facts_;
};

inline const RegisterFacts& FactsOf(ZydisRegister value) {
  static const RegisterTable kTable;
  return kTable.Of(value);
}

}  // namespace prof::disasm::x86
