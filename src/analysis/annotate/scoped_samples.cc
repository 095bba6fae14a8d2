// One pass over the samples, one over the nodes for each event.
#include "analysis/annotate/scoped_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/annotate/amounts.h"
#include "analysis/sample_filter.h"

namespace prof::analysis {

Result<ScopedSamples> ScopedSamples::Collect(const Profile& profile, const AnnotateScope& scope) {
  ScopedSamples samples(profile);
  PROF_TRY(samples.ChooseEvents(scope.events));
  samples.CountNodes(scope.filter);
  samples.CountFrames();
  return samples;
}

Status ScopedSamples::ChooseEvents(const std::vector<model::EventId>& wanted) {
  const std::size_t count = profile_->events().size();
  events_ = wanted;
  for (const model::EventId event : events_) {
    if (event < count) continue;
    return Fail(ErrorKind::kUsage, fmt::format("the profile has no event number {}", event),
                fmt::format("it has {}, counted from 0", count));
  }
  if (!events_.empty()) return {};
  std::vector<bool> sampled(count);
  for (const model::Sample& sample : profile_->samples()) sampled[sample.event] = true;
  const bool any = std::ranges::find(sampled, true) != sampled.end();
  for (model::EventId event = 0; event < count; ++event) {
    if (sampled[event] || !any) events_.push_back(event);
  }
  return {};
}

void ScopedSamples::CountNodes(const SampleFilter& filter) {
  total_ = Zero();
  through_.assign(events_.size(), std::vector<Amount>(profile_->nodes().size()));
  // An event may be asked for twice.
  std::vector<std::vector<std::uint32_t>> columns(profile_->events().size());
  for (std::uint32_t i = 0; i < events_.size(); ++i) columns[events_[i]].push_back(i);
  const ThreadFilter keeps(*profile_, filter);
  for (const model::Sample& sample : profile_->samples()) {
    if (columns[sample.event].empty() || !keeps.Keeps(sample)) continue;
    const Amount amount{.weight = sample.weight, .samples = sample.count};
    for (const std::uint32_t column : columns[sample.event]) {
      through_[column][sample.stack] += amount;
      total_[column] += amount;
    }
  }
}

void ScopedSamples::CountFrames() {
  const auto nodes = profile_->nodes();
  self_.assign(profile_->frames().size(), Zero());
  node_of_frame_.assign(profile_->frames().size(), kNoIndex);
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    AddThrough(node, self_[nodes[node].frame]);
  }
  // Parents come before their children. Roots are no frames of the stacks below them.
  for (std::vector<Amount>& through : through_) {
    for (std::size_t node = nodes.size(); node-- > model::kStackRootCount;) {
      const NodeIndex parent = nodes[node].parent;
      if (!model::IsRoot(parent)) through[parent] += through[node];
    }
  }
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    NodeIndex& known = node_of_frame_[nodes[node].frame];
    if (known == kNoIndex && Reaches(node)) known = node;
  }
}

bool ScopedSamples::Reaches(NodeIndex node) const {
  return std::ranges::any_of(through_,
                             [&](const auto& through) { return through[node] != Amount{}; });
}

void ScopedSamples::AddThrough(NodeIndex node, Amounts& sum) const {
  for (std::size_t i = 0; i < through_.size(); ++i) sum[i] += through_[i][node];
}

}  // namespace prof::analysis
