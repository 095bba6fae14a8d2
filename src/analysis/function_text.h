// Texts of functions and modules for one view, made once each, and regular expressions over them.
#pragma once

#include <regex.h>

#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/profile.h"
#include "prof/base/result.h"

namespace prof::analysis {

// As the "Shared Object" column shows a module.
[[nodiscard]] std::string DsoText(const model::Module& module);

// DisplayName() with a cache.
class FunctionNames {
 public:
  FunctionNames(const Profile& profile, NameStyle style) : profile_(profile), style_(style) {}
  const std::string& Of(FunctionIndex function);

 private:
  const Profile& profile_;
  NameStyle style_;
  std::vector<std::optional<std::string>> cache_;
};

// A POSIX extended regular expression, as perf takes it, asked once per function.
class FunctionMatcher {
 public:
  static Result<FunctionMatcher> Compile(const std::string& pattern);
  FunctionMatcher(FunctionMatcher&& other) noexcept;
  FunctionMatcher& operator=(FunctionMatcher&&) = delete;
  ~FunctionMatcher();
  bool Matches(FunctionIndex function, FunctionNames& names);

 private:
  FunctionMatcher() = default;
  std::optional<regex_t> regex_;
  std::vector<signed char> known_;  // per function: -1 not asked yet
};

}  // namespace prof::analysis
