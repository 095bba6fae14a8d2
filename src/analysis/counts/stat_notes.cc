// One line for each reason, whatever the number of events.
#include "analysis/counts/stat_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/counts/value_text.h"

namespace prof::analysis::counts {
namespace {

std::string Joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

// All runs of all sides together.
Count TotalOf(const RunSet& runs, model::EventId event) {
  Count total;
  for (const Run& run : runs.runs) total += run.Total(event);
  return total;
}

void NoteRestrictions(const RunSet& runs, std::vector<std::string>& notes) {
  std::vector<std::string> known;
  for (const model::EventDesc& event : runs.events) {
    const bool is_new = !event.restriction.empty() && event.refused.empty() &&
                        std::ranges::find(known, event.restriction) == known.end();
    if (!is_new) continue;
    known.push_back(event.restriction);
    notes.push_back("counted in user space only: " + event.restriction);
  }
}

void NoteSharing(const RunSet& runs, bool scale, std::vector<std::string>& notes) {
  std::size_t shared = 0;
  double least = 1;
  double most = 0;
  std::vector<std::string> never_enabled;
  std::vector<std::string> never_scheduled;
  for (model::EventId event = 0; event < runs.events.size(); ++event) {
    const model::EventDesc& desc = runs.events[event];
    const Count total = TotalOf(runs, event);
    if (!desc.refused.empty() || runs.runs.empty()) continue;
    if (!total.WasCounted()) {
      (total.enabled_ns == 0 ? never_enabled : never_scheduled).push_back(desc.name);
    } else if (total.CountedShare() < 1) {
      ++shared;
      least = std::min(least, total.CountedShare());
      most = std::max(most, total.CountedShare());
    }
  }
  if (shared > 0) {
    const std::string low = fmt::format("{:.0f}", 100 * least);
    const std::string high = fmt::format("{:.0f}", 100 * most);
    const std::string range = low == high ? low : low + " to " + high;
    notes.push_back(Plural(shared, "event") + " shared the counters: shown values are " +
                    (scale ? "extrapolated from " : "as counted during ") + range +
                    " % of the time");
  }
  if (!never_scheduled.empty()) {
    notes.push_back("not counted: " + Joined(never_scheduled, ", ") +
                    ": no counter was free for as long as the target ran");
  }
  if (!never_enabled.empty()) {
    notes.push_back("not counted: " + Joined(never_enabled, ", ") +
                    ": nothing of the target ran while it was to be counted");
  }
}

}  // namespace

std::vector<RefusedLine> RefusedLines(const RunSet& runs) {
  std::vector<RefusedLine> lines;
  for (const model::EventDesc& event : runs.events) {
    if (event.refused.empty()) continue;
    auto line = std::ranges::find_if(lines, [&event](const RefusedLine& known) {
      return known.reason == event.refused && known.hint == event.refused_hint;
    });
    if (line == lines.end()) {
      lines.push_back({.reason = event.refused, .hint = event.refused_hint, .all_default = true});
      line = lines.end() - 1;
    }
    line->events.push_back(event.name);
    line->all_default = line->all_default && event.is_default;
  }
  return lines;
}

std::vector<std::string> NotesOn(const RunSet& runs, const StatReportOptions& options) {
  std::vector<std::string> notes;
  NoteRestrictions(runs, notes);
  NoteSharing(runs, options.scale, notes);
  if (runs.losses > 0) {
    notes.push_back(Plural(runs.losses, "record") +
                    " of the measurement could not be used: counts may be too low");
  }
  if (runs.info) notes.insert(notes.end(), runs.info->notes.begin(), runs.info->notes.end());
  if (runs.end) notes.insert(notes.end(), runs.end->notes.begin(), runs.end->notes.end());
  return notes;
}

std::string TargetText(const RunSet& runs) {
  std::string text = runs.sides.empty() ? "" : runs.sides.front().text;
  if (text.empty() && !runs.sides.empty()) text = Joined(runs.sides.front().command, " ");
  switch (runs.info ? runs.info->target : model::TargetKind::kCommand) {
    case model::TargetKind::kProcesses:
      return "process id '" + text + "'";
    case model::TargetKind::kThreads:
      return "thread id '" + text + "'";
    case model::TargetKind::kSystem:
      return "system wide";
    case model::TargetKind::kCpus:
      return "CPU(s) " + text;
    default:
      return "'" + text + "'";
  }
}

}  // namespace prof::analysis::counts
