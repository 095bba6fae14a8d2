// Walks one stack with nothing but the walk and the C library: code injected into other programs
// runs it like this.
#include <array>
#include <cstdlib>

#include "unwind/walk/walker.h"

// What the walk must never call.
void operator delete(void*) noexcept { std::abort(); }
void operator delete(void*, std::size_t) noexcept { std::abort(); }
extern "C" void __cxa_pure_virtual() { std::abort(); }

namespace {

using prof::unwind::walk::CodeMap;
using prof::unwind::walk::CodeRegion;

constexpr std::uint64_t kCode = 0x400000;

// Code without unwind information that keeps a frame pointer.
class PlainCode final : public CodeMap {
 public:
  bool Locate(std::uint64_t address, CodeRegion& region) override {
    if (address < kCode || address >= kCode + 0x1000) return false;
    region = CodeRegion{};
    region.start = kCode;
    region.end = kCode + 0x1000;
    return true;
  }
};

}  // namespace

int main() {
  const std::array<std::uint64_t, 4> words = {0x7010, kCode + 0x20, 0, 0};
  prof::unwind::Registers registers;
  registers.arch = prof::unwind::Arch::kX86_64;
  registers.value[16] = kCode + 0x10;
  registers.value[7] = 0x7000;
  registers.value[6] = 0x7000;
  registers.valid = 0x1ffff;
  PlainCode code;
  std::array<prof::unwind::walk::RuleCache::Slot, 16> slots{};
  prof::unwind::walk::RuleCache rules(slots);
  std::array<prof::unwind::UnwoundFrame, 8> frames{};
  const prof::unwind::walk::StackMemory stack(0x7000, std::as_bytes(std::span(words)));
  const auto result = prof::unwind::walk::WalkStack(registers, stack, code, rules, frames);
  const bool right = result.frames == 2 && result.end == prof::model::StackEnd::kComplete &&
                     frames[1].address.value == kCode + 0x20;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
