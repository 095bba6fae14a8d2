// Takes the suffixes of GCC, LLVM and the kernel's build off function names.
#include "analysis/clone_suffix.h"

#include <algorithm>
#include <array>

namespace prof::analysis {
namespace {

// Those after a dot; a number may follow behind another dot.
constexpr std::array<std::string_view, 12> kSuffixes = {
    "cold", "warm",       "isra",  "part",      "constprop", "lto_priv",
    "llvm", "localalias", "clone", "simdclone", "default",   "__uniq",
};
// Function multiversioning: one copy for each of these instruction sets.
constexpr std::array<std::string_view, 4> kTargets = {"avx", "sse", "arch_", "fma"};

bool IsSuffix(std::string_view word) {
  return std::ranges::find(kSuffixes, word) != kSuffixes.end() ||
         std::ranges::any_of(kTargets, [&](std::string_view t) { return word.starts_with(t); });
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// One suffix less, or the same.
std::string_view Shortened(std::string_view name) {
  if (name.ends_with(']')) {
    const std::size_t clone = name.rfind(" [clone ");
    return clone == std::string_view::npos || clone == 0 ? name : name.substr(0, clone);
  }
  std::string_view rest = name;
  std::size_t dot = rest.rfind('.');
  if (dot != std::string_view::npos && IsNumber(rest.substr(dot + 1))) {
    rest = rest.substr(0, dot);
    dot = rest.rfind('.');
  }
  const bool found = dot != std::string_view::npos && dot > 0 && IsSuffix(rest.substr(dot + 1));
  return found ? rest.substr(0, dot) : name;
}

}  // namespace

std::string_view WithoutCloneSuffix(std::string_view name) {
  for (;;) {
    const std::string_view shorter = Shortened(name);
    if (shorter.size() == name.size()) return name;
    name = shorter;
  }
}

}  // namespace prof::analysis
