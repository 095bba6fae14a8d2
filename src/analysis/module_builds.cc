// Counts samples by module.
#include "analysis/module_builds.h"

#include <map>

#include "analysis/function_text.h"

namespace prof::analysis {

std::vector<ModuleBuild> ModuleBuilds(const Profile& profile) {
  struct FrameSamples {
    NodeIndex node = 0;  // any that has the frame
    std::uint64_t samples = 0;
  };
  const auto nodes = profile.nodes();
  std::vector<FrameSamples> by_frame(profile.frames().size());
  for (const model::Sample& sample : profile.samples()) {
    FrameSamples& frame = by_frame[nodes[sample.stack].frame];
    frame.node = sample.stack;
    frame.samples += sample.count;
  }
  std::vector<ModuleBuild> by_module(profile.modules().size());
  for (const FrameSamples& frame : by_frame) {
    const ModuleIndex module = profile.FrameOf(frame.node).module;
    if (frame.samples == 0 || module >= by_module.size()) continue;
    by_module[module].samples += frame.samples;
    if (profile.IsUnoptimized(frame.node)) by_module[module].unoptimized += frame.samples;
  }
  std::map<std::string, ModuleBuild> by_name;
  for (std::size_t i = 0; i < by_module.size(); ++i) {
    const model::Module& module = profile.modules()[i].module;
    if (module.kind != model::ModuleKind::kElf || by_module[i].samples == 0) continue;
    ModuleBuild& build = by_name[DsoText(module)];
    build.samples += by_module[i].samples;
    build.unoptimized += by_module[i].unoptimized;
  }
  std::vector<ModuleBuild> builds;
  for (auto& [name, build] : by_name) {
    build.name = name;
    builds.push_back(std::move(build));
  }
  return builds;
}

}  // namespace prof::analysis
