// The stacks of a view as one prefix tree of frames, laid out so that every subtree is a range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/aggregate.h"
#include "analysis/index_table.h"
#include "analysis/stack_expander.h"

namespace prof::analysis {

using TreeIndex = std::uint32_t;

// Nodes are in preorder: a node's subtree is [node, End(node)), its first child node + 1, and a
// child's next sibling End(child). Each context has a tree of its own below a root without a frame.
class StackTree {
 public:
  struct Context {
    TreeIndex root = 0;
    std::uint32_t context = 0;
  };

  [[nodiscard]] TreeIndex size() const { return static_cast<TreeIndex>(frame_.size()); }
  [[nodiscard]] TreeIndex End(TreeIndex node) const { return node + size_[node]; }
  [[nodiscard]] TreeIndex Parent(TreeIndex node) const { return parent_[node]; }
  [[nodiscard]] FrameIndex Frame(TreeIndex node) const { return frame_[node]; }
  [[nodiscard]] bool IsRoot(TreeIndex node) const { return frame_[node] == kNoIndex; }
  // Of the samples in the whole subtree.
  [[nodiscard]] std::uint64_t Weight(TreeIndex node) const { return weight_[node]; }
  [[nodiscard]] std::uint64_t Samples(TreeIndex node) const { return samples_[node]; }
  [[nodiscard]] std::span<const Context> contexts() const { return contexts_; }

 private:
  friend class StackTreeBuilder;
  std::vector<Context> contexts_;
  std::vector<FrameIndex> frame_;
  std::vector<TreeIndex> parent_;
  std::vector<std::uint32_t> size_;
  std::vector<std::uint64_t> weight_;
  std::vector<std::uint64_t> samples_;
};

// Takes stacks context by context, then lays out the tree.
class StackTreeBuilder {
 public:
  StackTreeBuilder(const Profile& profile, StackExpander& expander);

  // Puts the stack below the root of the context; Finish() wants to know what it returned.
  TreeIndex Add(std::uint32_t context, NodeIndex stack);
  // The same for frames that are not simply those of a stack, innermost first.
  TreeIndex Add(std::uint32_t context, std::span<const FrameIndex> frames);
  // The stacks of the groups are what Add() returned; they become nodes of the tree.
  StackTree Finish(std::span<SampleGroup> groups);

 private:
  TreeIndex Root(std::uint32_t context);
  TreeIndex NewNode(TreeIndex parent, FrameIndex frame);
  std::vector<TreeIndex> LayOut();

  const Profile& profile_;
  StackExpander& expander_;
  StackTree tree_;  // parents before children, but not in preorder yet
  // By stack node: the place of its innermost frame. Only places in the newest context count.
  std::vector<TreeIndex> place_of_node_;
  std::vector<NodeIndex> path_;
  IndexTable table_;  // of nodes added by frames
};

}  // namespace prof::analysis
