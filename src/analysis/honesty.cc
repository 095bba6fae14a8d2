// Gathers what a recording could not see.
#include "prof/analysis/honesty.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/function_text.h"
#include "analysis/module_builds.h"
#include "analysis/wilson.h"

namespace prof::analysis {
namespace {

constexpr std::size_t kWorstModules = 3;
// The kernel counts the machine's time in ticks of 10 ms on every CPU, so of less than this a share
// may be off by more than 5 %.
constexpr double kLeastLoadSeconds = 0.2;

double Seconds(const Profile& profile) {
  const model::RecordingEnd& end = profile.end();
  if (profile.has_end() && end.sampling_end_ns > end.sampling_begin_ns) {
    return static_cast<double>(end.sampling_end_ns - end.sampling_begin_ns) / 1e9;
  }
  std::uint64_t first = model::kUnknownTime;
  std::uint64_t last = 0;
  for (const model::Sample& sample : profile.samples()) {
    if (sample.time_ns == model::kUnknownTime) continue;
    first = std::min(first, sample.time_ns);
    last = std::max(last, sample.time_ns);
  }
  return last > first ? static_cast<double>(last - first) / 1e9 : 0;
}

std::vector<LossTotal> Losses(const Profile& profile) {
  std::map<model::LossCause, LossTotal> totals;
  for (const model::Loss& loss : profile.losses()) {
    LossTotal& total = totals[loss.cause];
    total.cause = loss.cause;
    total.count += loss.count;
    total.at_least = total.at_least || loss.at_least;
  }
  std::vector<LossTotal> result;
  for (const auto& [cause, total] : totals) result.push_back(total);
  return result;
}

// The outermost node above each node, itself included; roots have none.
std::vector<NodeIndex> OutermostNodes(const Profile& profile) {
  const auto nodes = profile.nodes();
  std::vector<NodeIndex> outermost(nodes.size(), kNoIndex);
  for (NodeIndex node = model::kStackRootCount; node < nodes.size(); ++node) {
    // Parents come before their children.
    outermost[node] = model::IsRoot(nodes[node].parent) ? node : outermost[nodes[node].parent];
  }
  return outermost;
}

// Adds up the samples of one event.
class EventAssessor {
 public:
  EventAssessor(const Profile& profile, model::EventId event,
                const std::vector<NodeIndex>& outermost)
      : profile_(profile),
        outermost_(outermost),
        weight_by_thread_(profile.threads().size()),
        weight_by_function_(profile.functions().size()) {
    result_.event = event;
    result_.joined_samples = profile.JoinedSamples(event);
  }

  void Add(const model::Sample& sample);
  EventHonesty Finish(FunctionNames& names);

 private:
  struct EndTotal {
    std::uint64_t samples = 0;
    std::map<ModuleIndex, std::uint64_t> modules;
  };

  void AddEnd(const model::Sample& sample);
  void FinishEnds();
  void FinishCpuGaps();
  void FinishTopRow(FunctionNames& names);

