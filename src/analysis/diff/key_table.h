// What is the same thing in different recordings, as dense numbers that all of them share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/index_table.h"
#include "analysis/name_table.h"

#include "prof/analysis/profile.h"

namespace prof::analysis::diff {

using TextId = std::uint32_t;
using FunctionId = std::uint32_t;
using TaskId = std::uint32_t;
using RowId = std::uint32_t;

struct FunctionKey {
  TextId module = kNoIndex;  // ModuleIdentity(); kNoIndex: modules do not tell rows apart
  TextId name = kNoIndex;    // FunctionIdentity(); kNoIndex: no symbol, or names do not count
  bool kernel = false;
  friend bool operator==(const FunctionKey&, const FunctionKey&) = default;
};

// The number-th thread or process of that name, from 1.
struct TaskKey {
  TextId name = kNoIndex;
  std::uint32_t number = 0;
  friend bool operator==(const TaskKey&, const TaskKey&) = default;
};

// Parts that no sort key asks for are left at their defaults.
struct RowKey {
  TextId comm = kNoIndex;
  TaskId process = kNoIndex;  // kNoIndex: not known
  TaskId thread = kNoIndex;
  std::uint32_t cpu = 0;
  FunctionId function = kNoIndex;
  TextId file = kNoIndex;  // base name
  std::uint32_t line = 0;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

class KeyTable {
 public:
  TextId Text(std::string_view text) { return texts_.Intern(text); }
  FunctionId Function(const FunctionKey& key);
  TaskId Task(const TaskKey& key);
  RowId Row(const RowKey& key);

  [[nodiscard]] std::string_view TextOf(TextId text) const { return texts_.Text(text); }
  [[nodiscard]] const FunctionKey& FunctionOf(FunctionId id) const { return functions_[id]; }
  [[nodiscard]] const TaskKey& TaskOf(TaskId id) const { return tasks_[id]; }
  [[nodiscard]] const RowKey& RowOf(RowId id) const { return rows_[id]; }
  [[nodiscard]] std::size_t functions() const { return functions_.size(); }
  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

 private:
  NameTable texts_;
  std::vector<FunctionKey> functions_;
  std::vector<TaskKey> tasks_;
  std::vector<RowKey> rows_;
  IndexTable function_table_;
  IndexTable task_table_;
  IndexTable row_table_;
};

}  // namespace prof::analysis::diff
