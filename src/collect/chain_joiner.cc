// A hash table from (thread, pc, sp) to the caller's (pc, sp).
#include "collect/chain_joiner.h"

#include <algorithm>

namespace prof::collect {
namespace {

constexpr std::size_t kLinks = std::size_t{1} << 17;  // of 64 bytes
// A stack of 4,096 frames finds more than so many of them in one set in less than 1 of 100 address
// space layouts; with one link a set, a stack of 200 frames lost one of them in 1 of 7.
constexpr std::size_t kWays = 4;
constexpr std::size_t kOwners = 64;  // whose last stack is remembered, direct mapped
// So many outermost frames of a cut stack must be those of an earlier one. In a deep recursion with
// 8 KB copies 89 % of 635 joins were right where one frame decided, and in another recording of it
// 98 % of 453 where four did.
constexpr std::size_t kMatching = 4;
constexpr std::size_t kMostPlaces = 4096;  // outer frames remembered of one stack

}  // namespace

std::span<ChainJoiner::Link> ChainJoiner::SetOf(StackOwner owner, const Place& place) {
  // Multiplicative mixing (Knuth, The Art of Computer Programming, vol. 3, 6.4).
  std::uint64_t hash = place.pc * 0x9e3779b97f4a7c15U;
  hash ^= (place.sp + (owner << 48)) * 0xd6e8feb86659fd93U;
  hash ^= hash >> 32;
  const std::size_t set = hash * 0x9e3779b97f4a7c15U >> 20 & (kLinks / kWays - 1);
  return std::span(links_).subspan(set * kWays, kWays);
}

const ChainJoiner::Link* ChainJoiner::Find(StackOwner owner, const Place& place) {
  const auto set = SetOf(owner, place);
  const auto found = std::ranges::find_if(
      set, [&](const Link& link) { return link.owner == owner && link.place == place; });
  return found == set.end() ? nullptr : &*found;
}

void ChainJoiner::Store(const Link& link) {
  const auto set = SetOf(link.owner, link.place);
  auto slot = std::ranges::find_if(
      set, [&](const Link& old) { return old.owner == link.owner && old.place == link.place; });
  if (slot == set.end()) --slot;  // the oldest leaves
  std::move_backward(set.begin(), slot, slot + 1);
  set.front() = link;
}

model::StackEnd ChainJoiner::Join(StackOwner owner, model::StackEnd end, std::uint64_t copy_end,
                                  std::size_t max_frames,
                                  std::vector<unwind::UnwoundFrame>& frames) {
  if (end == model::StackEnd::kTruncated) {
    if (links_.empty()) {
      links_.resize(kLinks);
      learnt_.resize(kOwners);
      return end;
    }
    if (!Append(owner, copy_end, max_frames, frames)) return end;
    const Link* outermost = Find(owner, PlaceOf(frames.back()));
    if (frames.size() == max_frames && outermost != nullptr && outermost->caller.sp != 0)
      return model::StackEnd::kMaxDepth;
  } else if (end != model::StackEnd::kComplete || links_.empty()) {
    return end;
  }
  Learn(owner, frames);
  return model::StackEnd::kComplete;
}

bool ChainJoiner::Append(StackOwner owner, std::uint64_t copy_end, std::size_t max_frames,
                         std::vector<unwind::UnwoundFrame>& frames) {
  const std::size_t before = frames.size();
  const Link* link = Find(owner, PlaceOf(frames.back()));
  // The caller of the last frame was out of reach. Where the earlier stack had it within the bytes
  // copied now, the frame is another one.
  const bool same = frames.back().sp != 0 && link != nullptr &&
                    link->module == frames.back().module && link->caller.sp > copy_end;
  if (!same) return false;
  for (std::size_t i = before - 1; i-- > 0 && before - i <= kMatching;) {
    const Link* inner = Find(owner, PlaceOf(frames[i]));
    if (inner == nullptr || inner->caller != PlaceOf(frames[i + 1])) return false;
  }
  while (link->caller.sp != 0 && frames.size() < max_frames) {
    const Place place = link->caller;
    link = Find(owner, place);
    if (link == nullptr) {
      // Other frames took its place. The next complete stack is to be stored whole.
      frames.resize(before);
      learnt_[owner % kOwners].places.clear();
      return false;
    }
    frames.push_back(
        {.address = {place.pc},
         .kind = link->kind == model::FrameKind::kReturn ? model::FrameKind::kJoined : link->kind,
         .module = link->module,
         .file_address = link->file_address,
         .sp = place.sp});
  }
  return frames.size() > before;
}

void ChainJoiner::Learn(StackOwner owner, const std::vector<unwind::UnwoundFrame>& frames) {
  Learnt& last = learnt_[owner % kOwners];
  if (last.owner != owner) {
    last.owner = owner;
    last.places.clear();
  }
  // Outer frames that the last stack had too are stored already.
  const std::size_t most = std::min(last.places.size(), frames.size());
  std::size_t shared = 0;
  while (shared < most && last.places[shared] == PlaceOf(frames[frames.size() - 1 - shared]))
    ++shared;
  last.places.resize(shared);
  Place caller = shared == 0 ? Place{} : last.places.back();
  for (std::size_t i = frames.size() - shared; i-- > 0;) {
    const unwind::UnwoundFrame& frame = frames[i];
    const Place place = PlaceOf(frame);
    // Callers are further up: this is also why following the links comes to an end.
    if (place.sp == 0 || (caller.sp != 0 && caller.sp <= place.sp)) return;
    const auto kind =
        frame.kind == model::FrameKind::kJoined ? model::FrameKind::kReturn : frame.kind;
    Store({owner, place, caller, frame.file_address, frame.module, kind});
    if (last.places.size() < kMostPlaces) last.places.push_back(place);
    caller = place;
  }
}

}  // namespace prof::collect
