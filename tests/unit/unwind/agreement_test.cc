// Both engines must say the same, in every scene and at every single instruction.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include "unit/unwind/engines.h"
#include "unit/unwind/stack_scenes.h"

namespace prof::unwind {
namespace {

using model::StackEnd;

TEST(Engines, AgreeInEveryScene) {
  for (const Scene& scene : AllScenes()) {
    SCOPED_TRACE(scene.name);
    Capture capture;
    scene.run([&] { capture.Take(); });
    const SelfProcess self;
    Engines engines(self.images());
    Outcome fast;
    Outcome slow;
    engines.Fast(capture.input(), self.space(), fast);
    engines.Slow(capture.input(), self.space(), slow);
    EXPECT_FALSE(fast.needs_all_registers);
    EXPECT_TRUE(SameFrames(fast, slow));
    EXPECT_EQ(Callers(slow.frames), capture.expected);
    EXPECT_EQ(slow.end, StackEnd::kComplete);
  }
}

TEST(Engines, AgreeOnHowACutStackEnds) {
  Capture capture;
  Recurse(30, [&] { InsideSort([&] { WithAlloca(64, [&] { capture.Take(); }); }); });
  const SelfProcess self;
  Engines engines(self.images());
  Outcome fast;
  Outcome slow;
  for (std::size_t size = 8; size < capture.stack.size(); size += 8) {
    const StackInput input{capture.registers, std::span(capture.stack).first(size)};
    engines.Fast(input, self.space(), fast);
    engines.Slow(input, self.space(), slow);
    ASSERT_TRUE(SameFrames(fast, slow)) << size;
    ASSERT_EQ(fast.end == StackEnd::kComplete || fast.end == StackEnd::kTruncated, true) << size;
  }
}

// As a session's code map, for whatever the space holds at the time.
class CodeOf final : public walk::CodeMap {
 public:
  CodeOf(const model::AddressSpace& space, const ImageTable& images)
      : space_(space), images_(images) {}
  bool Locate(std::uint64_t address, walk::CodeRegion& region) override {
    return RegionAround({address}, space_, images_, region);
  }

 private:
  const model::AddressSpace& space_;
  const ImageTable& images_;
};

// A later process can have an AddressSpace at the same address.
TEST(Engines, LibunwindForgetsAProcessWhoseSpaceIsReused) {
  Capture capture;
  Recurse(5, [&] { capture.Take(); });
  const SelfProcess self;
  ModuleCfiTable modules;
  LibunwindEngine engine(self.images(), modules);
  model::AddressSpace space = self.space();
  CodeOf code(space, self.images());
  Outcome outcome;
  for (int round = 0; round < 3; ++round) {
    outcome.end = engine.Unwind(capture.input(), space, code, 4096, outcome.frames);
    EXPECT_EQ(outcome.end, StackEnd::kComplete);
    EXPECT_EQ(Callers(outcome.frames), capture.expected);
  }
  // The same ranges, all of an unknown module.
  model::AddressSpace other;
  for (const auto& [start, mapping] : self.space()) {
    model::Mapping unknown = mapping;
    unknown.module = 1000;
    other.Map(unknown);
  }
  space = other;
  engine.Unwind(capture.input(), space, code, 4096, outcome.frames);
  EXPECT_NE(Callers(outcome.frames), capture.expected);
  EXPECT_EQ(outcome.frames[0].module, 1000U);
}

// The registers and stack of one thread before every instruction it executes, recorded by a
// handler of the processor's trap flag.
class Trace {
 public:
  static constexpr std::size_t kStackBytes =
      16'384;  // the lazy binder saves 11 KB of vector registers

  explicit Trace(std::size_t capacity) : registers_(capacity), stacks_(capacity * kStackBytes) {}

  // Runs `action` one instruction at a time.
  __attribute__((noinline)) void Run(const Action& action) {
    std::vector<std::byte> handler_stack(65'536);
    stack_t alternate{};
    alternate.ss_sp = handler_stack.data();
    alternate.ss_size = handler_stack.size();
    stack_t old_stack{};
    sigaltstack(&alternate, &old_stack);
    struct sigaction now {};
    struct sigaction before {};
    now.sa_sigaction = OnTrap;
    now.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGTRAP, &now, &before);
    Current() = this;
    raise(SIGTRAP);
    action();
    stop_ = true;
    After();
    sigaction(SIGTRAP, &before, nullptr);
    sigaltstack(&old_stack, nullptr);
    Current() = nullptr;
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] StackInput At(std::size_t i) const {
    return {registers_[i], std::span(stacks_).subspan(i * kStackBytes, kStackBytes)};
  }

