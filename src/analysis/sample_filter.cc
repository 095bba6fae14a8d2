// Tests samples and leaf frames against the filters of a view.
#include "analysis/sample_filter.h"

#include <algorithm>

namespace prof::analysis {
namespace {

template <class List, class Value>
bool EmptyOrHas(const List& list, const Value& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

}  // namespace

bool ThreadFilter::KeepsTested(const model::Sample& sample) const {
  // Unknown times are later than everything, so they pass only where no end is asked for.
  if (sample.time_ns < filter_.time_begin_ns || sample.time_ns > filter_.time_end_ns) return false;
  if (!EmptyOrHas(filter_.cpus, static_cast<int>(sample.cpu))) return false;
  const bool known = sample.thread < profile_.threads().size();
  const std::uint32_t pid = known ? profile_.threads()[sample.thread].pid : kNoIndex;
  const std::uint32_t tid = known ? profile_.threads()[sample.thread].tid : kNoIndex;
  return EmptyOrHas(filter_.pids, pid) && EmptyOrHas(filter_.tids, tid) &&
         (filter_.comms.empty() ||
          EmptyOrHas(filter_.comms, profile_.Name(profile_.CommOf(sample.thread, sample.time_ns))));
}

bool LeafFilter::KeepsModule(ModuleIndex index) const {
  if (filter_.dsos.empty()) return true;
  if (index >= profile_.modules().size()) return false;
  const model::Module& module = profile_.modules()[index].module;
  return std::ranges::any_of(filter_.dsos, [&](const std::string& dso) {
    return dso == module.ShortName() || dso == module.path || dso == DsoText(module);
  });
}

bool LeafFilter::Keeps(const CodeLocation& leaf) {
  const bool known = leaf.function < profile_.functions().size();
  if (!KeepsModule(known ? profile_.functions()[leaf.function].module : kNoIndex)) return false;
  if (!filter_.symbols.empty() && !EmptyOrHas(filter_.symbols, full_.Of(leaf.function)) &&
      !EmptyOrHas(filter_.symbols, shown_.Of(leaf.function))) {
    return false;
  }
  return filter_.symbol_contains.empty() ||
         full_.Of(leaf.function).find(filter_.symbol_contains) != std::string::npos;
}

}  // namespace prof::analysis
