// Sorts samples by the machine function they are in.
#include "analysis/annotate/copy_list.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/annotate/amounts.h"

namespace prof::analysis {

model::FileAddr AddressOf(const Profile& profile, const SelfHit& hit) {
  const StackFrame& frame = profile.frames()[hit.frame];
  return model::LookupAddress(frame.address, frame.kind);
}

std::vector<CopyPlan> ListCopies(const Profile& profile, const ScopedSamples& samples,
                                 const AnnotatedFunctions& functions, const CodeLookup& lookup,
                                 const std::vector<SelfHit>& hits, FunctionNames& names) {
  // Module and beginning; where that is not known, module and function.
  using Key = std::tuple<ModuleIndex, bool, std::uint64_t>;
  std::map<Key, std::size_t> by_place;
  std::vector<CopyPlan> plans;
  for (const SelfHit& hit : hits) {
    const FunctionIndex function = profile.Locations(hit.node).back().function;
    const ModuleIndex module = profile.frames()[hit.frame].module;
    FunctionExtent extent = profile.ExtentOf(hit.node);
    if (extent.size == 0) {
      const model::FunctionCode* code = lookup.Around(module, AddressOf(profile, hit));
      if (code != nullptr) extent = {code->start, code->size};
    }
    const bool placed = extent.size != 0;
    const auto [entry, added] = by_place.try_emplace(
        Key{module, placed, placed ? extent.start.value : function}, plans.size());
    if (added) {
      CodeCopy copy{.name = names.Of(function),
                    .module = module,
                    .inlined = !functions.Has(function),
                    .start = extent.start,
                    .size = extent.size,
                    .self = samples.Zero(),
                    .positions = {},
                    .instructions = {},
                    .hot = {},
                    .outside = samples.Zero()};
      if (function < profile.functions().size()) {
        copy.linkage_name = profile.Name(profile.functions()[function].name);
        if (!placed) copy.start = profile.functions()[function].address;
      }
      plans.push_back({.copy = std::move(copy), .hits = {}});
    }
    plans[entry->second].hits.push_back(hit);
    AddTo(plans[entry->second].copy.self, samples.Self(hit.frame));
  }
  for (CopyPlan& plan : plans) {
    std::ranges::sort(plan.hits, [&](const SelfHit& a, const SelfHit& b) {
      return std::tuple(AddressOf(profile, a), a.frame) <
             std::tuple(AddressOf(profile, b), b.frame);
    });
  }
  std::ranges::sort(plans, [](const CopyPlan& a, const CopyPlan& b) {
    const int order = CompareAmounts(a.copy.self, b.copy.self);
    if (order != 0) return order > 0;
    return std::tie(a.copy.module, a.copy.start, a.copy.name) <
           std::tie(b.copy.module, b.copy.start, b.copy.name);
  });
  return plans;
}

}  // namespace prof::analysis
