// The rows of one event of one run: which row a frame of a sample belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/aggregate.h"
#include "analysis/diff/key_table.h"
#include "analysis/diff/task_numbers.h"
#include "analysis/stack_expander.h"

#include "prof/analysis/diff/diff_builder.h"

namespace prof::analysis::diff {

// The identities of a profile's modules and functions, made once each.
class ProfileKeys {
 public:
  // `renames` are those of this recording's modules.
  ProfileKeys(const Profile& profile, const std::vector<ModuleRename>& renames, KeyTable& keys);

  // As call trees tell functions apart, whatever the sort keys: by module and name.
  [[nodiscard]] FunctionId Function(FunctionIndex function);
  [[nodiscard]] const TaskNumbers& tasks() const { return tasks_; }

 private:
  const Profile& profile_;
  KeyTable& keys_;
  TaskNumbers tasks_;
  std::vector<FunctionKey> modules_;  // by ModuleIndex, without names; the last one: no module
  std::vector<FunctionId> functions_;
};

// Rows are numbered from 0 within the event, so that their amounts can be a plain vector.
class RowFinder {
 public:
  // Borrows all; frames are those of `expander`, which may still grow.
  RowFinder(const Profile& profile, const std::vector<SortKey>& sort, ProfileKeys& profile_keys,
            KeyTable& keys, const StackExpander& expander,
            const std::vector<SampleContext>& contexts);

  // Quick while contexts come one after the other.
  std::uint32_t RowOf(std::uint32_t context, FrameIndex frame) {
    const std::uint32_t code = CodeOf(frame);
    Newest& newest = newest_[code];
    if (newest.context != context) newest = {context, FindRow(context, code)};
    return newest.row;
  }
  // By row.
  [[nodiscard]] const std::vector<RowId>& ids() const { return ids_; }

 private:
  struct Newest {
    std::uint32_t context = kNoIndex;
    std::uint32_t row = 0;
  };

  [[nodiscard]] bool Wants(SortKey key) const;
  std::uint32_t CodeOf(FrameIndex frame) {
    const bool known = frame < code_of_frame_.size() && code_of_frame_[frame] != kNoIndex;
    return known ? code_of_frame_[frame] : FindCode(frame);
  }
  std::uint32_t FindCode(FrameIndex frame);
  [[nodiscard]] RowKey CodeKey(const CodeLocation& location);
  std::uint32_t FindRow(std::uint32_t context, std::uint32_t code);

  const Profile& profile_;
  const std::vector<SortKey>& sort_;
  ProfileKeys& profile_keys_;
  KeyTable& keys_;
  const StackExpander& expander_;
  const std::vector<SampleContext>& contexts_;
  std::vector<std::uint32_t> code_of_frame_;
  std::vector<RowKey> codes_;  // what of a row's key is the frame's
  IndexTable code_table_;
  std::vector<std::uint32_t> row_of_id_;  // by RowId
  std::vector<RowId> ids_;
  std::vector<Newest> newest_;  // by code
};

}  // namespace prof::analysis::diff
