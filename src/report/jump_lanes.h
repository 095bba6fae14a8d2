// Arrows beside assembly: which jumps get a lane, and the box characters of each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace prof::report {

// Indexes of instructions of one copy.
struct Jump {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// Jumps of one direction to one target share an arrow. Arrows lie in lanes: the innermost is
// nearest to the code, an arrow around another one lies further out. Where there are more than
// lanes, loops come first (those with the most samples per instruction), then the forward jumps
// with the most samples at their ends; the rest is marked by direction only.
class JumpLanes {
 public:
  // `heat`: samples of each instruction; jumps with ends outside of it are not drawn.
  JumpLanes(std::span<const Jump> jumps, std::span<const std::uint64_t> heat,
            std::size_t most_lanes);

  // Columns of every drawing; 0 without any jump.
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }

  // Beside an instruction: the lanes, then "─→" at the target of an arrow, "─↑" or "─↓" where one
  // begins; " ↑" or " ↓" at a jump without a lane. `reach`: columns between lanes and head.
  [[nodiscard]] std::string At(std::uint32_t instruction, std::size_t reach = 0) const;
  // Beside a row in front of an instruction: what passes by.
  [[nodiscard]] std::string Before(std::uint32_t instruction) const;

 private:
  struct Arrow {
    std::uint32_t first = 0;  // the rows it covers
    std::uint32_t last = 0;
    std::uint32_t target = 0;
    std::vector<std::uint32_t> sources;  // ascending
    [[nodiscard]] bool Touches(std::uint32_t row) const;
    [[nodiscard]] bool backward() const { return target == first; }
  };
  using Lane = std::vector<Arrow>;  // ascending, not overlapping

  static std::vector<Arrow> Group(std::span<const Jump> jumps, std::size_t instructions);
  static void Rank(std::vector<Arrow>& arrows, std::span<const std::uint64_t> heat);
  static std::vector<std::size_t> Nest(const std::vector<Arrow>& arrows, std::size_t most);
  static const Arrow* Covering(const Lane& lane, std::uint32_t row);

  std::vector<Lane> lanes_;     // the outermost first
  std::vector<Jump> directed_;  // one per instruction that jumps, ascending by `from`
};

}  // namespace prof::report
