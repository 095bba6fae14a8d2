// A hash table of stacks, and the latest stack of each thread.
#include "collect/stack_interner.h"

#include <algorithm>
#include <bit>

namespace prof::collect {
namespace {

constexpr std::size_t kStacks = std::size_t{1} << 14;
constexpr std::size_t kOwners = 64;
constexpr std::size_t kMostNodes = 4096;  // outer frames remembered of one stack

// Multiplicative mixing (Knuth, The Art of Computer Programming, vol. 3, 6.4).
// Slots that were never filled have epoch 0.
std::uint64_t Hash(model::StackEnd end, std::span<const NodeKey> frames) {
  std::uint64_t hash = static_cast<std::uint64_t>(end) + 1;
  for (const NodeKey& frame : frames) {
    const std::uint64_t place =
        std::uint64_t{frame.module} << 2 | static_cast<std::uint64_t>(frame.kind);
    hash = (std::rotl(hash, 25) ^ frame.address.value ^ place << 40) * 0x9e3779b97f4a7c15U;
  }
  return hash ^ hash >> 32;
}

}  // namespace

StackInterner::StackInterner(StreamWriter& writer)
    : writer_(writer), stacks_(kStacks), latest_(kOwners) {}

model::StackId StackInterner::Intern(StackOwner owner, model::StackEnd end,
                                     std::span<const NodeKey> frames) {
  const std::uint64_t hash = Hash(end, frames);
  KnownStack& known = stacks_[hash % kStacks];
  const std::uint32_t epoch = writer_.epoch();
  if (known.hash == hash && known.epoch == epoch) return known.id;
  Latest& latest = latest_[owner % kOwners];
  if (latest.owner != owner || latest.epoch != epoch || latest.end != end) {
    latest.owner = owner;
    latest.epoch = epoch;
    latest.end = end;
    latest.nodes.clear();
  }
  known = {hash, epoch, InternBelow(latest, frames)};
  return known.id;
}

model::StackId StackInterner::InternBelow(Latest& latest, std::span<const NodeKey> frames) {
  const std::size_t most = std::min(latest.nodes.size(), frames.size());
  std::size_t shared = 0;
  while (shared < most && latest.nodes[shared].key == frames[frames.size() - 1 - shared]) ++shared;
  latest.nodes.resize(shared);
  model::StackId id = shared == 0 ? model::RootOf(latest.end) : latest.nodes.back().id;
  for (std::size_t i = frames.size() - shared; i-- > 0;) {
    id = writer_.Intern(id, frames[i]);
    if (latest.nodes.size() < kMostNodes) latest.nodes.push_back({frames[i], id});
  }
  return id;
}

}  // namespace prof::collect
