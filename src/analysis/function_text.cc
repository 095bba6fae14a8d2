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
  FunctionMatcher matcher;
  regex_t regex;
  if (const int error = ::regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
    char reason[128];
    ::regerror(error, &regex, reason, sizeof reason);
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no regular expression: {}", pattern, reason));
  }
  matcher.regex_ = regex;
  return matcher;
}

FunctionMatcher::FunctionMatcher(FunctionMatcher&& other) noexcept
    : regex_(std::exchange(other.regex_, std::nullopt)), known_(std::move(other.known_)) {}

FunctionMatcher::~FunctionMatcher() {
  if (regex_) ::regfree(&*regex_);
}

bool FunctionMatcher::Matches(FunctionIndex function, FunctionNames& names) {
  if (function == kNoIndex) return false;
  if (function >= known_.size()) known_.resize(function + 1, -1);
  signed char& known = known_[function];
  if (known < 0) {
    known = ::regexec(&*regex_, names.Of(function).c_str(), 0, nullptr, 0) == 0 ? 1 : 0;
  }
  return known == 1;
}

}  // namespace prof::analysis
