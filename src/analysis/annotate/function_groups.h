// The functions of a profile as people mean them: copies of one function of the source together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/annotate/scoped_samples.h"

namespace prof::analysis {

using GroupIndex = std::uint32_t;

struct FunctionGroup {
  ModuleIndex module = kNoIndex;
  std::string full;  // demangled, with parameter list, without clone suffix
  bool named = true;
  bool wanted = true;     // its module passes the filter
  bool sampled = false;   // has samples in scope
  bool has_code = false;  // machine code of its own with samples in scope
  std::vector<FunctionIndex> functions;
  Amounts self;
  Amounts children;
};

class FunctionGroups {
 public:
  // Borrows all for its lifetime.
  FunctionGroups(const Profile& profile, const ScopedSamples& samples, const AnnotateScope& scope);

  [[nodiscard]] const std::vector<FunctionGroup>& all() const { return groups_; }
  // The groups that a query may mean: with samples, and of a wanted module.
  [[nodiscard]] bool Eligible(GroupIndex group) const {
    return groups_[group].wanted && groups_[group].sampled;
  }
  // Whose copy a function is; kNoIndex for no function.
  [[nodiscard]] GroupIndex Of(FunctionIndex function) const {
    return function < group_of_.size() ? group_of_[function] : kNoIndex;
  }
  [[nodiscard]] GroupIndex Find(ModuleIndex module, std::string_view linkage_name) const;
  // As the scope's name style shows the group.
  [[nodiscard]] std::string Name(GroupIndex group) const;

 private:
  void Group();
  void Count();

  const Profile& profile_;
  const ScopedSamples& samples_;
  const AnnotateScope& scope_;
  std::vector<FunctionGroup> groups_;
  std::vector<GroupIndex> group_of_;  // by function
  std::map<std::pair<ModuleIndex, std::string>, GroupIndex, std::less<>> by_name_;
};

// What makes functions of one module copies of each other: the whole demangled name without clone
// suffix; with folded names, template arguments and parameters do not tell functions apart.
[[nodiscard]] std::string CopyKey(std::string_view linkage_name, NameStyle style);

}  // namespace prof::analysis
