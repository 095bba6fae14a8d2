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
  switch (style) {
    case NameStyle::kFull:
      return name;
    case NameStyle::kPlain:
      return symbols::StripSignature(name);
    case NameStyle::kShort:
      return symbols::FoldName(name);
  }
  return name;
}

}  // namespace prof::analysis
