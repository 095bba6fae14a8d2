// Names from the record's references, then from the functions that the profile knows.
#include "analysis/annotate/target_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace prof::analysis {
namespace {

std::string WithOffset(const std::string& name, std::uint64_t offset) {
  return offset == 0 ? name : fmt::format("{}+{:#x}", name, offset);
}

}  // namespace

const std::string& LinkageTexts::Of(std::string_view linkage_name) {
  const auto known = cache_.find(linkage_name);
  if (known != cache_.end()) return known->second;
  return cache_.emplace(linkage_name, LinkageText(linkage_name, style_)).first->second;
}

const std::vector<TargetNames::Named>& TargetNames::FunctionsOf(ModuleIndex module) {
  const auto [entry, added] = functions_.try_emplace(module);
  std::vector<Named>& functions = entry->second;
  if (!added) return functions;
  if (const model::ModuleCode* code = lookup_.OfModule(module)) {
    for (const model::FunctionCode& function : code->functions) {
      functions.push_back({function.start, function.size, function.name});
    }
  }
  for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
    const NodeIndex node = samples_.NodeOf(frame);
    if (node == kNoIndex || profile_.frames()[frame].module != module) continue;
    const FunctionExtent extent = profile_.ExtentOf(node);
    const FunctionIndex function = profile_.Locations(node).back().function;
    if (extent.size == 0 || function >= profile_.functions().size()) continue;
    const std::string_view name = profile_.Name(profile_.functions()[function].name);
    functions.push_back({extent.start, extent.size, std::string(name)});
  }
  std::erase_if(functions, [](const Named& f) { return f.linkage_name.empty(); });
  const auto key = [](const Named& f) { return std::tie(f.start, f.linkage_name); };
  std::ranges::sort(functions, {}, key);
  const auto repeated = std::ranges::unique(functions, {}, &Named::start);
  functions.erase(repeated.begin(), repeated.end());
  return functions;
}

std::string TargetNames::Of(const CodeCopy& copy, const model::FunctionCode& code,
                            model::FileAddr address, bool called) {
  if (address == copy.start && called) return copy.name;
  if (address >= copy.start && address - copy.start < copy.size) {
    return fmt::format("<+{:#x}>", address - copy.start);
  }
  const auto reference =
      std::ranges::lower_bound(code.references, address, {}, &model::CodeReference::address);
  const bool referred = reference != code.references.end() && reference->address == address;
  if (referred && !reference->name.empty()) {
    return WithOffset(texts_.Of(reference->name), reference->offset);
  }
  const auto& functions = FunctionsOf(copy.module);
  const auto after = std::ranges::upper_bound(functions, address, {}, &Named::start);
  if (after == functions.begin()) return {};
  const Named& before = *std::prev(after);
  const std::uint64_t offset = address - before.start;
  return offset < before.size ? WithOffset(texts_.Of(before.linkage_name), offset) : std::string();
}

}  // namespace prof::analysis
