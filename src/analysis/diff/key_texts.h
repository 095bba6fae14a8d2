// Keys as people read them.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/diff/key_table.h"

#include "prof/analysis/diff/diff_builder.h"

namespace prof::analysis::diff {

class KeyTexts {
 public:
  KeyTexts(const KeyTable& keys, NameStyle style);

  // One text per sort key. `full`: with parameters, whatever the style.
  [[nodiscard]] std::vector<std::string> Row(const RowKey& row, const std::vector<SortKey>& sort,
                                             bool full = false);
  // A frame of a call path; "[libfoo.so]" for code without a symbol.
  [[nodiscard]] std::string Frame(FunctionId function);

 private:
  const std::string& FunctionName(TextId name, bool full);
  [[nodiscard]] std::string TaskName(TaskId task) const;
  std::string Text(SortKey key, const RowKey& row, bool full);

  const KeyTable& keys_;
  NameStyle style_;
  std::vector<bool> several_;  // by name: whether some run has more than one task of it
  std::unordered_map<TextId, std::string> shown_;
  std::unordered_map<TextId, std::string> full_;
};

}  // namespace prof::analysis::diff