  const Profile& profile_;
  const std::vector<NodeIndex>& outermost_;
  EventHonesty result_;
  std::map<model::StackEnd, EndTotal> ends_;
  std::vector<std::uint64_t> weight_by_thread_;
  std::vector<std::uint64_t> weight_by_function_;
  double squares_ = 0;  // sum of squared weights
};

void EventAssessor::Add(const model::Sample& sample) {
  result_.samples += sample.count;
  result_.weight += sample.weight;
  if (sample.thread < profile_.threads().size()) {
    weight_by_thread_[sample.thread] += sample.weight;
  }
  weight_by_function_[profile_.Locations(sample.stack).front().function] += sample.weight;
  // An aggregated sample stands for `count` equal ones.
  const auto weight = static_cast<double>(sample.weight);
  squares_ += weight * weight / static_cast<double>(std::max<std::uint64_t>(sample.count, 1));
  AddEnd(sample);
}

void EventAssessor::AddEnd(const model::Sample& sample) {
  const model::StackEnd end = profile_.EndOf(sample.stack);
  if (end == model::StackEnd::kNotWalked) return;
  result_.walked_samples += sample.count;
  EndTotal& total = ends_[end];
  total.samples += sample.count;
  const NodeIndex outermost = outermost_[sample.stack];
  if (end == model::StackEnd::kComplete || outermost == kNoIndex) return;
  // A kernel frame outermost means that no user part is there to blame.
  const ModuleIndex module = profile_.FrameOf(outermost).module;
  if (!profile_.modules()[module].module.IsKernel()) total.modules[module] += sample.count;
}

void EventAssessor::FinishEnds() {
  const auto by_count = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  for (const auto& [end, total] : ends_) {
    StackEndShare share{.end = end, .samples = total.samples, .worst_modules = {}};
    std::map<std::string, std::uint64_t> by_name;
    for (const auto& [module, samples] : total.modules) {
      by_name[DsoText(profile_.modules()[module].module)] += samples;
    }
    share.worst_modules.assign(by_name.begin(), by_name.end());
    std::ranges::sort(share.worst_modules, by_count);
    if (share.worst_modules.size() > kWorstModules) share.worst_modules.resize(kWorstModules);
    result_.stack_ends.push_back(std::move(share));
  }
  std::ranges::sort(result_.stack_ends, [](const StackEndShare& a, const StackEndShare& b) {
    return a.samples != b.samples ? a.samples > b.samples : a.end < b.end;
  });
  if (const auto complete = ends_.find(model::StackEnd::kComplete); complete != ends_.end()) {
    result_.complete_share =
        static_cast<double>(complete->second.samples) / static_cast<double>(result_.walked_samples);
  }
}

void EventAssessor::FinishCpuGaps() {
  const bool clock = profile_.events()[result_.event].unit == model::EventUnit::kNanoseconds;
  if (!clock || profile_.cpu_usage().empty()) return;
  // The kernel's accounts go by a process's last name, so samples have to as well; a recorder that
  // followed the names itself knows better.
  const bool stated = std::ranges::any_of(profile_.cpu_usage(),
                                          [](const auto& usage) { return usage.sampled_ns > 0; });
  std::unordered_map<std::uint32_t, const ThreadInfo*> main_threads;
  for (const ThreadInfo& thread : profile_.threads()) {
    const ThreadInfo*& main = main_threads[thread.pid];
    if (main == nullptr || thread.tid == thread.pid) main = &thread;
  }
  std::map<std::string_view, std::uint64_t> sampled;
  for (ThreadIndex thread = 0; thread < weight_by_thread_.size(); ++thread) {
    const ThreadInfo* main = main_threads[profile_.threads()[thread].pid];
    sampled[profile_.Name(main->names.back().second)] += weight_by_thread_[thread];
  }
  for (const model::CpuUsage& usage : profile_.cpu_usage()) {
    const auto found = sampled.find(usage.comm);
    const std::uint64_t counted = found == sampled.end() ? 0 : found->second;
    result_.cpu_gaps.push_back({.comm = usage.comm,
                                .used_ns = usage.used_ns,
                                .sampled_ns = stated ? usage.sampled_ns : counted,
                                .processes = usage.processes,
                                .unsampled_processes = usage.unsampled_processes,
                                .unsampled_used_ns = usage.unsampled_used_ns});
    result_.cpu_used_ns += usage.used_ns;
    result_.cpu_sampled_ns += result_.cpu_gaps.back().sampled_ns;
  }
  std::ranges::sort(result_.cpu_gaps, [](const CpuGap& a, const CpuGap& b) {
    return a.used_ns != b.used_ns ? a.used_ns > b.used_ns : a.comm < b.comm;
  });
}

void EventAssessor::FinishTopRow(FunctionNames& names) {
  if (result_.weight == 0) return;
  const auto top = std::ranges::max_element(weight_by_function_);
  const auto total = static_cast<double>(result_.weight);
  result_.top_name = names.Of(static_cast<FunctionIndex>(top - weight_by_function_.begin()));
  result_.top_share = static_cast<double>(*top) / total;
  const ShareInterval interval = WilsonInterval(result_.top_share, total * total / squares_);
  result_.top_low = interval.low;
  result_.top_high = interval.high;
}

EventHonesty EventAssessor::Finish(FunctionNames& names) {
  FinishEnds();
  FinishCpuGaps();
  FinishTopRow(names);
  return std::move(result_);
}

std::vector<ModuleState> ModulesWithoutSymbols(const Profile& profile) {
  std::vector<std::uint64_t> leaf_samples(profile.modules().size());
  std::vector<bool> hit(profile.modules().size());
  for (const StackFrame& frame : profile.frames()) {
    if (frame.module != kNoIndex) hit[frame.module] = true;
  }
  for (const model::Sample& sample : profile.samples()) {
    leaf_samples[profile.FrameOf(sample.stack).module] += sample.count;
  }
  std::vector<ModuleIndex> found;
  for (ModuleIndex module = 0; module < hit.size(); ++module) {
    const ModuleState& state = profile.modules()[module];
    if (hit[module] && state.status != model::SymbolStatus::kOk &&
        state.module.kind != model::ModuleKind::kUnknown) {
      found.push_back(module);
    }
  }
  std::ranges::sort(found, [&](ModuleIndex a, ModuleIndex b) {
    return leaf_samples[a] != leaf_samples[b] ? leaf_samples[a] > leaf_samples[b] : a < b;
  });
  std::vector<ModuleState> result;
  for (const ModuleIndex module : found) result.push_back(profile.modules()[module]);
  return result;
}

std::vector<UnoptimizedModule> UnoptimizedModules(const Profile& profile) {
  std::uint64_t all = 0;
  for (const model::Sample& sample : profile.samples()) all += sample.count;
  std::vector<UnoptimizedModule> found;
  for (const ModuleBuild& build : ModuleBuilds(profile)) {
    const bool large =
        static_cast<double>(build.samples) >= kLargeModule * static_cast<double>(all);
    if (large && build.IsMostlyUnoptimized()) found.push_back({build.name, build.samples});
  }
  std::ranges::sort(found, [](const UnoptimizedModule& a, const UnoptimizedModule& b) {
    return a.samples != b.samples ? a.samples > b.samples : a.name < b.name;
  });
  return found;
}

}  // namespace

MachineLoad MachineLoadOf(const model::RecordingInfo& info, const model::RecordingEnd& end) {
  if (end.sampling_end_ns <= end.sampling_begin_ns || info.cpus_online == 0) return {};
  const auto ns = static_cast<double>(end.sampling_end_ns - end.sampling_begin_ns);
  if (ns < kLeastLoadSeconds * 1e9) return {};
  const auto share = [&](std::uint64_t part_ns) -> std::optional<double> {
    if (part_ns == model::kNotKnown) return std::nullopt;
    return std::min(static_cast<double>(part_ns) / (ns * info.cpus_online), 1.0);
  };
  return {.other = share(end.other_cpu_ns), .steal = share(end.steal_ns)};
}

Honesty Assess(const Profile& profile) {
  Honesty honesty;
  honesty.seconds = Seconds(profile);
  honesty.losses = Losses(profile);
  const std::vector<NodeIndex> outermost = OutermostNodes(profile);
  std::vector<EventAssessor> assessors;
  for (model::EventId event = 0; event < profile.events().size(); ++event) {
    assessors.emplace_back(profile, event, outermost);
  }
  for (const model::Sample& sample : profile.samples()) assessors[sample.event].Add(sample);
  FunctionNames names(profile, NameStyle::kPlain);
  for (EventAssessor& assessor : assessors) honesty.events.push_back(assessor.Finish(names));
  honesty.modules_without_symbols = ModulesWithoutSymbols(profile);
  if (profile.has_end()) honesty.load = MachineLoadOf(profile.info(), profile.end());
  honesty.unoptimized_modules = UnoptimizedModules(profile);
  return honesty;
}

}  // namespace prof::analysis
