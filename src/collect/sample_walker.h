// One sample: its call graph, kernel and user parts joined, interned as a stack.
#pragma once

#include <cstdint>
#include <vector>

#include "collect/chain_joiner.h"
#include "collect/event_set.h"
#include "collect/module_table.h"
#include "collect/process_table.h"
#include "collect/stack_interner.h"
#include "collect/stream_writer.h"

#include "prof/unwind/stack_unwinder.h"

namespace prof::collect {

struct WalkCounts {
  std::uint64_t walked = 0;  // samples with a call graph
  std::uint64_t complete = 0;
  std::uint64_t truncated = 0;
  std::uint64_t joined = 0;  // stacks completed from earlier ones
};

// Unwinds in place in the ring. One per reader, one thread.
class SampleWalker {
 public:
  SampleWalker(const AttrPlan& plan, model::CallGraphMode mode, std::uint32_t max_stack, bool join,
               ModuleTable& modules, StreamWriter& writer);

  // Finds the frames of a sample of the thread `owner`, for Intern() to take. Needs no lock.
  model::StackEnd Walk(const perf::SampleRecord& sample, const perf::RecordLayout& layout,
                       const model::AddressSpace& space, StackOwner owner);
  // The same with pc and kernel chain only.
  model::StackEnd WalkShed(const perf::SampleRecord& sample, const perf::RecordLayout& layout,
                           const model::AddressSpace& space, StackOwner owner);
  // The id of the stack found last, which ended so. With the lock of the writer held.
  model::StackId Intern(model::StackEnd end);
  [[nodiscard]] const WalkCounts& counts() const { return counts_; }

 private:
  void TakeKernelFrames(const perf::SampleRecord& sample);
  model::StackEnd TakeUserChain(const perf::SampleRecord& sample, const model::AddressSpace& space);
  model::StackEnd Unwind(const perf::SampleRecord& sample, const perf::RecordLayout& layout,
                         const model::AddressSpace& space);
  void AddUserFrame(model::RuntimeAddr address, model::FrameKind kind,
                    const model::AddressSpace& space);
  void TakePc(const perf::SampleRecord& sample, const model::AddressSpace& space);

  model::CallGraphMode mode_;
  std::uint32_t max_stack_;
  bool join_;
  std::uint32_t chain_frames_;  // see AttrPlan
  std::uint32_t chain_contexts_;
  ModuleTable& modules_;
  unwind::StackUnwinder unwinder_;
  ChainJoiner joiner_;
  StackInterner interner_;
  std::vector<NodeKey> frames_;  // innermost first
  StackOwner owner_ = 0;
  std::vector<unwind::UnwoundFrame> user_frames_;
  WalkCounts counts_;
};

}  // namespace prof::collect
