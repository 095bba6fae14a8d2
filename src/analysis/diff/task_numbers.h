// Threads and processes by name and order, as their ids say nothing in another run.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analysis/diff/key_table.h"

#include "prof/analysis/profile.h"

namespace prof::analysis::diff {

class TaskNumbers {
 public:
  // By their last names (of a process that of its main thread), numbered by when they began; those
  // of unknown beginning come last, by their ids.
  TaskNumbers(const Profile& profile, KeyTable& keys);

  // kNoIndex of a thread that is not known.
  [[nodiscard]] TaskId Process(std::uint32_t pid) const { return Find(processes_, pid); }
  [[nodiscard]] TaskId Thread(std::uint32_t tid) const { return Find(threads_, tid); }

 private:
  using Numbers = std::unordered_map<std::uint32_t, TaskId>;
  static TaskId Find(const Numbers& numbers, std::uint32_t id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? kNoIndex : found->second;
  }

  Numbers processes_;
  Numbers threads_;
};

}  // namespace prof::analysis::diff
