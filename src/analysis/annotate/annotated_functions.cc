#include "analysis/annotate/annotated_functions.h"

#include "analysis/annotate/function_groups.h"

namespace prof::analysis {

AnnotatedFunctions::AnnotatedFunctions(const Profile& profile, const FunctionMatch& match)
    : has_(profile.functions().size()) {
  for (const FunctionIndex function : match.functions) {
    if (function >= has_.size()) continue;
    has_[function] = true;
    const NameIndex name = profile.functions()[function].name;
    if (name != kNoIndex) keys_.insert(CopyKey(profile.Name(name), NameStyle::kFull));
  }
}

bool AnnotatedFunctions::HasName(std::string_view linkage_name) {
  const auto known = known_.find(linkage_name);
  if (known != known_.end()) return known->second;
  const bool has = keys_.contains(CopyKey(linkage_name, NameStyle::kFull));
  known_.emplace(linkage_name, has);
  return has;
}

std::optional<std::size_t> AnnotatedFunctions::Level(std::span<const CodeLocation> chain) const {
  for (std::size_t level = chain.size(); level-- > 0;) {
    if (Has(chain[level].function)) return level;
  }
  return std::nullopt;
}

}  // namespace prof::analysis
