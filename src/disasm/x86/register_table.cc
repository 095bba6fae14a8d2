#include "disasm/x86/register_table.h"

#include "disasm/x86/zydis_library.h"

namespace prof::disasm::x86 {

RegisterTable::RegisterTable() {
  for (std::size_t i = 1; i < facts_.size(); ++i) {
    const auto value = static_cast<ZydisRegister>(i);
    const ZydisShortString* name = Zydis().register_name(value);
    if (name != nullptr) facts_[i].name = {name->data, name->size};
    facts_[i].group = Zydis().register_class(value);
    facts_[i].number = Zydis().register_number(value);
  }
}

}  // namespace prof::disasm::x86
