// Walks one stack copy from frame to frame with the rules of the code it meets.
#include "unwind/walk/walker.h"

#include <optional>

#include "unwind/walk/aarch64_code.h"
#include "unwind/walk/guess.h"
#include "unwind/walk/registers.h"
#include "unwind/walk/rule_compiler.h"

namespace prof::unwind::walk {

namespace {

using model::FrameKind;
using model::StackEnd;

// `A` describes the architecture, see registers.h.
template <class A>
class Walk {
 public:
  Walk(const Registers& registers, const StackMemory& stack, CodeMap& code, RuleCache& cache)
      : all_(registers), stack_(stack), regions_(code), cache_(cache) {
    now_ = {all_.value[A::kPc], all_.value[A::kSp], all_.value[A::kFp],
            (all_.valid >> A::kFp & 1) != 0};
  }

  WalkResult Run(std::span<UnwoundFrame> frames) {
    std::size_t count = 0;
    FrameKind kind = FrameKind::kInstruction;
    while (true) {
      if (kind == FrameKind::kReturn) count = TakeOrdinaryFrames(frames, count);
      if (count == frames.size()) return {count, StackEnd::kMaxDepth};
      const std::uint64_t lookup = kind == FrameKind::kReturn ? now_.pc - 1 : now_.pc;
      const CodeRegion* region = regions_.Find(lookup);
      if (region == nullptr && count > 0) return {count, StackEnd::kBadReturn};
      const Rule& rule = RuleFor(region, lookup);
      if (rule.cfa == CfaForm::kSignal) {
        // The address of a trampoline is where the handler will go on. Nothing called it.
        kind = FrameKind::kInstruction;
        region = regions_.Find(now_.pc);
      }
      frames[count] = FrameIn(region, now_.pc, kind);
      frames[count++].sp = now_.sp;
      const bool go_on = rule.cfa == CfaForm::kSignal ? LeaveSignal()
                         : rule.cfa == CfaForm::kNone ? Guess(region, frames[count - 1])
                                                      : Apply(rule);
      if (needs_all_registers_) return {count, StackEnd::kUnreadable, true};
      if (!go_on) return {count, end_};
      if (now_.pc == 0) return {count, StackEnd::kComplete};
      kind = rule.cfa == CfaForm::kSignal ? FrameKind::kInstruction : FrameKind::kReturn;
    }
  }

 private:
  // The steps that nearly all steps are, kept short and in registers: return addresses whose rules
  // are in the cache and find the caller on the stack from sp or fp. Stops before all others.
  std::size_t TakeOrdinaryFrames(std::span<UnwoundFrame> frames, std::size_t count) {
    if constexpr (A::kHasLink) return count;  // signatures have to be taken off
    BaseRegisters now = now_;
    const StackMemory stack = stack_;
    const RuleCache cache = cache_;
    bool scratch_changes = false;
    const CodeRegion* region = nullptr;
    for (; count < frames.size(); ++count) {
      const std::uint64_t lookup = now.pc - 1;
      if (region == nullptr || !region->Contains(lookup)) region = regions_.Find(lookup);
      if (region == nullptr) break;
      const std::uint64_t address = lookup - region->bias;
      const RuleCache::Slot* slot = cache.Find(region->module, address);
      if (slot == nullptr || !slot->ordinary) break;
      const Rule& rule = slot->rule;
      const bool from_fp = rule.cfa == CfaForm::kFp;
      if (from_fp && !now.fp_known) break;
      const std::uint64_t cfa =
          (from_fp ? now.fp : now.sp) + static_cast<std::uint64_t>(std::int64_t{rule.offset});
      std::uint64_t pc = 0;
      if (cfa <= now.sp || !stack.Read(cfa - 8, pc) || pc == 0) break;
      frames[count] = {{now.pc}, FrameKind::kReturn, region->module, {address + 1}, now.sp};
      if (rule.fp == FpForm::kAtCfa) {
        const std::uint64_t saved = cfa + static_cast<std::uint64_t>(std::int64_t{rule.fp_offset});
        if (saved >= now.sp) now.fp_known = stack.Read(saved, now.fp);  // see RestoreFp
      }
      now.pc = pc;
      now.sp = cfa;
      scratch_changes |= rule.scratch_changes;
    }
    now_ = now;
    scratch_known_ = scratch_known_ && !scratch_changes;
    return count;
  }

