// Copies out of a profile what renderers need.
#include "prof/report/report_data.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace prof::report {
namespace {

using analysis::Profile;

// How the runtime that `comm` is the name of writes a perf map.
std::string PerfMapHint(std::string_view comm) {
  if (comm.starts_with("node")) return "node --perf-basic-prof";
  if (comm.starts_with("python")) return "python -X perf, from 3.12 on";
  if (comm.starts_with("java")) return "java -XX:+DumpPerfMapAtExit, or perf-map-agent";
  if (comm.starts_with("dotnet")) return "DOTNET_PerfMapEnabled=1";
  if (comm.starts_with("ruby")) return "ruby --yjit-perf";
  return "the program that made this code must write a perf map, as node --perf-basic-prof does";
}

// Empty unless `module` is code without a file and without a perf map.
std::string HintFor(const Profile& profile, const analysis::ModuleState& module) {
  if (module.module.kind != model::ModuleKind::kJit ||
      module.status != model::SymbolStatus::kFileMissing) {
    return {};
  }
  for (const analysis::ThreadInfo& thread : profile.threads()) {
    const bool first = thread.pid == module.module.pid && thread.tid == thread.pid;
    if (first && !thread.names.empty()) {
      return PerfMapHint(profile.Name(thread.names.back().second));
    }
  }
  return PerfMapHint({});
}

void AddUnresolved(const Profile& profile, ReportData& data) {
  std::vector<std::uint64_t> hits(profile.modules().size());
  for (const model::Sample& sample : profile.samples()) {
    if (model::IsRoot(sample.stack) || sample.stack >= profile.nodes().size()) continue;
    const analysis::ModuleIndex module = profile.FrameOf(sample.stack).module;
    if (module < hits.size()) hits[module] += sample.count;
  }
  std::map<model::Module, std::uint64_t> by_module;
  for (std::size_t i = 0; i < hits.size(); ++i) by_module[profile.modules()[i].module] += hits[i];
  for (const analysis::ModuleState& state : data.honesty.modules_without_symbols) {
    data.unresolved.push_back({std::string(state.module.ShortName()), state.status, state.detail,
                               by_module[state.module], HintFor(profile, state)});
  }
  std::ranges::sort(data.unresolved, [](const UnresolvedModule& a, const UnresolvedModule& b) {
    return std::tie(b.samples, a.name) < std::tie(a.samples, b.name);
  });
}

void AddThreads(const Profile& profile, ReportData& data) {
  std::vector<ThreadTotal> totals(profile.threads().size());
  for (const model::Sample& sample : profile.samples()) {
    data.samples += sample.count;
    if (sample.thread >= totals.size() || sample.event >= data.events.size()) continue;
    ThreadTotal& total = totals[sample.thread];
    total.samples.resize(data.events.size());
    total.weights.resize(data.events.size());
    total.samples[sample.event] += sample.count;
    total.weights[sample.event] += sample.weight;
  }
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].samples.empty()) continue;
    const analysis::ThreadInfo& thread = profile.threads()[i];
    totals[i].pid = thread.pid;
    totals[i].tid = thread.tid;
    if (!thread.names.empty()) totals[i].comm = profile.Name(thread.names.back().second);
    data.threads.push_back(std::move(totals[i]));
  }
  std::ranges::sort(data.threads, [](const ThreadTotal& a, const ThreadTotal& b) {
    return std::tie(a.pid, a.tid, a.comm) < std::tie(b.pid, b.tid, b.comm);
  });
}

}  // namespace

ReportData CollectFacts(const Profile& profile) {
  ReportData data;
  data.info = profile.info();
  if (profile.has_end()) data.end = profile.end();
  data.code = profile.code_summary();
  data.events.assign(profile.events().begin(), profile.events().end());
  data.honesty = analysis::Assess(profile);
  AddThreads(profile, data);
  AddUnresolved(profile, data);
  return data;
}

}  // namespace prof::report
