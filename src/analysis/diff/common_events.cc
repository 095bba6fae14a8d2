// Finds events by name in all runs.
#include "analysis/diff/common_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace prof::analysis::diff {
namespace {

const char* SideText(Side side) { return side == Side::kBefore ? "before" : "after"; }

// "cycles, page-faults": those of any run of the side.
std::string EventsOf(const std::vector<ReducedRun>& runs, Side side) {
  std::vector<std::string> names;
  for (const ReducedRun& run : runs) {
    if (run.facts.side != side) continue;
    for (const ReducedEvent& event : run.events) {
      const std::string text = EventText(event.desc);
      if (std::ranges::find(names, text) == names.end()) names.push_back(text);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string LackingText(const std::vector<ReducedRun>& runs, const std::string& name) {
  bool on_side[2] = {};
  std::vector<std::string> lacking;
  for (const ReducedRun& run : runs) {
    if (FindEvent(run, name) != nullptr) {
      on_side[static_cast<std::size_t>(run.facts.side)] = true;
    } else {
      lacking.push_back(run.facts.name);
    }
  }
  if (on_side[0] && on_side[1]) {
    return fmt::format("'{}' is left out: {} lacks it", name, lacking.front());
  }
  return fmt::format("'{}' is left out: only {} has it", name,
                     SideText(on_side[0] ? Side::kBefore : Side::kAfter));
}

}  // namespace

const ReducedEvent* FindEvent(const ReducedRun& run, const std::string& name) {
  const auto found = std::ranges::find(
      run.events, name, [](const ReducedEvent& event) -> const auto& { return event.desc.name; });
  return found == run.events.end() ? nullptr : &*found;
}

Result<CommonEvents> FindCommonEvents(const std::vector<ReducedRun>& runs) {
  CommonEvents common;
  std::map<std::string, std::string> left_out;
  for (const ReducedRun& run : runs) {
    for (const ReducedEvent& event : run.events) {
      const std::string& name = event.desc.name;
      const bool everywhere = std::ranges::all_of(
          runs, [&](const ReducedRun& other) { return FindEvent(other, name) != nullptr; });
      if (!everywhere) left_out.try_emplace(name, LackingText(runs, name));
    }
  }
  for (const ReducedEvent& event : runs.back().events) {
    if (!left_out.contains(event.desc.name)) common.names.push_back(event.desc.name);
  }
  for (const auto& [name, text] : left_out) common.warnings.push_back(text);
  if (common.names.empty()) {
    return Fail(ErrorKind::kBadData,
                fmt::format("the recordings have no event in common: before has {}; after has {}",
                            EventsOf(runs, Side::kBefore), EventsOf(runs, Side::kAfter)),
                "record all with the same -e, as the same user");
  }
  return common;
}

}  // namespace prof::analysis::diff
