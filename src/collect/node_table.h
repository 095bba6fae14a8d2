// The prefix tree of stacks, as a hash table from (parent, frame) to node.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "prof/model/address_space.h"
#include "prof/model/stack.h"

namespace prof::collect {

struct NodeKey {
  model::LoadedModule module = 0;
  model::FrameKind kind = model::FrameKind::kInstruction;
  model::FileAddr address;
  friend bool operator==(const NodeKey&, const NodeKey&) = default;
};

// Open addressing, linear probing, at most half full. Ids ascend from kStackRootCount.
class NodeTable {
 public:
  NodeTable();
  // The node's id, and whether it is new.
  std::pair<model::StackId, bool> Insert(model::StackId parent, const NodeKey& key);
  [[nodiscard]] std::size_t size() const { return size_; }
  void Clear();

 private:
  struct Slot {
    std::uint64_t address = 0;
    model::StackId parent = 0;
    std::uint32_t module_and_kind = 0;
    model::StackId id = 0;  // 0: free; nodes never have the id of a root
  };
  void Grow();
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace prof::collect
