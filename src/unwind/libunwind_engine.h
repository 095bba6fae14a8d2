// Unwinding with libunwind: every register, every DWARF expression, slowly.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "unwind/module_cfi_table.h"
#include "unwind/walk/code_map.h"

#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {

// Serves the stacks that the fast walk gives up and is what tests compare that walk with. Not
// thread-safe.
class LibunwindEngine {
 public:
  LibunwindEngine(const ImageTable& images, ModuleCfiTable& modules);
  ~LibunwindEngine();
  LibunwindEngine(const LibunwindEngine&) = delete;
  LibunwindEngine& operator=(const LibunwindEngine&) = delete;

  // As StackUnwinder::Unwind; `code` describes the same mappings as `space`.
  model::StackEnd Unwind(const StackInput& input, const model::AddressSpace& space,
                         walk::CodeMap& code, std::size_t max_frames,
                         std::vector<UnwoundFrame>& frames);

 private:
  class View;
  View* ViewOf(const model::AddressSpace& space);

  const ImageTable& images_;
  ModuleCfiTable& modules_;
  std::vector<std::unique_ptr<View>> views_;  // least recently used first
};

}  // namespace prof::unwind
