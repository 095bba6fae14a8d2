// Says what differs between recordings beside the program.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/diff/sampling_span.h"
#include "analysis/module_builds.h"

#include "prof/analysis/diff/diff_builder.h"
#include "prof/analysis/honesty.h"

namespace prof::analysis::diff {
namespace {

// Of a run this short, or of so few samples, little can be said.
constexpr double kShortSeconds = 0.2;
constexpr std::uint64_t kFewSamples = 200;
constexpr double kLargeLoss = 0.01;
// Shares of the machine's CPU time: what others used matters from the first on, where the sides
// differ by the second.
constexpr double kLargeLoad = 0.10;
constexpr double kLoadDifference = 0.10;
constexpr double kLargeSteal = 0.02;

std::string SamplingText(const model::EventDesc& event) {
  return event.mode == model::SamplingMode::kFrequency
             ? fmt::format("{} Hz", event.sampling_value)
             : fmt::format("a sample every {}", event.sampling_value);
}

std::string ScopeText(const model::EventDesc& event) {
  if (event.excludes_user && event.excludes_kernel) return "neither user nor kernel code";
  const std::string why = event.restriction.empty() ? "" : " (" + event.restriction + ")";
  if (event.excludes_kernel) return "user code only" + why;
  return event.excludes_user ? "kernel code only" + why : "user and kernel code";
}

const char* StackText(model::CallGraphMode mode) {
  switch (mode) {
    case model::CallGraphMode::kNone:
      return "no stacks";
    case model::CallGraphMode::kAuto:
      return "stacks";
    case model::CallGraphMode::kFramePointers:
      return "stacks by frame pointers";
    case model::CallGraphMode::kDwarf:
      return "stacks by DWARF";
  }
  return "stacks";
}

bool IsLostSample(model::LossCause cause) {
  switch (cause) {
    case model::LossCause::kKernelRing:
    case model::LossCause::kQueueFull:
    case model::LossCause::kBadRecord:
    case model::LossCause::kUnattributed:
    case model::LossCause::kWriteError:
      return true;
    case model::LossCause::kThrottled:
    case model::LossCause::kSideBandRing:
    case model::LossCause::kStackShed:
    case model::LossCause::kStackCut:
      return false;
  }
  return false;
}

std::string OneOf(const std::set<std::string>& values) {
  return fmt::format("{}", fmt::join(values, " or "));
}

}  // namespace

struct Comparability::Facts {
  Side side = Side::kBefore;
  std::string name;
  model::RecordingInfo info;
  std::vector<model::EventDesc> events;
  double seconds = 0;
  std::uint64_t samples = 0;
  double lost_share = 0;
  std::uint64_t throttled = 0;
  std::uint32_t exit_status = 0;
  bool complete = true;
  MachineLoad load;
  std::vector<ModuleBuild> builds;
};

Comparability::Comparability() = default;
Comparability::~Comparability() = default;
Comparability::Comparability(Comparability&&) noexcept = default;
Comparability& Comparability::operator=(Comparability&&) noexcept = default;

void Comparability::Add(const Recording& recording) {
  const Profile& profile = recording.profile;
  Facts facts{.side = recording.side,
              .name = recording.name,
              .info = profile.info(),
              .events = {profile.events().begin(), profile.events().end()},
              .seconds = SpanOf(recording).Seconds(),
              .complete = recording.complete,
              .builds = ModuleBuilds(profile)};
  for (const model::Sample& sample : profile.samples()) facts.samples += sample.count;
  double lost = 0;
  for (const model::Loss& loss : profile.losses()) {
    if (IsLostSample(loss.cause)) lost += static_cast<double>(loss.count);
    if (loss.cause == model::LossCause::kThrottled) facts.throttled += loss.count;
  }
  if (lost > 0) facts.lost_share = lost / (lost + static_cast<double>(facts.samples));
  if (profile.has_end()) {
    facts.exit_status = profile.end().exit_status;
    facts.load = MachineLoadOf(profile.info(), profile.end());
  }
  runs_.push_back(std::move(facts));
}

namespace {

// The values of a property on both sides.
struct Values {
  std::array<std::set<std::string>, 2> sides;

