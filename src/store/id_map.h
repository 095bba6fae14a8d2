// Numbers of definitions in a file, which has gaps where a block was lost, to dense ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace prof::store {

// Ids are defined in ascending order. The memory needed grows with the number of gaps, not with
// the ids, so a file cannot ask for any amount of it.
class IdMap {
 public:
  // The first id that the file may define, and the first dense one to give out.
  IdMap(std::uint64_t first_in_file, std::uint64_t first_out)
      : next_in_file_(first_in_file), next_out_(first_out) {}

  // The dense id for a new definition, or nothing when the id is not above all earlier ones.
  std::optional<std::uint32_t> Define(std::uint64_t id) {
    if (id < next_in_file_) return std::nullopt;
    if (newest_.size == 0 || id != next_in_file_) {
      if (newest_.size != 0) older_.push_back(newest_);
      newest_ = {.in_file = id, .out = next_out_, .size = 0};
    }
    ++newest_.size;
    next_in_file_ = id + 1;
    return static_cast<std::uint32_t>(next_out_++);
  }
  [[nodiscard]] std::optional<std::uint32_t> Find(std::uint64_t id) const {
    if (id - newest_.in_file < newest_.size) [[likely]]  // lower ids wrap round
      return static_cast<std::uint32_t>(newest_.out + (id - newest_.in_file));
    return Search(id);
  }

 private:
  struct Range {
    std::uint64_t in_file = 0;
    std::uint64_t out = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] std::optional<std::uint32_t> Search(std::uint64_t id) const;

  std::uint64_t next_in_file_;
  std::uint64_t next_out_;
  Range newest_;  // of consecutive ids; size 0: nothing is defined yet
  std::vector<Range> older_;
};

}  // namespace prof::store
