// The samples of an AnnotateScope, added up by stack node and by innermost frame.
#pragma once

#include <cstdint>
#include <vector>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

class ScopedSamples {
 public:
  // kUsage for an event that the profile does not have.
  static Result<ScopedSamples> Collect(const Profile& profile, const AnnotateScope& scope);

  [[nodiscard]] const std::vector<model::EventId>& events() const { return events_; }
  [[nodiscard]] Amounts Zero() const { return Amounts(events_.size()); }
  [[nodiscard]] const Amounts& total() const { return total_; }
  // Samples with the frame innermost; `frame` is an index into Profile::frames().
  [[nodiscard]] const Amounts& Self(std::uint32_t frame) const { return self_[frame]; }
  // Samples with the node on their stack; of a root, those that have nothing else.
  [[nodiscard]] bool Reaches(NodeIndex node) const;
  void AddThrough(NodeIndex node, Amounts& sum) const;
  // Some node with the frame, whose Locations() and ExtentOf() are the frame's; kNoIndex: no sample
  // in scope has the frame on its stack.
  [[nodiscard]] NodeIndex NodeOf(std::uint32_t frame) const { return node_of_frame_[frame]; }

 private:
  explicit ScopedSamples(const Profile& profile) : profile_(&profile) {}
  Status ChooseEvents(const std::vector<model::EventId>& wanted);
  void CountNodes(const SampleFilter& filter);
  void CountFrames();

  const Profile* profile_;
  std::vector<model::EventId> events_;
  Amounts total_;
  std::vector<std::vector<Amount>> through_;  // by event's place, then by node
  std::vector<Amounts> self_;                 // by frame
  std::vector<NodeIndex> node_of_frame_;
};

}  // namespace prof::analysis