  [[nodiscard]] bool Differ() const {
    return !sides[0].empty() && !sides[1].empty() && (sides[0] != sides[1] || sides[0].size() > 1);
  }
  [[nodiscard]] std::string Before() const { return OneOf(sides[0]); }
  [[nodiscard]] std::string After() const { return OneOf(sides[1]); }
};

// Empty values are not known and differ from nothing.
template <class Facts, class ValueOf>
Values ValuesOf(const std::vector<Facts>& runs, ValueOf value_of) {
  Values values;
  for (const Facts& run : runs) {
    const std::string value = value_of(run);
    if (!value.empty()) values.sides[static_cast<std::size_t>(run.side)].insert(value);
  }
  return values;
}

template <class Facts>
void AddIncomplete(const std::vector<Facts>& runs, std::vector<std::string>& warnings) {
  for (const Facts& run : runs) {
    if (!run.complete) {
      warnings.push_back(run.name +
                         " was cut off: what came after its last complete block is missing");
    }
  }
}

// Of events that several runs have, by name.
template <class Facts>
void AddEvents(const std::vector<Facts>& runs, std::vector<std::string>& warnings) {
  std::map<std::string, Values> scopes;
  std::map<std::string, Values> rates;
  for (const Facts& run : runs) {
    for (const model::EventDesc& event : run.events) {
      const auto side = static_cast<std::size_t>(run.side);
      scopes[event.name].sides[side].insert(ScopeText(event));
      rates[event.name].sides[side].insert(SamplingText(event));
    }
  }
  const auto of_event = [&](const std::string& name) {
    return scopes.size() > 1 ? " (" + name + ")" : std::string();
  };
  for (const auto& [name, values] : scopes) {
    if (values.Differ()) {
      warnings.push_back(fmt::format("before has samples of {}, after of {}{}", values.Before(),
                                     values.After(), of_event(name)));
    }
  }
  for (const auto& [name, values] : rates) {
    if (values.Differ()) {
      warnings.push_back(fmt::format("before was recorded at {}, after at {}{}", values.Before(),
                                     values.After(), of_event(name)));
    }
  }
}

template <class Facts>
void AddMachine(const std::vector<Facts>& runs, std::vector<std::string>& warnings) {
  const auto differ = [&](auto value_of, auto text) {
    const Values values = ValuesOf(runs, value_of);
    if (values.Differ()) warnings.push_back(text(values.Before(), values.After()));
  };
  const auto is = [](const char* what) {
    return [what](const std::string& before, const std::string& after) {
      return fmt::format("before: {} {}, after: {} {}", what, before, what, after);
    };
  };
  differ([](const Facts& run) { return run.info.arch; }, is("architecture"));
  differ([](const Facts& run) { return run.info.cpu_model; }, is("CPU"));
  differ(
      [](const Facts& run) {
        return run.info.cpus_online == 0 ? std::string() : std::to_string(run.info.cpus_online);
      },
      [](const std::string& before, const std::string& after) {
        return fmt::format("before had {} CPUs online, after {}", before, after);
      });
  differ([](const Facts& run) { return run.info.hostname; }, is("machine"));
  differ([](const Facts& run) { return run.info.os_release; }, is("kernel"));
}

// Recordings that are too small, one by one, or all in one line where they are many.
class SmallOnes {
 public:
  SmallOnes(const char* one, const char* many, const char* unit)
      : one_(one), many_(many), unit_(unit) {}

