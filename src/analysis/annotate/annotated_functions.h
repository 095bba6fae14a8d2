// The functions of one FunctionMatch, found again in chains and in code.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

class AnnotatedFunctions {
 public:
  AnnotatedFunctions(const Profile& profile, const FunctionMatch& match);

  [[nodiscard]] bool Has(FunctionIndex function) const {
    return function < has_.size() && has_[function];
  }
  // By linkage name, whatever its clone suffix: copies without samples have no FunctionIndex.
  bool HasName(std::string_view linkage_name);
  // The outermost level of the chain (innermost first) that is one of them.
  [[nodiscard]] std::optional<std::size_t> Level(std::span<const CodeLocation> chain) const;

 private:
  std::vector<bool> has_;
  std::set<std::string> keys_;
  std::map<std::string, bool, std::less<>> known_;
};

}  // namespace prof::analysis