 private:
  static Trace*& Current() {
    static thread_local Trace* trace = nullptr;
    return trace;
  }

  // Steps on until the trace is stopped or full.
  static void OnTrap(int, siginfo_t*, void* data) {
    auto& context = *static_cast<ucontext_t*>(data);
    Trace& trace = *Current();
    const bool more = !trace.stop_ && trace.count_ < trace.registers_.size();
    constexpr greg_t kTrapFlag = 0x100;
    auto& flags = context.uc_mcontext.gregs[REG_EFL];
    flags = more ? flags | kTrapFlag : flags & ~kTrapFlag;
    if (!more) return;
    Registers& registers = trace.registers_[trace.count_];
    registers = RegistersOf(context);
    const iovec to{trace.stacks_.data() + trace.count_ * kStackBytes, kStackBytes};
    const iovec from{reinterpret_cast<void*>(registers.sp().value), kStackBytes};
    const int saved_errno = errno;
    process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    errno = saved_errno;
    ++trace.count_;
  }

  std::vector<Registers> registers_;
  std::vector<std::byte> stacks_;
  std::size_t count_ = 0;
  volatile bool stop_ = false;
};

// Prologues, epilogues, procedure linkage, libc, variable and realigned frames.
void DoManyThings() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);  // runs in the vdso
  Recurse(2, [] { WithAlloca(100, [] { Realigned(100, [] {}); }); });
  InsideSort([] {});
  // Not called by anything else here, so that the dynamic linker binds it now.
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%d %s %.3f", 42, "words", 1.5);
  After();
}

struct Disagreements {
  std::size_t wrong = 0;
  std::size_t different = 0;
  std::size_t slow_only = 0;
  std::size_t in_vdso = 0;
  std::string first;
};

// Every stack has to end in `outermost`, the callers of the traced code.
Disagreements Check(const Trace& trace, const SelfProcess& self,
                    const std::vector<std::uint64_t>& outermost) {
  Engines engines(self.images());
  StackUnwinder unwinder(self.images());
  Disagreements result;
  Outcome fast;
  Outcome slow;
  Outcome both;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const StackInput input = trace.At(i);
    engines.Fast(input, self.space(), fast);
    engines.Slow(input, self.space(), slow);
    both.end = unwinder.Unwind(input, self.space(), 4096, both.frames);
    const auto callers = Callers(both.frames);
    const bool right = both.end == StackEnd::kComplete && callers.size() >= outermost.size() &&
                       std::equal(outermost.rbegin(), outermost.rend(), callers.rbegin());
    const bool agree = fast.needs_all_registers || SameFrames(fast, slow);
    result.slow_only += fast.needs_all_registers ? 1 : 0;
    result.in_vdso += self.PathOf(both.frames[0].module) == "[vdso]" ? 1 : 0;
    result.wrong += right ? 0 : 1;
    result.different += agree ? 0 : 1;
    if ((right && agree) || !result.first.empty()) continue;
    std::ostringstream text;
    text << "instruction " << i << " at " << self.PathOf(both.frames[0].module) << "+" << std::hex
         << both.frames[0].file_address.value << std::dec << ", " << both.frames.size()
         << " frames, " << model::StackEndName(both.end) << "; libunwind " << slow.frames.size()
         << " frames, " << model::StackEndName(slow.end);
    result.first = text.str();
  }
  return result;
}

TEST(Engines, AreRightAtEveryInstruction) {
  Trace trace(5'000);
  Capture capture;
  const Action run = [&] {
    capture.Take();
    trace.Run(DoManyThings);
    After();
  };
  run();
  ASSERT_GT(trace.size(), 1000U);
  const SelfProcess self;
  // capture.expected[0] is in the action, the same place as for the trace but for the call.
  const std::vector<std::uint64_t> outermost(capture.expected.begin() + 1, capture.expected.end());
  const Disagreements result = Check(trace, self, outermost);
  EXPECT_EQ(result.wrong, 0U) << result.first;
  EXPECT_EQ(result.different, 0U) << result.first;
  EXPECT_TRUE(result.in_vdso > 5 || getauxval(AT_SYSINFO_EHDR) == 0);
  EXPECT_LT(result.slow_only, trace.size());
  RecordProperty("instructions", static_cast<int>(trace.size()));
  RecordProperty("slow_only", static_cast<int>(result.slow_only));
}

}  // namespace
}  // namespace prof::unwind
