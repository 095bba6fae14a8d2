// Continues stacks whose copied bytes ran out from earlier stacks of the same thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/process_table.h"

#include "prof/model/stack.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::collect {

// As long as a call has not returned, its frame keeps address and stack pointer, and the frames
// above it do not change. So a stack that was cut at a frame goes on as the last complete stack of
// the thread that had the same frame, and the same few frames below it. It is a guess: in between
// the frame may have been left and entered again at the same place by another way (an old answer is
// replaced by each complete stack).
//
// Nothing is kept before the first stack was cut; then about 8 MB, where new frames replace old
// ones. One per reader, one thread.
class ChainJoiner {
 public:
  // Learns from a complete stack (`frames`, innermost first) and appends to a truncated one what
  // is known to follow, up to `max_frames` in all. `copy_end`: the address behind the copied bytes.
  // Returns how the stack ends now. Appended return addresses are kJoined.
  model::StackEnd Join(StackOwner owner, model::StackEnd end, std::uint64_t copy_end,
                       std::size_t max_frames, std::vector<unwind::UnwoundFrame>& frames);

 private:
  struct Place {  // of a frame on a stack; no frame has sp 0
    std::uint64_t pc = 0;
    std::uint64_t sp = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct Link {  // one frame and where its caller is
    StackOwner owner = 0;
    Place place;
    Place caller;  // sp 0: the frame is the outermost one
    model::FileAddr file_address;
    model::LoadedModule module = 0;
    model::FrameKind kind = model::FrameKind::kReturn;
  };
  struct Learnt {
    StackOwner owner = 0;
    std::vector<Place> places;  // outermost first: all links of them are stored
  };

  static Place PlaceOf(const unwind::UnwoundFrame& frame) {
    return {frame.address.value, frame.sp};
  }
  // The set of kWays links that may hold a place, the newest first.
  std::span<Link> SetOf(StackOwner owner, const Place& place);
  const Link* Find(StackOwner owner, const Place& place);  // null: not known
  void Store(const Link& link);
  void Learn(StackOwner owner, const std::vector<unwind::UnwoundFrame>& frames);
  bool Append(StackOwner owner, std::uint64_t copy_end, std::size_t max_frames,
              std::vector<unwind::UnwoundFrame>& frames);

  std::vector<Link> links_;  // set-associative; empty before the first cut stack
  std::vector<Learnt> learnt_;
};

}  // namespace prof::collect
