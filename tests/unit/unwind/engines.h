// The two engines behind StackUnwinder, one at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "unwind/code_regions.h"
#include "unwind/libunwind_engine.h"
#include "unwind/module_cfi_table.h"
#include "unwind/walk/walker.h"

#include "prof/model/address_space.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {

class SpaceCode final : public walk::CodeMap {
 public:
  SpaceCode(const model::AddressSpace& space, const ImageTable& images, ModuleCfiTable& cfi)
      : space_(space), images_(images), cfi_(cfi) {}
  bool Locate(std::uint64_t address, walk::CodeRegion& region) override {
    if (!RegionAround({address}, space_, images_, region)) return false;
    const ElfImage* image = images_.Image(region.module);
    if (image != nullptr) region.cfi = cfi_.For(region.module, *image);
    return true;
  }

 private:
  const model::AddressSpace& space_;
  const ImageTable& images_;
  ModuleCfiTable& cfi_;
};

struct Outcome {
  std::vector<UnwoundFrame> frames;
  model::StackEnd end = model::StackEnd::kComplete;
  bool needs_all_registers = false;
};

class Engines {
 public:
  explicit Engines(const ImageTable& images)
      : images_(images),
        slots_(32'768),
        room_(kMostFrames),
        cache_(slots_),
        libunwind_(images, cfi_) {}

  void Fast(const StackInput& input, const model::AddressSpace& space, Outcome& outcome) {
    SpaceCode code(space, images_, cfi_);
    const walk::StackMemory stack(input.registers.sp().value, input.stack);
    const auto result = walk::WalkStack(input.registers, stack, code, cache_, room_);
    outcome.frames.assign(room_.begin(),
                          room_.begin() + static_cast<std::ptrdiff_t>(result.frames));
    outcome.end = result.end;
    outcome.needs_all_registers = result.needs_all_registers;
  }
  void Slow(const StackInput& input, const model::AddressSpace& space, Outcome& outcome) {
    SpaceCode code(space, images_, cfi_);
    outcome.end = libunwind_.Unwind(input, space, code, kMostFrames, outcome.frames);
    outcome.needs_all_registers = false;
  }

 private:
  static constexpr std::size_t kMostFrames = 4096;

  const ImageTable& images_;
  ModuleCfiTable cfi_;
  std::vector<walk::RuleCache::Slot> slots_;
  std::vector<UnwoundFrame> room_;
  walk::RuleCache cache_;
  LibunwindEngine libunwind_;
};

inline bool SameFrame(const UnwoundFrame& a, const UnwoundFrame& b) {
  return a.address == b.address && a.kind == b.kind && a.module == b.module &&
         a.file_address == b.file_address;
}

inline bool SameFrames(const Outcome& a, const Outcome& b) {
  return a.end == b.end && std::ranges::equal(a.frames, b.frames, SameFrame);
}

}  // namespace prof::unwind
