// The rows of one table: what makes two frames the same row, and the texts of a row.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/aggregate.h"
#include "analysis/index_table.h"
#include "analysis/name_table.h"
#include "analysis/stack_expander.h"

namespace prof::analysis {

using RowIndex = std::uint32_t;

struct RowTotals {
  std::uint32_t context = 0;
  std::uint32_t frame_key = 0;
  std::uint64_t self_weight = 0;
  std::uint64_t self_samples = 0;
  std::uint64_t children_weight = 0;
  std::uint64_t children_samples = 0;
};

class RowTable {
 public:
  // The context vector must outlive the table; frames are those of `expander`, which may still
  // grow.
  RowTable(const Profile& profile, const TableOptions& options, const StackExpander& expander,
           const std::vector<SampleContext>& contexts);

  // Quick while contexts come one after the other.
  RowIndex RowOf(std::uint32_t context, FrameIndex frame) {
    const std::uint32_t key = KeyOf(frame);
    if (key >= newest_row_.size()) newest_row_.resize(keys_.size() * 2);
    NewestRow& newest = newest_row_[key];
    if (newest.context != context) newest = {context, FindRow(context, key)};
    return newest.row;
  }
  [[nodiscard]] std::vector<RowTotals>& rows() { return rows_; }
  // The texts and the level of a row, without numbers.
  TableRow Describe(RowIndex row, model::EventId event);

 private:
  // Parts that no sort key asks for are kNoIndex or 0.
  struct FrameKey {
    std::uint32_t dso = kNoIndex;  // text in names_
    FunctionIndex function = kNoIndex;
    std::uint32_t file = kNoIndex;  // base name in names_
    std::uint32_t line = 0;
    bool kernel = false;
    friend bool operator==(const FrameKey&, const FrameKey&) = default;
  };

  [[nodiscard]] bool Wants(SortKey key) const;
  // The row of a frame key in the context asked for last.
  struct NewestRow {
    std::uint32_t context = kNoIndex;
    RowIndex row = 0;
  };
  RowIndex FindRow(std::uint32_t context, std::uint32_t key);
  std::uint32_t KeyOf(FrameIndex frame) {
    const bool known = frame < key_of_frame_.size() && key_of_frame_[frame] != kNoIndex;
    return known ? key_of_frame_[frame] : FindKey(frame);
  }
  std::uint32_t FindKey(FrameIndex frame);
  FrameKey MakeKey(const CodeLocation& location);
  std::string KeyText(SortKey key, const RowTotals& row, model::EventId event);
  std::string TaskText(std::uint32_t id, bool process);

  const Profile& profile_;
  const TableOptions& options_;
  const StackExpander& expander_;
  const std::vector<SampleContext>& contexts_;
  FunctionNames function_names_;
  std::unordered_map<std::uint32_t, NameIndex> process_names_;
  std::unordered_map<std::uint32_t, NameIndex> thread_names_;
  NameTable names_;
  std::vector<FrameKey> keys_;
  IndexTable key_table_;
  std::vector<std::uint32_t> key_of_frame_;
  std::vector<std::uint32_t> dso_of_module_;
  std::vector<RowTotals> rows_;
  IndexTable row_table_;
  std::vector<NewestRow> newest_row_;  // by frame key
};

}  // namespace prof::analysis
