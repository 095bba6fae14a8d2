// Follows definitions and samples of a stream.
#include "self_shares.h"

#include <variant>

namespace prof::tools {
namespace {

template <class T>
void Put(std::vector<std::uint32_t>& table, T id, std::uint32_t value, std::uint32_t none) {
  if (id >= table.size()) table.resize(static_cast<std::size_t>(id) + 1, none);
  table[id] = value;
}

}  // namespace

Status SelfShares::Append(const model::Record& record) {
  if (std::holds_alternative<model::EpochBegin>(record)) {
    modules_.clear();
    leaves_.clear();
  } else if (const auto* module = std::get_if<model::ModuleDef>(&record)) {
    const auto [it, added] =
        index_.emplace(module->module, static_cast<std::uint32_t>(counts_.size()));
    if (added) counts_.push_back(0);
    Put(modules_, module->id, it->second, kNoCount);
  } else if (const auto* node = std::get_if<model::StackNodeDef>(&record)) {
    const model::ModuleId id = node->frame.module;
    Put(leaves_, node->id, id < modules_.size() ? modules_[id] : kNoCount, kNoCount);
  } else if (const auto* sample = std::get_if<model::Sample>(&record)) {
    samples_ += sample->count;
    if (sample->stack < leaves_.size() && leaves_[sample->stack] != kNoCount)
      counts_[leaves_[sample->stack]] += sample->count;
  }
  return next_.Append(record);
}

double SelfShares::Of(const model::Module& module) const {
  const auto it = index_.find(module);
  if (it == index_.end() || samples_ == 0) return 0;
  return static_cast<double>(counts_[it->second]) / static_cast<double>(samples_);
}

}  // namespace prof::tools
