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

  RowIndex RowOf(std::uint32_t context, FrameIndex frame) {
    const std::size_t place = std::size_t{context} * frame_count_ + frame;
    if (frame >= frame_count_ || place >= direct_.size()) return FindRow(context, frame);
    RowIndex& row = direct_[place];
    if (row == kNoIndex) row = FindRow(context, frame);
    return row;
  }
  // Once all frames are known: makes RowOf() fast where that takes little memory.
  void Prepare();
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
  RowIndex FindRow(std::uint32_t context, FrameIndex frame);
  std::uint32_t KeyOf(FrameIndex frame);
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
  std::size_t frame_count_ = 0;
  std::vector<RowIndex> direct_;  // rows by context and frame; empty: too many of them
};

}  // namespace prof::analysis