  void Add(const std::string& name, double value) {
    recordings_.emplace(name, value);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  void Warn(std::size_t of, std::vector<std::string>& warnings) const {
    constexpr std::size_t kListed = 3;
    if (recordings_.size() > kListed) {
      const std::string range = least_ == most_ ? fmt::format("{:.0f}", least_)
                                                : fmt::format("{:.0f} to {:.0f}", least_, most_);
      warnings.push_back(fmt::format("{} of {} recordings {} only {} {}{}", recordings_.size(), of,
                                     many_, range, unit_, most_ == 1 ? "" : Plural()));
      return;
    }
    for (const auto& [name, value] : recordings_) {
      warnings.push_back(fmt::format("{} {} only {:.0f} {}{}", name, one_, value, unit_,
                                     value == 1 ? "" : Plural()));
    }
  }

 private:
  [[nodiscard]] const char* Plural() const { return unit_ == std::string_view("ms") ? "" : "s"; }

  const char* one_;
  const char* many_;
  const char* unit_;
  std::set<std::pair<std::string, double>> recordings_;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = 0;
};

template <class Facts>
void AddQuality(const std::vector<Facts>& runs, std::vector<std::string>& warnings) {
  SmallOnes few("has", "have", "sample");
  SmallOnes brief("lasted", "lasted", "ms");
  for (const Facts& run : runs) {
    if (run.samples < kFewSamples) {
      few.Add(run.name, static_cast<double>(run.samples));
    } else if (run.seconds > 0 && run.seconds < kShortSeconds) {
      brief.Add(run.name, run.seconds * 1000);
    }
  }
  few.Warn(runs.size(), warnings);
  brief.Warn(runs.size(), warnings);
  for (const Facts& run : runs) {
    // What a cut file lacks was not lost while recording.
    if (run.complete && run.lost_share > kLargeLoss) {
      warnings.push_back(
          fmt::format("{} lacks {:.1f} % of its samples: they were lost while recording", run.name,
                      100 * run.lost_share));
    }
    if (run.throttled > 0) {
      warnings.push_back(fmt::format("the kernel throttled sampling of {} {} time{}", run.name,
                                     run.throttled, run.throttled == 1 ? "" : "s"));
    }
  }
}

// The mean over the runs of a side that know it.
template <class Facts>
std::optional<double> MeanLoad(const std::vector<Facts>& runs, Side side,
                               std::optional<double> MachineLoad::*part) {
  double sum = 0;
  int known = 0;
  for (const Facts& run : runs) {
    if (run.side != side || !(run.load.*part)) continue;
    sum += *(run.load.*part);
    ++known;
  }
  return known == 0 ? std::nullopt : std::optional(sum / known);
}

template <class Facts>
void AddLoad(const std::vector<Facts>& runs, std::vector<std::string>& warnings) {
  const auto before = MeanLoad(runs, Side::kBefore, &MachineLoad::other);
  const auto after = MeanLoad(runs, Side::kAfter, &MachineLoad::other);
  if (before && after && std::max(*before, *after) > kLargeLoad &&
      std::abs(*before - *after) > kLoadDifference) {
    warnings.push_back(
        fmt::format("other programs used {:.0f} % of the machine while before was recorded, "
                    "{:.0f} % while after was",
                    100 * *before, 100 * *after));
  }
  const auto stolen_before = MeanLoad(runs, Side::kBefore, &MachineLoad::steal);
  const auto stolen_after = MeanLoad(runs, Side::kAfter, &MachineLoad::steal);
  if (std::max(stolen_before.value_or(0), stolen_after.value_or(0)) <= kLargeSteal) return;
  std::string parts;
  for (const auto& [share, side] :
       {std::pair(stolen_before, "before"), std::pair(stolen_after, "after")}) {
    if (!share) continue;
    parts += parts.empty()
                 ? fmt::format("{:.1f} % of the machine while {} was recorded", 100 * *share, side)
                 : fmt::format(", {:.1f} % while {} was", 100 * *share, side);
  }
  warnings.push_back("the hypervisor took " + parts);
}

// By side, of modules that are large on one of them.
using Unoptimized = std::map<std::string, std::array<bool, 2>>;

template <class Facts>
Unoptimized UnoptimizedModules(const std::vector<Facts>& runs) {
  std::map<std::string, std::array<ModuleBuild, 2>> modules;
  std::array<double, 2> samples{};
  for (const Facts& run : runs) {
    const auto side = static_cast<std::size_t>(run.side);
    samples[side] += static_cast<double>(run.samples);
    for (const ModuleBuild& build : run.builds) {
      ModuleBuild& sum = modules[build.name][side];
      sum.samples += build.samples;
      sum.unoptimized += build.unoptimized;
    }
  }
  Unoptimized result;
  for (const auto& [name, builds] : modules) {
    bool large = false;
    for (std::size_t side = 0; side < builds.size(); ++side)
      large |= static_cast<double>(builds[side].samples) >= kLargeModule * samples[side] &&
               builds[side].samples > 0;
    const std::array unoptimized = {builds[0].IsMostlyUnoptimized(),
                                    builds[1].IsMostlyUnoptimized()};
    if (large && (unoptimized[0] || unoptimized[1])) result[name] = unoptimized;
  }
  return result;
}

constexpr const char* kUnoptimized = "was compiled without optimization (-O0)";

template <class Facts>
void AddUnoptimized(const std::vector<Facts>& runs, std::vector<std::string>& warnings) {
  for (const auto& [name, unoptimized] : UnoptimizedModules(runs)) {
    if (unoptimized[0] && unoptimized[1]) continue;
    warnings.push_back(
        fmt::format("{}: most of {} {}", unoptimized[0] ? "before" : "after", name, kUnoptimized));
  }
}

// The same file may come several times.
void DropRepeated(std::vector<std::string>& texts) {
  std::set<std::string> seen;
  std::erase_if(texts, [&](const std::string& text) { return !seen.insert(text).second; });
}

}  // namespace

std::vector<std::string> Comparability::Notes() const {
  std::vector<std::string> notes;
  for (const auto& [name, unoptimized] : UnoptimizedModules(runs_)) {
    if (unoptimized[0] && unoptimized[1])
      notes.push_back(fmt::format("most of {} {} on both sides", name, kUnoptimized));
  }
  return notes;
}

std::vector<std::string> Comparability::Warnings() const {
  std::vector<std::string> warnings;
  AddIncomplete(runs_, warnings);
  AddEvents(runs_, warnings);
  AddUnoptimized(runs_, warnings);
  AddQuality(runs_, warnings);
  AddLoad(runs_, warnings);
  AddMachine(runs_, warnings);
  const Values stacks =
      ValuesOf(runs_, [](const Facts& run) { return std::string(StackText(run.info.call_graph)); });
  if (stacks.Differ()) {
    warnings.push_back(fmt::format("before has {}, after {}", stacks.Before(), stacks.After()));
  }
  const Values statuses =
      ValuesOf(runs_, [](const Facts& run) { return std::to_string(run.exit_status); });
  if (statuses.Differ()) {
    warnings.push_back(fmt::format("before ended with status {}, after with {}", statuses.Before(),
                                   statuses.After()));
  }
  DropRepeated(warnings);
  return warnings;
}

}  // namespace prof::analysis::diff
