// Counts samples per stack node, and adds them up per address when an epoch ends.
#include "prof/analysis/hit_counts.h"

#include <algorithm>
#include <variant>

namespace prof::analysis {
namespace {

constexpr std::uint32_t kNoModule = ~std::uint32_t{0};

// Sorts by address and makes one of equal ones.
void Merge(std::vector<AddressHits>& hits) {
  std::ranges::sort(hits, {}, &AddressHits::address);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (kept > 0 && hits[kept - 1].address == hits[i].address) {
      hits[kept - 1].self += hits[i].self;
      hits[kept - 1].stacks += hits[i].stacks;
    } else {
      hits[kept++] = hits[i];
    }
  }
  hits.resize(kept);
}

}  // namespace

Status HitCounts::Append(const model::Record& record) {
  if (const auto* sample = std::get_if<model::Sample>(&record)) {
    samples_ += sample->count;
    const std::size_t place = sample->stack - std::size_t{model::kStackRootCount};
    if (!model::IsRoot(sample->stack) && place < nodes_.size())
      nodes_[place].samples += sample->count;
  } else if (const auto* node = std::get_if<model::StackNodeDef>(&record)) {
    const model::ModuleId id = node->frame.module;
    nodes_.push_back({.parent = node->parent,
                      .module = id < epoch_modules_.size() ? epoch_modules_[id] : kNoModule,
                      .address = model::LookupAddress(node->frame.address, node->frame.kind)});
  } else if (const auto* module = std::get_if<model::ModuleDef>(&record)) {
    const auto [it, added] =
        index_.emplace(module->module, static_cast<std::uint32_t>(hits_.size()));
    if (added) {
      hits_.emplace_back();
      self_.push_back(0);
    }
    epoch_modules_.push_back(it->second);
  } else if (std::holds_alternative<model::EpochBegin>(record)) {
    FoldEpoch();
  }
  return next_.Append(record);
}

void HitCounts::FoldEpoch() {
  std::vector<std::uint64_t> below(nodes_.size());  // samples whose stack goes through the node
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    below[i] += node.samples;
    const std::size_t parent = node.parent - std::size_t{model::kStackRootCount};
    if (!model::IsRoot(node.parent) && parent < i) below[parent] += below[i];
    if (below[i] == 0 || node.module == kNoModule) continue;
    hits_[node.module].push_back({node.address, node.samples, below[i]});
    self_[node.module] += node.samples;
  }
  for (std::vector<AddressHits>& hits : hits_) Merge(hits);
  nodes_.clear();
  epoch_modules_.clear();
}

void HitCounts::Finish() { FoldEpoch(); }

double HitCounts::ModuleShare(const model::Module& module) const {
  const auto it = index_.find(module);
  if (it == index_.end() || samples_ == 0) return 0;
  return static_cast<double>(self_[it->second]) / static_cast<double>(samples_);
}

std::span<const AddressHits> HitCounts::Of(const model::Module& module) const {
  const auto it = index_.find(module);
  if (it == index_.end()) return {};
  return hits_[it->second];
}

}  // namespace prof::analysis
