// Frames and stacks: a prefix tree whose nodes are (parent, frame).
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "prof/model/address.h"

namespace prof::model {

// Dense ids, from 0 within one epoch of a recording (see record.h).
using ModuleId = std::uint32_t;
using StackId = std::uint32_t;

enum class FrameKind : std::uint8_t {
  kInstruction = 0,  // address is the instruction that ran (leaf, signal frame)
  kReturn = 1,       // address is a return address: the call is just before it
  kJoined = 2,       // a return address taken over from an earlier stack of the same thread, where
                     // the copied stack bytes ran out; never the innermost frame
};

struct Frame {
  ModuleId module = 0;
  FrameKind kind = FrameKind::kInstruction;
  FileAddr address;
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

// The address whose function, line and inline chain a frame stands for. The one place where a
// return address becomes the call before it.
[[nodiscard]] constexpr FileAddr LookupAddress(FileAddr address, FrameKind kind) {
  return kind != FrameKind::kInstruction && address.value != 0 ? address - 1 : address;
}

// How the walk that produced a stack ended. Values are stored in files: append only.
enum class StackEnd : std::uint8_t {
  kNotWalked = 0,       // no call graph was asked for: the stack is one frame
  kComplete = 1,        // reached the outermost frame (or: no user part exists, a kernel thread)
  kTruncated = 2,       // the copied stack bytes ran out
  kNoUnwindInfo = 3,    // code without unwind information and no plausible frame pointer
  kUnreadable = 4,      // a rule needed memory or a register that the sample does not carry
  kMaxDepth = 5,        // cut at --max-stack, or by the kernel at perf_event_max_stack
  kBadReturn = 6,       // a return address outside every executable mapping
  kUnsupportedAbi = 7,  // e.g. a 32-bit process
  kNoUserStack = 8,     // the kernel delivered no user registers or no stack bytes
  kShed = 9,            // under pressure the stack was given up, only pc and kernel part are kept
  kFramePointers = 10,  // a frame-pointer chain of the kernel: its end cannot be verified
  kImported = 11,       // from a format that does not say
  kOtherStack = 12,     // went on to a stack that was not copied: what a signal on an alternate
                        // stack interrupted, the creator of a coroutine or a split stack
};
inline constexpr StackId kStackRootCount = 16;  // ids below this are the roots

// The tree has one root per StackEnd: the outermost frame of every stack hangs below the root of
// its end, so that one 32-bit id says both which frames and how the walk ended. Root ids are the
// enum values; the first real node of an epoch has id kStackRootCount.
[[nodiscard]] constexpr StackId RootOf(StackEnd end) { return static_cast<StackId>(end); }
[[nodiscard]] constexpr bool IsRoot(StackId id) { return id < kStackRootCount; }

// "complete", "truncated", ... as reports show it.
[[nodiscard]] std::string_view StackEndName(StackEnd end);

}  // namespace prof::model
