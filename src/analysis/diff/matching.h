// Which keys of the before side mean the same as which of the after side.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/diff/key_table.h"

#include "prof/analysis/diff/diff_builder.h"
#include "prof/analysis/diff/profile_diff.h"

namespace prof::analysis::diff {

// The functions and modules that have samples on each side.
class SeenKeys {
 public:
  explicit SeenKeys(const KeyTable& keys) : keys_(keys) {}
  void Add(Side side, FunctionId function);
  [[nodiscard]] const std::unordered_set<FunctionId>& functions(Side side) const {
    return functions_[static_cast<std::size_t>(side)];
  }
  [[nodiscard]] const std::unordered_set<TextId>& modules(Side side) const {
    return modules_[static_cast<std::size_t>(side)];
  }

 private:
  const KeyTable& keys_;
  std::array<std::unordered_set<FunctionId>, 2> functions_;
  std::array<std::unordered_set<TextId>, 2> modules_;
};

// Leaves the keys of the after side as they are and turns those of the before side into theirs.
// What is paired by guess is unique on both sides, so different keys never become one.
class Matching {
 public:
  // `programs`: what was launched before and after, by base name; empty where that is not one.
  // `renames` have been applied to modules already: here they are about tasks of that name.
  Matching(const SeenKeys& seen, const std::array<std::string, 2>& programs,
           const std::vector<ModuleRename>& renames, KeyTable& keys);

  [[nodiscard]] FunctionId FunctionAfter(FunctionId before) const;
  [[nodiscard]] FunctionId Function(Side side, FunctionId function) const {
    return side == Side::kBefore ? FunctionAfter(function) : function;
  }
  RowId Row(Side side, RowId row);
  // How the before side has it, of a key that Function() or Row() returned.
  [[nodiscard]] RowId RowBefore(RowId after) const;

  // One sentence each: what was paired by guess.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void MatchVersions(const SeenKeys& seen);
  void MatchPrograms(const SeenKeys& seen, const std::array<std::string, 2>& programs);
  void MatchFunctions(const SeenKeys& seen);
  void RenameTasks(const std::string& before, const std::string& after);
  [[nodiscard]] TaskId TaskAfter(TaskId before);

  KeyTable& keys_;
  std::unordered_map<TextId, TextId> modules_;  // before to after, where they differ
  std::unordered_map<TextId, TextId> comms_;
  std::unordered_map<FunctionId, FunctionId> functions_;
  std::unordered_map<RowId, RowId> before_of_row_;  // after to before, where they differ
  std::vector<std::string> notes_;
};

}  // namespace prof::analysis::diff
