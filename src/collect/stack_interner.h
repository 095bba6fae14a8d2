// Finds the ids of whole stacks without looking up each of their frames.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/node_table.h"
#include "collect/process_table.h"
#include "collect/stream_writer.h"

namespace prof::collect {

// A stack seen before is found by one hash of all its frames. Of any other one, the outer frames
// that it shares with an earlier stack of its thread are taken from there, and only the rest is
// looked up in the writer's tree. What is remembered is bounded and ends with the epoch. One per
// reader, one thread.
class StackInterner {
 public:
  explicit StackInterner(StreamWriter& writer);
  // `frames`: innermost first. Two stacks whose 64-bit hashes are equal would be taken for one.
  model::StackId Intern(StackOwner owner, model::StackEnd end, std::span<const NodeKey> frames);

 private:
  struct KnownStack {
    std::uint64_t hash = 0;
    std::uint32_t epoch = 0;
    model::StackId id = 0;
  };
  struct KnownNode {
    NodeKey key;
    model::StackId id = 0;
  };
  struct Latest {
    StackOwner owner = 0;
    std::uint32_t epoch = 0;
    model::StackEnd end = model::StackEnd::kComplete;
    std::vector<KnownNode> nodes;  // outermost first
  };

  model::StackId InternBelow(Latest& latest, std::span<const NodeKey> frames);

  StreamWriter& writer_;
  std::vector<KnownStack> stacks_;  // direct mapped by hash
  std::vector<Latest> latest_;      // direct mapped by owner
};

}  // namespace prof::collect
