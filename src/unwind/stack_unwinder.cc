// Unwinds sampled stacks.
#include "prof/unwind/stack_unwinder.h"

#include "unwind/code_regions.h"
#include "unwind/libunwind_engine.h"

namespace prof::unwind {

namespace {

// What the rules and guesses of this module are about.
#if defined(__x86_64__)
constexpr bool kCanUnwind = true;
#else
constexpr bool kCanUnwind = false;
#endif

class SpaceCode final : public walk::CodeMap {
 public:
  SpaceCode(const model::AddressSpace& space, const ImageTable& images)
      : space_(space), images_(images) {}

  bool Locate(std::uint64_t address, walk::CodeRegion& region) override {
    return RegionAround({address}, space_, images_, region);
  }

 private:
  const model::AddressSpace& space_;
  const ImageTable& images_;
};

}  // namespace

class StackUnwinder::Impl {
 public:
  explicit Impl(const ImageTable& images) : images_(images), libunwind_(images) {}

  model::StackEnd Unwind(const StackInput& input, const model::AddressSpace& space,
                         std::size_t max_frames, std::vector<UnwoundFrame>& frames) {
    if (input.registers.valid == 0 || input.stack.empty()) {
      return OnlyFrame0(input, space, frames, model::StackEnd::kNoUserStack);
    }
    if (!kCanUnwind) return OnlyFrame0(input, space, frames, model::StackEnd::kUnsupportedAbi);
    SpaceCode code(space, images_);
    return libunwind_.Unwind(input, space, code, max_frames, frames);
  }

 private:
  model::StackEnd OnlyFrame0(const StackInput& input, const model::AddressSpace& space,
                             std::vector<UnwoundFrame>& frames, model::StackEnd end) {
    constexpr auto kKind = model::FrameKind::kInstruction;
    frames.assign(1, LocateFrame(input.registers.pc(), kKind, space, images_));
    return end;
  }

  const ImageTable& images_;
  LibunwindEngine libunwind_;
};

StackUnwinder::StackUnwinder(const ImageTable& images) : impl_(std::make_unique<Impl>(images)) {}
StackUnwinder::~StackUnwinder() = default;

model::StackEnd StackUnwinder::Unwind(const StackInput& input, const model::AddressSpace& space,
                                      std::size_t max_frames, std::vector<UnwoundFrame>& frames) {
  return impl_->Unwind(input, space, max_frames, frames);
}

}  // namespace prof::unwind
