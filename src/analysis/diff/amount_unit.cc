// Chooses between runs and seconds.
#include "analysis/diff/amount_unit.h"

#include <fmt/format.h>

#include <algorithm>

namespace prof::analysis::diff {
namespace {

bool IsWhole(const ReducedRun& run) {
  switch (run.facts.info.target) {
    case model::TargetKind::kCommand:
    case model::TargetKind::kImported:
      return true;
    case model::TargetKind::kProcesses:
    case model::TargetKind::kThreads:
    case model::TargetKind::kSystem:
    case model::TargetKind::kCpus:
      return false;
  }
  return true;
}

}  // namespace

TimeBase FindTimeBase(const std::vector<ReducedRun>& runs) {
  TimeBase base;
  const auto whole = std::ranges::find_if(runs, IsWhole);
  const auto part = std::ranges::find_if_not(runs, IsWhole);
  if (part == runs.end()) return base;
  const auto unknown =
      std::ranges::find_if(runs, [](const ReducedRun& run) { return !(run.facts.seconds > 0); });
  if (unknown != runs.end()) {
    base.warnings.push_back(
        fmt::format("how long {} took is not known: amounts are those of whole recordings, "
                    "however long",
                    unknown->facts.name));
    return base;
  }
  base.per_second = true;
  if (whole != runs.end()) {
    base.warnings.push_back(fmt::format(
        "{} is a whole run of a command, {} a part of what ran anyway: amounts of both are per "
        "second of wall time",
        whole->facts.name, part->facts.name));
  }
  return base;
}

}  // namespace prof::analysis::diff