  // Valid until the next call.
  const Rule& RuleFor(const CodeRegion* region, std::uint64_t lookup) {
    static constexpr Rule kNone;
    static constexpr Rule kSignal{.cfa = CfaForm::kSignal};
    static constexpr Rule kEnd{.cfa = CfaForm::kEnd};
    const Rule* rule = &kNone;
    if (region != nullptr && region->cfi != nullptr) {
      rule = &CachedRule(*region, lookup - region->bias);
    }
    if (rule->cfa == CfaForm::kNone) {
      const CodeRegion* here = regions_.Find(now_.pc);
      if (here != nullptr && IsSignalTrampoline(A::kArch, *here, now_.pc)) return kSignal;
      return IsMadeUpReturn(A::kArch, regions_, now_.pc) ? kEnd : kNone;
    }
    return *rule;
  }

  const Rule& CachedRule(const CodeRegion& region, std::uint64_t address) {
    if (const RuleCache::Slot* slot = cache_.Find(region.module, address)) return slot->rule;
    const Rule rule = CompileRule(*region.cfi, address);
    return cache_.Put(region.module, address, rule).rule;
  }

  // The functions below make `now_` the caller, or say false: then `end_` tells why.

  bool Ended(StackEnd end) {
    end_ = end;
    return false;
  }
  bool NeedsAllRegisters() {
    needs_all_registers_ = true;
    return false;
  }
  bool Read(std::uint64_t address, std::uint64_t& word) {
    if (stack_.Read(address, word)) return true;
    return Ended(on_other_stack_ ? StackEnd::kOtherStack : stack_.WhyUnreadable(address));
  }
  // Registers other than the base ones are known before the first call and after a signal. Those
  // that no rule speaks of are the same further out.
  [[nodiscard]] bool Knows(std::uint8_t number) const {
    const bool current = all_known_ || (scratch_known_ && A::IsScratch(number));
    return current && (all_.valid >> number & 1) != 0;
  }

  bool Apply(const Rule& rule) {
    if (rule.cfa == CfaForm::kEnd) return Ended(StackEnd::kComplete);
    std::uint64_t cfa = 0;
    if (!Cfa(rule, cfa)) return false;
    BaseRegisters caller{0, cfa, now_.fp, now_.fp_known};
    if (!ReturnAddress(rule, cfa, caller.pc)) return false;
    RestoreFp(rule, cfa, caller);
    now_ = caller;
    all_known_ = false;
    scratch_known_ = scratch_known_ && !rule.scratch_changes;
    return true;
  }

  bool ReturnAddress(const Rule& rule, std::uint64_t cfa, std::uint64_t& pc) {
    if (rule.return_register == kOnStack) {
      const std::int64_t offset = A::kHasLink ? rule.return_offset * A::kSlotUnit : -8;
      if (!Read(cfa + static_cast<std::uint64_t>(offset), pc)) return false;
    } else if (Knows(rule.return_register)) {
      pc = all_.value[rule.return_register];
    } else if (A::kHasLink && rule.return_register == A::kReturnColumn) {
      // The call of the frame below has overwritten it.
      return Ended(StackEnd::kUnreadable);
    } else {
      return NeedsAllRegisters();
    }
    if constexpr (A::kArch == Arch::kAarch64) pc = aarch64::WithoutSignature(regions_, pc);
    return true;
  }

  bool Cfa(const Rule& rule, std::uint64_t& cfa) {
    const auto offset = static_cast<std::uint64_t>(std::int64_t{rule.offset});
    const auto addend = static_cast<std::uint64_t>(std::int64_t{rule.addend});
    const bool from_fp = rule.cfa == CfaForm::kFp || rule.cfa == CfaForm::kDerefFp;
    if (from_fp && !now_.fp_known) return NeedsAllRegisters();
    switch (rule.cfa) {
      case CfaForm::kSp:
        cfa = now_.sp + offset;
        break;
      case CfaForm::kFp:
        cfa = now_.fp + offset;
        break;
      case CfaForm::kPlt:
        cfa = now_.sp + offset + ((now_.pc & 15) >= addend ? 8 : 0);
        break;
      case CfaForm::kDerefSp:
      case CfaForm::kDerefFp:
        if (!ReadSaved((from_fp ? now_.fp : now_.sp) + offset, addend, cfa)) return false;
        cfa += addend;
        break;
      case CfaForm::kRegister:
        if (!Knows(rule.cfa_register)) return NeedsAllRegisters();
        cfa = all_.value[rule.cfa_register] + offset;
        break;
      default:
        return NeedsAllRegisters();
    }
    // Callers are further up. Only a leaf whose return address is in a register stays in place.
    if (cfa > now_.sp || (all_known_ && cfa == now_.sp)) return true;
    const bool left = on_other_stack_ || (cfa % 16 == 0 && stack_.IsElsewhere(cfa));
    return Ended(left ? StackEnd::kOtherStack : StackEnd::kUnreadable);
  }

