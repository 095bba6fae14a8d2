// The two engines behind StackUnwinder, one at a time, over the test process.
#pragma once

#include <algorithm>
#include <vector>

#include "unit/unwind/self_process.h"
#include "unwind/code_regions.h"
#include "unwind/libunwind_engine.h"
#include "unwind/module_cfi_table.h"
#include "unwind/walk/walker.h"

namespace prof::unwind {

class SelfCode final : public walk::CodeMap {
 public:
  explicit SelfCode(const SelfProcess& self) : self_(self) {}
  bool Locate(std::uint64_t address, walk::CodeRegion& region) override {
    if (!RegionAround({address}, self_.space(), self_.images(), region)) return false;
    const ElfImage* image = self_.images().Image(region.module);
    if (image != nullptr) region.cfi = cfi_.For(region.module, *image);
    return true;
  }

 private:
  const SelfProcess& self_;
  ModuleCfiTable cfi_;
};

struct Outcome {
  std::vector<UnwoundFrame> frames;
  model::StackEnd end = model::StackEnd::kComplete;
  bool needs_all_registers = false;
};

class Engines {
 public:
  explicit Engines(const SelfProcess& self)
      : self_(self), code_(self), slots_(4096), cache_(slots_), libunwind_(self.images()) {}

  void Fast(const StackInput& input, Outcome& outcome) {
    outcome.frames.resize(4096);
    const walk::StackMemory stack(input.registers.sp().value, input.stack);
    const auto result = walk::WalkStack(input.registers, stack, code_, cache_, outcome.frames);
    outcome.frames.resize(result.frames);
    outcome.end = result.end;
    outcome.needs_all_registers = result.needs_all_registers;
  }
  void Slow(const StackInput& input, Outcome& outcome) {
    outcome.end = libunwind_.Unwind(input, self_.space(), code_, 4096, outcome.frames);
    outcome.needs_all_registers = false;
  }

 private:
  const SelfProcess& self_;
  SelfCode code_;
  std::vector<walk::RuleCache::Slot> slots_;
  walk::RuleCache cache_;
  LibunwindEngine libunwind_;
};

inline bool SameFrames(const Outcome& a, const Outcome& b) {
  const auto same = [](const UnwoundFrame& x, const UnwoundFrame& y) {
    return x.address == y.address && x.kind == y.kind && x.module == y.module &&
           x.file_address == y.file_address;
  };
  return a.end == b.end && std::ranges::equal(a.frames, b.frames, same);
}

}  // namespace prof::unwind
