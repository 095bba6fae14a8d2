// Compares the build IDs of what was launched.
#include "analysis/diff/program_note.h"

#include <fmt/format.h>

#include <algorithm>

namespace prof::analysis::diff {
namespace {

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The only module called as the command is; empty where there is none, or another one, too.
model::BuildId BuildOf(const Profile& profile) {
  const auto& command = profile.info().target_command;
  if (command.empty()) return {};
  model::BuildId build;
  for (const ModuleState& state : profile.modules()) {
    if (state.module.kind != model::ModuleKind::kElf ||
        state.module.ShortName() != BaseName(command.front())) {
      continue;
    }
    if (!build.empty() && build != state.module.build_id) return {};
    build = state.module.build_id;
  }
  return build;
}

}  // namespace

void ProgramNote::Add(const Recording& recording) {
  builds_.push_back(BuildOf(recording.profile));
  const auto& command = recording.profile.info().target_command;
  if (!command.empty()) name_ = BaseName(command.front());
}

std::string ProgramNote::Text() const {
  const bool same =
      !builds_.empty() && !builds_.front().empty() &&
      std::ranges::count(builds_, builds_.front()) == static_cast<std::ptrdiff_t>(builds_.size());
  if (!same) return {};
  return fmt::format("{} is the same build on both sides (build ID {})", name_,
                     builds_.front().Hex().substr(0, 8));
}

}  // namespace prof::analysis::diff
