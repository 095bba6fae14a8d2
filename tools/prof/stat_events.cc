// Composes the list of events from the options.
#include "stat_events.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "prof/analysis/counts/derived_metrics.h"

namespace prof::tools {
namespace {

using analysis::counts::MetricInfo;

constexpr const char* kHardware = "cycles,instructions,branches,branch-misses";
constexpr const char* kSoftware = "context-switches,cpu-migrations,page-faults";
constexpr const char* kDetails[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
    "L1-dcache-prefetches,L1-dcache-prefetch-misses"};

bool IsAlwaysMeasured(std::string_view word) {
  return word == "duration_time" || word == "user_time" || word == "system_time";
}

// `text` without the words that name a time, which are separated by commas outside of {} and //.
std::string WithoutTimes(std::string_view text) {
  std::string kept;
  int depth = 0;
  int words = 0;
  bool in_pmu = false;
  for (std::size_t begin = 0, at = 0; at <= text.size(); ++at) {
    const char character = at < text.size() ? text[at] : ',';
    if (at < text.size()) {
      depth += character == '{' ? 1 : character == '}' ? -1 : 0;
      if (character == '/') in_pmu = !in_pmu;
      if (character != ',' || depth > 0 || in_pmu) continue;
    }
    const std::string_view word = text.substr(begin, at - begin);
    begin = at + 1;
    if (IsAlwaysMeasured(word)) continue;
    if (words++ != 0) kept += ',';
    kept += word;
  }
  return kept;
}

class EventList {
 public:
  explicit EventList(const HostFs& fs) : fs_(fs) {}

  Status Add(const std::string& text, bool is_default) {
    PROF_TRY_ASSIGN(auto specs, perf::ParseEvents(text, fs_, next_group_));
    Take(std::move(specs), is_default);
    return {};
  }

  // The first way to measure `metric` whose events this machine knows; false: none.
  bool AddMetric(const MetricInfo& metric) {
    for (const auto& alternative : metric.alternatives) {
      std::string text;
      for (const std::string& event : alternative) text += (text.empty() ? "" : ",") + event;
      if (std::ranges::find(texts_, text) != texts_.end()) return true;
      auto specs = perf::ParseEvents(text, fs_, next_group_);
      if (!specs) continue;
      std::erase_if(*specs, [&](const perf::EventSpec& spec) { return IsThere(spec); });
      Take(*std::move(specs), false);
      texts_.push_back(std::move(text));
      return true;
    }
    return false;
  }

  std::vector<perf::EventSpec>& specs() { return specs_; }

 private:
  // A metric shares an event that it does not need in a group with others.
  [[nodiscard]] bool IsThere(const perf::EventSpec& spec) const {
    const auto is_same = [&](const perf::EventSpec& other) {
      return other.desc.name == spec.desc.name;
    };
    return spec.group < 0 && std::ranges::any_of(specs_, is_same);
  }

  void Take(std::vector<perf::EventSpec> specs, bool is_default) {
    for (perf::EventSpec& spec : specs) {
      spec.desc.is_default = is_default;
      next_group_ = std::max(next_group_, spec.group + 1);
      specs_.push_back(std::move(spec));
    }
  }

  const HostFs& fs_;
  std::vector<perf::EventSpec> specs_;
  std::vector<std::string> texts_;  // of metrics
  int next_group_ = 0;
};

Status AddMetrics(const EventChoice& choice, EventList& list, std::vector<std::string>& notes) {
  for (const std::string& name : choice.metrics) {
    PROF_TRY_ASSIGN(const auto metrics, analysis::counts::FindMetrics(name));
    for (const MetricInfo* metric : metrics) {
      if (!list.AddMetric(*metric))
        notes.push_back("metric " + metric->name + ": this machine lacks its events" +
                        (metric->needs_pmu ? " (hardware counters of another CPU, or none)" : ""));
    }
  }
  if (list.specs().empty() && !notes.empty())
    return Fail(ErrorKind::kUnsupported, notes.front(), "prof list pmu shows what there is");
  return {};
}

void Restrict(const EventChoice& choice, std::vector<perf::EventSpec>& specs) {
  bool first = true;
  for (perf::EventSpec& spec : specs) {
    if (choice.all_user) {
      spec.attr.exclude_kernel = spec.attr.exclude_hv = 1;
      spec.desc.excludes_kernel = true;
    }
    if (choice.all_kernel) {
      spec.attr.exclude_user = 1;
      spec.desc.excludes_user = true;
    }
    if (choice.one_group) {
      spec.group = 0;
      spec.group_leader = std::exchange(first, false);
    }
  }
}

}  // namespace

Result<StatEvents> ChooseEvents(const EventChoice& choice, const HostFs& fs) {
  StatEvents result;
  if (choice.none) return result;
  EventList list(fs);
  for (const std::string& text : choice.texts) {
    const std::string events = WithoutTimes(text);
    if (!events.empty() || text.empty()) PROF_TRY(list.Add(events, false));
  }
  PROF_TRY(AddMetrics(choice, list, result.notes));
  if (choice.texts.empty() && choice.metrics.empty()) {
    // A task's clock does not run on idle CPUs, and says nothing about a whole one.
    PROF_TRY(list.Add(choice.whole_cpus ? "cpu-clock" : "task-clock", true));
    PROF_TRY(list.Add(kSoftware, true));
    PROF_TRY(list.Add(kHardware, true));
  }
  for (int level = 0; level < std::min<int>(choice.detail, std::size(kDetails)); ++level)
    PROF_TRY(list.Add(kDetails[level], true));
  Restrict(choice, list.specs());
  result.specs = std::move(list.specs());
  return result;
}

}  // namespace prof::tools
