// Function names as people read them.
#include <fmt/format.h>

#include "analysis/function_text.h"

#include "prof/analysis/profile.h"
#include "prof/symbols/demangle.h"

namespace prof::analysis {

std::string LinkageText(std::string_view linkage_name, NameStyle style) {
  std::string name = symbols::Demangle(linkage_name);
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

std::string DisplayName(const Profile& profile, FunctionIndex function, NameStyle style) {
  if (function >= profile.functions().size()) return "[unknown]";
  const Function& entry = profile.functions()[function];
  if (entry.name == kNoIndex) return fmt::format("{:#x}", entry.address.value);
  return LinkageText(profile.Name(entry.name), style);
}

}  // namespace prof::analysis
