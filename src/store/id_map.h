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
    if (ranges_.empty() || id != next_in_file_) {
      ranges_.push_back({.in_file = id, .out = next_out_, .size = 0});
    }
    ++ranges_.back().size;
    next_in_file_ = id + 1;
    return static_cast<std::uint32_t>(next_out_++);
  }
  [[nodiscard]] std::optional<std::uint32_t> Find(std::uint64_t id) const {
    if (ranges_.size() == 1) [[likely]] {
      const Range& range = ranges_.front();
      if (id < range.in_file || id >= next_in_file_) return std::nullopt;
      return static_cast<std::uint32_t>(range.out + (id - range.in_file));
    }
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
  std::vector<Range> ranges_;
};

}  // namespace prof::store
