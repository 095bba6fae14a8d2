// What a recording could not see, and how sure its numbers are: the facts behind the head of every
// report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/profile.h"

namespace prof::analysis {

struct StackEndShare {
  model::StackEnd end = model::StackEnd::kComplete;
  std::uint64_t samples = 0;
  std::vector<std::pair<std::string, std::uint64_t>>
      worst_modules;  // where such walks stopped: short name, samples; at most 3
};

// CPU time the kernel accounted against CPU time sampled.
struct CpuGap {
  std::string comm;
  std::uint64_t used_ns = 0;
  std::uint64_t sampled_ns =
      0;  // samples of a clock event, or of a hardware event scaled by its rate; see basis
  std::uint64_t processes = 0;
  std::uint64_t unsampled_processes = 0;
  std::uint64_t unsampled_used_ns = 0;
};

struct LossTotal {
  model::LossCause cause = model::LossCause::kKernelRing;
  std::uint64_t count = 0;
  bool at_least = false;
};

struct EventHonesty {
  model::EventId event = 0;
  std::uint64_t samples = 0;
  std::uint64_t weight = 0;
  std::vector<StackEndShare> stack_ends;  // by samples, descending; without kNotWalked
  std::uint64_t walked_samples = 0;       // samples with a call graph
  double complete_share = 0;              // of walked_samples; kComplete only
  std::uint64_t joined_samples = 0;       // of walked_samples: with frames of an earlier sample
  std::vector<CpuGap> cpu_gaps;   // of clock events with CpuUsage: all comms, by used_ns descending
  std::uint64_t cpu_used_ns = 0;  // sums of cpu_gaps
  std::uint64_t cpu_sampled_ns = 0;
  // 95 % Wilson interval of the share of the row with most self samples (by module and function).
  std::string top_name;
  double top_share = 0, top_low = 0, top_high = 0;
};

// What else the machine did while it recorded, as shares of the time of all its CPUs. Nothing where
// it is not known, or sampling was too short for the kernel's clock ticks.
struct MachineLoad {
  std::optional<double> other;  // other programs
  std::optional<double> steal;  // taken by the hypervisor
};
MachineLoad MachineLoadOf(const model::RecordingInfo& info, const model::RecordingEnd& end);

// A module with a large share of the samples, most of them in code that the compiler did not
// optimize (-O0), as far as it noted that.
struct UnoptimizedModule {
  std::string name;           // as the "Shared Object" column has it
  std::uint64_t samples = 0;  // whose innermost frame is in it
};

struct Honesty {
  double seconds = 0;  // sampling end - begin (or first to last sample)
  std::vector<LossTotal> losses;
  std::vector<EventHonesty> events;
  std::vector<ModuleState>
      modules_without_symbols;  // with hit addresses whose status is not kOk; worst first
  MachineLoad load;
  std::vector<UnoptimizedModule> unoptimized_modules;  // by samples, descending
};

Honesty Assess(const Profile& profile);

}  // namespace prof::analysis
