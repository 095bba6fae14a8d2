// Joins the kernel's chain with the unwound user stack and interns the result.
#include "collect/sample_walker.h"

#include <algorithm>

namespace prof::collect {
namespace {

// PERF_CONTEXT_* markers are the highest addresses (include/uapi/linux/perf_event.h, enum
// perf_callchain_context).
bool IsMarker(std::uint64_t address) {
  return address >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX);
}

bool InKernelMode(const perf::SampleRecord& sample) {
  return (sample.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

}  // namespace

SampleWalker::SampleWalker(const AttrPlan& plan, model::CallGraphMode mode, std::uint32_t max_stack,
                           bool join, ModuleTable& modules, StreamWriter& writer)
    : mode_(mode),
      max_stack_(max_stack),
      join_(join),
      chain_frames_(plan.chain_frames),
      chain_contexts_(plan.chain_contexts),
      modules_(modules),
      unwinder_(modules),
      interner_(writer) {}

void SampleWalker::AddUserFrame(model::RuntimeAddr address, model::FrameKind kind,
                                const model::AddressSpace& space) {
  const unwind::UnwoundFrame frame = unwind::LocateFrame(address, kind, space, modules_);
  const model::LoadedModule module =
      frame.module == unwind::kNoModule ? modules_.unknown() : frame.module;
  frames_.push_back({module, kind, frame.file_address});
}

// The chain starts with PERF_CONTEXT_KERNEL and the interrupted instruction; return addresses
// follow.
void SampleWalker::TakeKernelFrames(const perf::SampleRecord& sample) {
  bool in_kernel = false;
  bool first = true;
  for (const std::uint64_t address : sample.callchain) {
    if (IsMarker(address)) {
      in_kernel = address == static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
      continue;
    }
    if (!in_kernel) continue;
    const auto kind = first ? model::FrameKind::kInstruction : model::FrameKind::kReturn;
    frames_.push_back({modules_.KernelAt({address}), kind, {address}});
    first = false;
  }
  if (first && InKernelMode(sample))
    frames_.push_back(
        {modules_.KernelAt({sample.ip}), model::FrameKind::kInstruction, {sample.ip}});
}

// Both parts of a chain share one limit; a chain that long goes on, or ends right there, which
// nobody can tell. The user part comes last and is left out where the kernel allows no second part.
// On aarch64 the kernel has stripped signatures already (arch/arm64/kernel/stacktrace.c).
model::StackEnd SampleWalker::TakeUserChain(const perf::SampleRecord& sample,
                                            const model::AddressSpace& space) {
  bool in_user = false;
  std::size_t depth = 0;
  for (const std::uint64_t address : sample.callchain) {
    if (IsMarker(address)) {
      in_user = address == static_cast<std::uint64_t>(PERF_CONTEXT_USER);
      continue;
    }
    if (!in_user) continue;
    AddUserFrame({address}, depth == 0 ? model::FrameKind::kInstruction : model::FrameKind::kReturn,
                 space);
    ++depth;
  }
  const auto contexts =
      static_cast<std::uint64_t>(std::ranges::count_if(sample.callchain, IsMarker));
  const std::uint64_t all = sample.callchain.size() - contexts;
  if (all >= chain_frames_) return model::StackEnd::kMaxDepth;
  if (depth == 0) {
    // A kernel thread has no user part.
    if (InKernelMode(sample))
      return !in_user && contexts >= chain_contexts_ && space.size() != 0
                 ? model::StackEnd::kMaxDepth
                 : model::StackEnd::kComplete;
    AddUserFrame({sample.ip}, model::FrameKind::kInstruction, space);
    if (contexts >= chain_contexts_) return model::StackEnd::kMaxDepth;
  }
  return model::StackEnd::kFramePointers;
}

model::StackEnd SampleWalker::Unwind(const perf::SampleRecord& sample,
                                     const perf::RecordLayout& layout,
                                     const model::AddressSpace& space) {
  const bool in_kernel = InKernelMode(sample);
  if (sample.user_abi == PERF_SAMPLE_REGS_ABI_NONE) {
    if (in_kernel) return model::StackEnd::kComplete;  // a kernel thread has no user part
    AddUserFrame({sample.ip}, model::FrameKind::kInstruction, space);
    return model::StackEnd::kNoUserStack;
  }
  if (sample.user_abi != PERF_SAMPLE_REGS_ABI_64) {
    // 32-bit code: the words of its stack and its unwind information have another size.
    const auto registers = unwind::RegistersFromPerf(layout.regs_user, sample.user_registers);
    if (!in_kernel || space.Find(registers.pc()) != nullptr)
      AddUserFrame(registers.pc(), model::FrameKind::kInstruction, space);
    return model::StackEnd::kUnsupportedAbi;
  }
  const unwind::StackInput input{unwind::RegistersFromPerf(layout.regs_user, sample.user_registers),
                                 sample.user_stack};
  if (in_kernel && space.Find(input.registers.pc()) == nullptr) {
    // Before the first instruction of an exec, or while the address space is torn down at the exit:
    // there is no user stack.
    return model::StackEnd::kComplete;
  }
  if (input.stack.empty()) {
    AddUserFrame(input.registers.pc(), model::FrameKind::kInstruction, space);
    return model::StackEnd::kNoUserStack;
  }
  model::StackEnd end = unwinder_.Unwind(input, space, max_stack_, user_frames_);
  if (join_) {
    const std::size_t found = user_frames_.size();
    const std::uint64_t copy_end = input.registers.sp().value + input.stack.size();
    end = joiner_.Join(owner_, end, copy_end, max_stack_, user_frames_);
    counts_.joined += user_frames_.size() > found ? 1 : 0;
  }
  for (const unwind::UnwoundFrame& frame : user_frames_) {
    const model::LoadedModule module =
        frame.module == unwind::kNoModule ? modules_.unknown() : frame.module;
    frames_.push_back({module, frame.kind, frame.file_address});
  }
  return end;
}

void SampleWalker::TakePc(const perf::SampleRecord& sample, const model::AddressSpace& space) {
  if (InKernelMode(sample)) {
    frames_.push_back(
        {modules_.KernelAt({sample.ip}), model::FrameKind::kInstruction, {sample.ip}});
  } else {
    AddUserFrame({sample.ip}, model::FrameKind::kInstruction, space);
  }
}

model::StackEnd SampleWalker::Walk(const perf::SampleRecord& sample,
                                   const perf::RecordLayout& layout,
                                   const model::AddressSpace& space, StackOwner owner) {
  frames_.clear();
  owner_ = owner;
  if ((layout.sample_type & PERF_SAMPLE_CALLCHAIN) == 0) {
    TakePc(sample, space);
    return model::StackEnd::kNotWalked;
  }
  TakeKernelFrames(sample);
  model::StackEnd end = model::StackEnd::kComplete;
  if (mode_ == model::CallGraphMode::kFramePointers) {
    end = TakeUserChain(sample, space);
  } else if ((layout.sample_type & PERF_SAMPLE_STACK_USER) != 0) {
    end = Unwind(sample, layout, space);
  }
  ++counts_.walked;
  counts_.complete += end == model::StackEnd::kComplete ? 1 : 0;
  counts_.truncated += end == model::StackEnd::kTruncated ? 1 : 0;
  return end;
}

model::StackEnd SampleWalker::WalkShed(const perf::SampleRecord& sample,
                                       const perf::RecordLayout& layout,
                                       const model::AddressSpace& space, StackOwner owner) {
  frames_.clear();
  owner_ = owner;
  TakeKernelFrames(sample);
  if (sample.user_abi == PERF_SAMPLE_REGS_ABI_64) {
    const auto registers = unwind::RegistersFromPerf(layout.regs_user, sample.user_registers);
    AddUserFrame(registers.pc(), model::FrameKind::kInstruction, space);
  } else if (!InKernelMode(sample)) {
    AddUserFrame({sample.ip}, model::FrameKind::kInstruction, space);
  }
  ++counts_.walked;
  return model::StackEnd::kShed;
}

model::StackId SampleWalker::Intern(model::StackEnd end) {
  return interner_.Intern(owner_, end, frames_);
}

}  // namespace prof::collect
