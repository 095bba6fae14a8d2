// Texts of functions and modules for one view, made once each, and regular expressions over them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prof/analysis/profile.h"
#include "prof/base/result.h"
#include "prof/base/text_pattern.h"

namespace prof::analysis {

// As the "Shared Object" column shows a module.
[[nodiscard]] std::string DsoText(const model::Module& module);

// A linkage name as DisplayName() shows it.
[[nodiscard]] std::string LinkageText(std::string_view linkage_name, NameStyle style);

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

// A regular expression, asked once per function.
class FunctionMatcher {
 public:
  static Result<FunctionMatcher> Compile(const std::string& pattern);
  bool Matches(FunctionIndex function, FunctionNames& names);

 private:
  explicit FunctionMatcher(TextPattern pattern) : pattern_(std::move(pattern)) {}
  TextPattern pattern_;
  std::vector<signed char> known_;  // per function: -1 not asked yet
};

}  // namespace prof::analysis
