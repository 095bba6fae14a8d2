// The fast unwinder: pc, stack and frame pointer through cached rules.
#pragma once

#include <cstddef>
#include <span>

#include "unwind/walk/code_map.h"
#include "unwind/walk/rule_cache.h"
#include "unwind/walk/stack_memory.h"

namespace prof::unwind::walk {

struct WalkResult {
  std::size_t frames = 0;
  model::StackEnd end = model::StackEnd::kComplete;
  // The next frame needs what this walk does not do: another register than the three, an
  // expression. The whole stack is then libunwind's; where that cannot be asked, the other fields
  // say how far this walk came.
  bool needs_all_registers = false;
};

// Fills `frames` (not empty), innermost first. `registers` has pc and sp, and whatever else the
// sample carried; its architecture is that of all code in `code`. This and everything it calls
// allocates nothing, throws nothing and keeps nothing but rules in `cache`.
WalkResult WalkStack(const Registers& registers, const StackMemory& stack, CodeMap& code,
                     RuleCache& cache, std::span<UnwoundFrame> frames);

}  // namespace prof::unwind::walk
