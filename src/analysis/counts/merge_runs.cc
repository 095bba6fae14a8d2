// Gives the runs of several files common ids.
#include "prof/analysis/counts/merge_runs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace prof::analysis::counts {
namespace {

constexpr std::uint32_t kAfter = 0;
constexpr std::uint32_t kBefore = 1;

bool IsSameEvent(const model::EventDesc& a, const model::EventDesc& b) {
  return a.name == b.name && a.unit == b.unit && a.scale == b.scale &&
         a.scale_unit == b.scale_unit && a.excludes_user == b.excludes_user &&
         a.excludes_kernel == b.excludes_kernel;
}

template <class Text>
std::string Joined(const std::vector<Text>& words, const char* between) {
  std::string text;
  for (const Text& word : words) text += (text.empty() ? "" : between) + std::string(word);
  return text;
}

class Merger {
 public:
  Result<RunSet> Merge(std::span<const SavedRuns> before, std::span<const SavedRuns> after) {
    merged_.sides.resize(2);
    PROF_TRY(AddSide(before, kBefore, "before"));
    PROF_TRY(AddSide(after, kAfter, "after"));
    NameSides(before, after);
    NoteDifferences(before, after);
    NoteHalfRestricted();
    merged_.info->notes.insert(merged_.info->notes.end(), notes_.begin(), notes_.end());
    return std::move(merged_);
  }

 private:
  Status AddSide(std::span<const SavedRuns> files, std::uint32_t side, const char* words) {
    for (const SavedRuns& file : files) {
      if (file.runs.sides.size() > 1) {
        return Fail(ErrorKind::kBadData,
                    file.name + " compares " + std::to_string(file.runs.sides.size()) +
                        " commands (prof stat --vs), and is no side of another comparison",
                    "prof report -i " + file.name + " shows it");
      }
      Add(file.runs, side);
    }
    const bool has_runs =
        std::ranges::any_of(files, [](const SavedRuns& file) { return !file.runs.runs.empty(); });
    if (has_runs) return {};
    return Fail(ErrorKind::kBadData,
                (files.empty() ? std::string("the side ") + words : files.front().name) +
                    " has no whole run",
                "prof stat -r 10 --save FILE ./app");
  }

  void Add(const RunSet& runs, std::uint32_t side) {
    if (runs.info) {
      if (!merged_.info) {
        merged_.info = runs.info;
        merged_.info->notes.clear();
      }
      AddNotes(runs.info->notes);
    }
    if (runs.end) AddNotes(runs.end->notes);
    merged_.losses +=
        std::min(runs.losses, std::numeric_limits<std::uint64_t>::max() - merged_.losses);
    std::vector<model::EventId> events;
    for (const model::EventDesc& event : runs.events) events.push_back(EventOf(event));
    std::vector<std::uint32_t> metrics;
    for (const model::MetricDef& metric : runs.metrics) metrics.push_back(MetricOf(metric));
    const auto first_thread = static_cast<model::ThreadId>(merged_.threads.size());
    merged_.threads.insert(merged_.threads.end(), runs.threads.begin(), runs.threads.end());
    for (const Run& run : runs.runs) AddRun(run, side, events, metrics, first_thread);
    if (!runs.sides.empty() && merged_.sides[side].command.empty())
      merged_.sides[side].command = runs.sides.front().command;
    merged_.sides[side].id = side;
  }

  void AddRun(const Run& run, std::uint32_t side, const std::vector<model::EventId>& events,
              const std::vector<std::uint32_t>& metrics, model::ThreadId first_thread) {
    Run copy{.def = run.def, .counts = {}, .latest_ns = run.latest_ns};
    copy.def.run = static_cast<std::uint32_t>(merged_.runs.size());
    copy.def.side = side;
    copy.def.metrics.clear();
    for (std::size_t i = 0; i < std::min(metrics.size(), run.def.metrics.size()); ++i) {
      // What a run does not have is no number, and left out of comparisons.
      if (copy.def.metrics.size() <= metrics[i])
        copy.def.metrics.resize(metrics[i] + 1, std::numeric_limits<double>::quiet_NaN());
      copy.def.metrics[metrics[i]] = run.def.metrics[i];
    }
    for (std::size_t i = 0; i < std::min(events.size(), run.counts.size()); ++i) {
      if (copy.counts.size() <= events[i]) copy.counts.resize(events[i] + 1);
      for (const auto& [place, count] : run.counts[i]) {
        Place moved = place;
        if (moved.thread != model::kUnknownThread) moved.thread += first_thread;
        copy.counts[events[i]][moved] += count;
      }
    }
    merged_.runs.push_back(std::move(copy));
  }

