// Unwinds sampled stacks: the fast walk first, libunwind where that is not enough.
#include "prof/unwind/stack_unwinder.h"

#include <algorithm>
#include <array>

#include "unwind/code_regions.h"
#include "unwind/libunwind_engine.h"
#include "unwind/module_cfi_table.h"
#include "unwind/walk/walker.h"

namespace prof::unwind {

namespace {

// The code of one process at a time. Stacks of a process keep coming back to the same few modules,
// so regions stay known while nothing is mapped.
class SpaceCode final : public walk::CodeMap {
 public:
  SpaceCode(const ImageTable& images, ModuleCfiTable& cfi) : images_(images), cfi_(cfi) {}

  // Unwind information of other architectures than `arch` is left out.
  void Use(Arch arch, const model::AddressSpace& space) {
    space_ = &space;
    if (arch == arch_ && space.generation() == generation_) return;
    arch_ = arch;
    generation_ = space.generation();
    known_.fill({});
    next_ = 0;
  }

  bool Locate(std::uint64_t address, walk::CodeRegion& region) override {
    for (const walk::CodeRegion& known : known_) {
      if (!known.Contains(address)) continue;
      region = known;
      return true;
    }
    if (!RegionAround({address}, *space_, images_, region)) return false;
    const ElfImage* image = images_.Image(region.module);
    if (image != nullptr) region.cfi = cfi_.For(region.module, *image);
    if (region.cfi != nullptr && region.cfi->arch != arch_) region.cfi = nullptr;
    known_[next_] = region;
    next_ = (next_ + 1) % known_.size();
    return true;
  }

 private:
  const ImageTable& images_;
  ModuleCfiTable& cfi_;
  Arch arch_ = kHostArch;
  const model::AddressSpace* space_ = nullptr;
  std::uint64_t generation_ = 0;  // of an empty space
  std::array<walk::CodeRegion, 16> known_{};
  std::size_t next_ = 0;
};

}  // namespace

class StackUnwinder::Impl {
 public:
  explicit Impl(const ImageTable& images)
      : images_(images),
        code_(images, cfi_),
        slots_(kRuleSlots),
        rules_(slots_),
        libunwind_(images, cfi_) {}

  model::StackEnd Unwind(const StackInput& input, const model::AddressSpace& space,
                         std::size_t max_frames, std::vector<UnwoundFrame>& frames) {
    if (!input.registers.HasPcAndSp() || input.stack.empty()) {
      return OnlyFrame0(input, space, frames, model::StackEnd::kNoUserStack);
    }
    code_.Use(input.registers.arch, space);
    const walk::StackMemory stack(input.registers.sp().value, input.stack);
    // Every frame but frame 0 takes at least a word of the stack.
    const std::size_t most = std::clamp<std::size_t>(max_frames, 1, input.stack.size() / 8 + 2);
    if (scratch_.size() < most) scratch_.resize(most);
    const std::span<UnwoundFrame> room(scratch_.data(), most);
    const auto result = walk::WalkStack(input.registers, stack, code_, rules_, room);
    // libunwind is built for one architecture.
    if (result.needs_all_registers && input.registers.arch == kHostArch) {
      return libunwind_.Unwind(input, space, code_, most, frames);
    }
    frames.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(result.frames));
    return result.end;
  }

 private:
  model::StackEnd OnlyFrame0(const StackInput& input, const model::AddressSpace& space,
                             std::vector<UnwoundFrame>& frames, model::StackEnd end) {
    constexpr auto kKind = model::FrameKind::kInstruction;
    frames.assign(1, LocateFrame(input.registers.pc(), kKind, space, images_));
    return end;
  }

  static constexpr std::size_t kRuleSlots = 32'768;

  const ImageTable& images_;
  ModuleCfiTable cfi_;
  SpaceCode code_;
  std::vector<walk::RuleCache::Slot> slots_;
  walk::RuleCache rules_;
  std::vector<UnwoundFrame> scratch_;
  LibunwindEngine libunwind_;
};

StackUnwinder::StackUnwinder(const ImageTable& images) : impl_(std::make_unique<Impl>(images)) {}
StackUnwinder::~StackUnwinder() = default;

model::StackEnd StackUnwinder::Unwind(const StackInput& input, const model::AddressSpace& space,
                                      std::size_t max_frames, std::vector<UnwoundFrame>& frames) {
  return impl_->Unwind(input, space, max_frames, frames);
}

}  // namespace prof::unwind
