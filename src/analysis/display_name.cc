// Function names as people read them.
#include <fmt/format.h>

#include "prof/analysis/profile.h"
#include "prof/symbols/demangle.h"

namespace prof::analysis {

std::string DisplayName(const Profile& profile, FunctionIndex function, NameStyle style) {
  if (function >= profile.functions().size()) return "[unknown]";
  const Function& entry = profile.functions()[function];
  if (entry.name == kNoIndex) return fmt::format("{:#x}", entry.address.value);
  std::string name = symbols::Demangle(profile.Name(entry.name));
  return style == NameStyle::kShort ? symbols::FoldName(name) : name;
}

}  // namespace prof::analysis
