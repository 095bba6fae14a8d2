// Finds out which events give a metric here.
#include "list_metrics.h"

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/counts/derived_metrics.h"
#include "prof/perf/event_spec.h"

namespace prof::tools {
namespace {

using analysis::counts::MetricInfo;
using perf::Availability;
using Texts = std::vector<analysis::counts::EventText>;

class MetricLister {
 public:
  MetricLister(const HostFs& fs, const perf::EventOpener& open) : fs_(fs), open_(open) {}

  perf::CatalogEntry Entry(const MetricInfo& metric) {
    perf::CatalogEntry entry{.kind = perf::EventKind::kMetric,
                             .group = metric.group,
                             .name = metric.name,
                             .description = metric.description};
    entry.availability.reason = "this machine has not all events that give it";
    for (const Texts& texts : metric.alternatives) {
      const std::optional<Availability>& found = Find(texts);
      if (!found || (!entry.events.empty() && !found->can_count)) continue;
      entry.events = texts;
      entry.availability = *found;
      if (found->can_count) break;
    }
    return entry;
  }

 private:
  // Nothing when one of the events does not exist. Metrics of one group share their events.
  const std::optional<Availability>& Find(const Texts& texts) {
    const auto known = known_.find(texts);
    if (known != known_.end()) return known->second;
    std::optional<Availability>& found = known_[texts];
    std::vector<perf::EventSpec> specs;
    int group = 0;
    for (const std::string& text : texts) {
      auto parsed = perf::ParseEvents(text, fs_, group++);
      if (!parsed) return found;
      specs.insert(specs.end(), std::make_move_iterator(parsed->begin()),
                   std::make_move_iterator(parsed->end()));
    }
    found = perf::ProbeCounting({std::move(specs)}, fs_, open_).front();
    return found;
  }

  const HostFs& fs_;
  const perf::EventOpener& open_;
  std::map<Texts, std::optional<Availability>> known_;
};

}  // namespace

void AddMetrics(const HostFs& fs, const perf::EventOpener& open, perf::EventCatalog& catalog) {
  MetricLister lister(fs, open);
  for (const MetricInfo& metric : analysis::counts::MetricCatalog()) {
    catalog.entries.push_back(lister.Entry(metric));
  }
}

}  // namespace prof::tools