  // The saved stack pointer that a CFA is made from.
  bool ReadSaved(std::uint64_t slot, std::uint64_t addend, std::uint64_t& saved) {
    if (A::kArch == Arch::kX86_64 && all_known_ && slot < now_.sp && !on_other_stack_) {
      if (const auto found = FindSavedStackPointer(stack_, regions_, now_.sp, addend)) {
        saved = *found;
        return true;
      }
    }
    return Read(slot, saved);
  }

  void RestoreFp(const Rule& rule, std::uint64_t cfa, BaseRegisters& caller) const {
    if (rule.fp == FpForm::kSame) return;
    const std::uint64_t base = rule.fp == FpForm::kAtCfa ? cfa : now_.fp;
    const std::uint64_t slot = base + static_cast<std::uint64_t>(rule.fp_offset * A::kSlotUnit);
    // GCC says nothing of the `pop %rbp` of an epilogue: the slot is then below the stack pointer,
    // and fp is the caller's already.
    if (rule.fp == FpForm::kAtCfa && slot < now_.sp) return;
    caller.fp_known = rule.fp != FpForm::kUnknown && (rule.fp == FpForm::kAtCfa || now_.fp_known) &&
                      stack_.Read(slot, caller.fp);
  }

  bool LeaveSignal() {
    for (std::size_t number = 0; number < A::kCount; ++number) {
      const std::uint64_t address = now_.sp + SignalContextOffset(A::kArch, number);
      if (!Read(address, all_.value[number])) return false;
    }
    all_.valid = (std::uint64_t{1} << A::kCount) - 1;
    all_known_ = true;
    scratch_known_ = true;
    const std::uint64_t sp = all_.value[A::kSp];
    // Whatever is in the copied bytes can be read, wherever it is meant to be.
    std::uint64_t word = 0;
    on_other_stack_ =
        !stack_.Read(sp, word) && (LeavesAlternateStack(A::kArch, stack_, now_.sp, sp) ||
                                   stack_.WhyUnreadable(sp) == StackEnd::kOtherStack);
    now_ = {all_.value[A::kPc], sp, all_.value[A::kFp], true};
    return true;
  }

  bool Guess(const CodeRegion* region, const UnwoundFrame& frame) {
    const bool entry = region != nullptr && IsEntry(*region, frame.file_address.value);
    std::optional<std::uint64_t> link;
    if (A::kHasLink && Knows(A::kReturnColumn)) {
      link = aarch64::WithoutSignature(regions_, all_.value[A::kReturnColumn]);
    }
    if (const auto caller = GuessCaller(A::kArch, stack_, regions_, now_, link)) {
      now_ = *caller;
      all_known_ = false;
      scratch_known_ = false;
      return true;
    }
    if (on_other_stack_) return Ended(StackEnd::kOtherStack);
    return Ended(entry ? StackEnd::kComplete : StackEnd::kNoUnwindInfo);
  }

  Registers all_;
  bool all_known_ = true;
  bool scratch_known_ = true;
  bool on_other_stack_ = false;  // a signal interrupted code on a stack that was not copied
  BaseRegisters now_;
  const StackMemory& stack_;
  RegionMemo regions_;
  RuleCache& cache_;
  StackEnd end_ = StackEnd::kComplete;
  bool needs_all_registers_ = false;
};

}  // namespace

WalkResult WalkStack(const Registers& registers, const StackMemory& stack, CodeMap& code,
                     RuleCache& cache, std::span<UnwoundFrame> frames) {
  if (registers.arch == Arch::kX86_64) {
    return Walk<X86_64>(registers, stack, code, cache).Run(frames);
  }
  return Walk<Aarch64>(registers, stack, code, cache).Run(frames);
}

}  // namespace prof::unwind::walk
