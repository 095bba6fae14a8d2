// Resolves the addresses of a profile that came without symbols.
#include <algorithm>

#include "analysis/profile_data.h"

#include "prof/symbols/symbolizer.h"

namespace prof::analysis {
namespace {

constexpr double kLeastDownloadShare = 0.01;  // of the samples, without callees

bool HasLines(const model::ModuleSymbols& symbols) {
  return std::ranges::any_of(symbols.addresses, [](const model::AddressSymbols& address) {
    return std::ranges::any_of(address.frames, [](const auto& f) { return f.line != 0; });
  });
}

}  // namespace

// Modules with a share of the samples that is worth a download.
std::vector<bool> Profile::LargeModules() const {
  std::vector<std::uint64_t> counts(data_->modules.size());
  std::uint64_t all = 0;
  for (const model::Sample& sample : samples()) {
    all += sample.count;
    if (model::IsRoot(sample.stack)) continue;
    const ModuleIndex module = FrameOf(sample.stack).module;
    if (module < counts.size()) counts[module] += sample.count;
  }
  std::vector<bool> large;
  for (const std::uint64_t count : counts) {
    large.push_back(count > 0 &&
                    static_cast<double>(count) >= kLeastDownloadShare * static_cast<double>(all));
  }
  return large;
}

void Profile::Symbolize(symbols::Symbolizer& symbolizer) {
  const std::size_t count = data_->modules.size();
  const std::vector<bool> ask =
      symbolizer.AsksServers() ? LargeModules() : std::vector<bool>(count);
  std::vector<bool> has_lines(count);
  std::vector<std::vector<model::FileAddr>> all(count);
  const std::span addresses = data_->locations.addresses();
  for (std::uint32_t i = 0; i < addresses.size(); ++i) {
    all[addresses[i].module].push_back(addresses[i].address);
    if (std::ranges::any_of(data_->locations.Of(i), [](const auto& l) { return l.line != 0; }))
      has_lines[addresses[i].module] = true;
  }
  for (ModuleIndex module = 0; module < count; ++module) {
    ModuleState& state = data_->modules[module];
    if (state.module.kind == model::ModuleKind::kUnknown) continue;
    // A server may know more than the machine did that recorded.
    const bool again = state.resolved && ask[module] && !has_lines[module] &&
                       state.module.kind == model::ModuleKind::kElf;
    if (state.resolved && !again) continue;
    state.resolved = true;
    if (all[module].empty()) continue;
    std::ranges::sort(all[module]);
    const model::ModuleSymbols symbols =
        symbolizer.Resolve(state.module, all[module], {.ask_server = ask[module]});
    if (again && state.status == model::SymbolStatus::kOk && !HasLines(symbols)) continue;
    state.status = symbols.status;
    state.detail = symbols.detail;
    data_->locations.Apply(module, symbols, data_->names);
  }
}

}  // namespace prof::analysis
