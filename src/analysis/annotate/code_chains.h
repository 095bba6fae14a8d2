// The inline chain of each address of a function, from its line table and inlined ranges.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "prof/model/code.h"

namespace prof::analysis {

struct ChainStep {
  std::string_view name;                // linkage name; of the FunctionCode
  std::uint32_t file = model::kNoFile;  // into FunctionCode::files; kNoFile with line 0
  std::uint32_t line = 0;
};

// Goes through a function once, from its beginning to its end. Any tables will do: whatever is
// out of order or does not nest gives some chain of at most kMaxDepth + 1 steps.
class CodeChains {
 public:
  static constexpr std::uint32_t kMaxDepth = 512;

  // `code` is borrowed.
  explicit CodeChains(const model::FunctionCode& code);
  // To the same address as before or a higher one. False: the chain is the same as before.
  bool MoveTo(model::FileAddr address);
  // Innermost first, the function itself last; never empty after MoveTo().
  [[nodiscard]] std::span<const ChainStep> chain() const { return chain_; }

 private:
  void Rebuild(model::FileAddr address);
  [[nodiscard]] ChainStep Step(std::string_view name, std::uint32_t file, std::uint32_t line) const;

  const model::FunctionCode& code_;
  std::vector<model::CodeLine> lines_;              // by address
  std::vector<const model::InlinedRange*> ranges_;  // by begin, depth
  std::size_t next_line_ = 0;
  std::size_t next_range_ = 0;
  std::vector<const model::InlinedRange*> newest_;  // by depth - 1: the last one that began
  std::uint64_t first_end_ = 0;                     // of the ranges in the chain
  std::vector<ChainStep> chain_;
};

}  // namespace prof::analysis
