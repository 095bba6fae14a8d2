// Resolves the addresses of a profile that came without symbols.
#include <algorithm>

#include "analysis/profile_data.h"

#include "prof/symbols/symbolizer.h"

namespace prof::analysis {

void Profile::Symbolize(symbols::Symbolizer& symbolizer) {
  std::vector<std::vector<model::FileAddr>> wanted(data_->modules.size());
  for (const analysis::Locations::Address& address : data_->locations.addresses()) {
    const ModuleState& state = data_->modules[address.module];
    if (state.resolved || state.module.kind == model::ModuleKind::kUnknown) continue;
    wanted[address.module].push_back(address.address);
  }
  for (ModuleIndex module = 0; module < wanted.size(); ++module) {
    ModuleState& state = data_->modules[module];
    if (state.resolved || state.module.kind == model::ModuleKind::kUnknown) continue;
    state.resolved = true;
    if (wanted[module].empty()) continue;
    std::ranges::sort(wanted[module]);
    const model::ModuleSymbols symbols = symbolizer.Resolve(state.module, wanted[module]);
    state.status = symbols.status;
    state.detail = symbols.detail;
    data_->locations.Apply(module, symbols, data_->names);
  }
}

}  // namespace prof::analysis
