// Caches display names and the answers of regular expressions about them.
#include "analysis/function_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace prof::analysis {

std::string DsoText(const model::Module& module) {
  switch (module.kind) {
    case model::ModuleKind::kKernel:
      return "[kernel.kallsyms]";
    case model::ModuleKind::kJit:
      return fmt::format("[JIT] pid {}", module.pid);
    case model::ModuleKind::kUnknown:
      return "[unknown]";
    case model::ModuleKind::kElf:
    case model::ModuleKind::kKernelModule:
    case model::ModuleKind::kVdso:
      break;
  }
  return std::string(module.ShortName());
}

const std::string& FunctionNames::Of(FunctionIndex function) {
  if (cache_.empty()) cache_.resize(profile_.functions().size() + 1);
  // One place more, for "no function known".
  auto& text = cache_[std::min<std::size_t>(function, cache_.size() - 1)];
  if (!text) text = DisplayName(profile_, function, style_);
  return *text;
}

Result<FunctionMatcher> FunctionMatcher::Compile(const std::string& pattern) {
  PROF_TRY_ASSIGN(TextPattern compiled, TextPattern::Compile(pattern, "regular expression"));
  return FunctionMatcher(std::move(compiled));
}

bool FunctionMatcher::Matches(FunctionIndex function, FunctionNames& names) {
  if (function == kNoIndex) return false;
  if (function >= known_.size()) known_.resize(function + 1, -1);
  signed char& known = known_[function];
  if (known < 0) {
    known = pattern_.Matches(names.Of(function)) ? 1 : 0;
  }
  return known == 1;
}

}  // namespace prof::analysis