  // An event that one file could count is not refused.
  model::EventId EventOf(const model::EventDesc& event) {
    auto same = std::ranges::find_if(
        merged_.events, [&](const model::EventDesc& known) { return IsSameEvent(known, event); });
    if (same == merged_.events.end()) {
      merged_.events.push_back(event);
      merged_.events.back().group_leader = -1;  // groups are of one file
      same = merged_.events.end() - 1;
    } else if (event.refused.empty()) {
      same->refused.clear();
      same->refused_hint.clear();
    }
    return static_cast<model::EventId>(same - merged_.events.begin());
  }

  std::uint32_t MetricOf(const model::MetricDef& metric) {
    auto same = std::ranges::find_if(merged_.metrics, [&](const model::MetricDef& known) {
      return known.name == metric.name && known.higher_is_better == metric.higher_is_better;
    });
    if (same == merged_.metrics.end()) {
      merged_.metrics.push_back(metric);
      same = merged_.metrics.end() - 1;
      same->id = static_cast<std::uint32_t>(merged_.metrics.size() - 1);
    }
    return same->id;
  }

  void AddNotes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
    }
  }

  void NameSides(std::span<const SavedRuns> before, std::span<const SavedRuns> after) {
    const auto texts = [](std::span<const SavedRuns> files) {
      std::set<std::string> all;
      for (const SavedRuns& file : files) {
        if (!file.runs.sides.empty()) all.insert(file.runs.sides.front().text);
      }
      return all;
    };
    const auto names = [](std::span<const SavedRuns> files) {
      std::vector<std::string> all;
      for (const SavedRuns& file : files) all.push_back(file.name);
      return Joined(all, ", ");
    };
    const auto old_texts = texts(before);
    const auto new_texts = texts(after);
    const bool clear = old_texts.size() == 1 && new_texts.size() == 1 && old_texts != new_texts &&
                       !old_texts.begin()->empty() && !new_texts.begin()->empty();
    merged_.sides[kBefore].text = clear ? *old_texts.begin() : names(before);
    merged_.sides[kAfter].text = clear ? *new_texts.begin() : names(after);
    if (!merged_.info) merged_.info.emplace();
  }

  void NoteDifferences(std::span<const SavedRuns> before, std::span<const SavedRuns> after) {
    const auto note = [&](const char* what, const auto& text_of) {
      const auto texts = [&](std::span<const SavedRuns> files) {
        std::set<std::string> all;
        for (const SavedRuns& file : files) {
          if (file.runs.info) all.insert(text_of(*file.runs.info));
        }
        return all;
      };
      const auto old_texts = texts(before);
      const auto new_texts = texts(after);
      if (old_texts == new_texts || old_texts.empty() || new_texts.empty()) return;
      notes_.push_back(std::string(what) + " differs: " +
                       Joined(std::vector(old_texts.begin(), old_texts.end()), ", ") + " before, " +
                       Joined(std::vector(new_texts.begin(), new_texts.end()), ", ") + " after");
    };
    using model::RecordingInfo;
    note("the machine", [](const RecordingInfo& info) {
      return info.cpu_model.empty() ? info.arch : info.cpu_model;
    });
    note("the number of CPUs",
         [](const RecordingInfo& info) { return std::to_string(info.cpus_online); });
    note("the kernel", [](const RecordingInfo& info) { return info.os_release; });
    note("what was measured", [](const RecordingInfo& info) {
      return info.target == model::TargetKind::kCommand ? std::string("a command")
             : info.target == model::TargetKind::kSystem || info.target == model::TargetKind::kCpus
                 ? std::string("whole CPUs")
                 : std::string("a running process");
    });
  }

  void NoteHalfRestricted() {
    for (const model::EventDesc& event : merged_.events) {
      const auto same_name =
          std::ranges::count(merged_.events, event.name, &model::EventDesc::name);
      if (same_name > 1 && !event.restriction.empty()) {
        notes_.push_back(event.name + " was counted with the kernel's part and without it (" +
                         event.restriction + "), which are not compared");
      }
    }
  }

  RunSet merged_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<RunSet> MergeRuns(std::span<const SavedRuns> before, std::span<const SavedRuns> after) {
  return Merger().Merge(before, after);
}

}  // namespace prof::analysis::counts
