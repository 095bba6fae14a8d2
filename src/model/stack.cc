// Names of the ways in which a stack can end.
#include "prof/model/stack.h"

namespace prof::model {

std::string_view StackEndName(StackEnd end) {
  switch (end) {
    case StackEnd::kNotWalked:
      return "not walked";
    case StackEnd::kComplete:
      return "complete";
    case StackEnd::kTruncated:
      return "truncated";
    case StackEnd::kNoUnwindInfo:
      return "no unwind information";
    case StackEnd::kUnreadable:
      return "unreadable memory";
    case StackEnd::kMaxDepth:
      return "cut at the maximum depth";
    case StackEnd::kBadReturn:
      return "bad return address";
    case StackEnd::kUnsupportedAbi:
      return "unsupported ABI";
    case StackEnd::kNoUserStack:
      return "no user stack delivered";
    case StackEnd::kShed:
      return "given up under pressure";
    case StackEnd::kFramePointers:
      return "frame pointers, end not verified";
    case StackEnd::kImported:
      return "imported";
    case StackEnd::kOtherStack:
      return "went on to another stack";
  }
  return "unknown";
}

}  // namespace prof::model
