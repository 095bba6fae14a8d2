// What a recording should do, as plain data between the command line and the session.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/model/record.h"
#include "prof/perf/event_spec.h"

namespace prof::collect {

struct RecordTarget {
  model::TargetKind kind = model::TargetKind::kCommand;
  std::vector<std::string>
      command;              // the target of kCommand, the timer of all others (may be empty there)
  std::vector<pid_t> pids;  // kProcesses: thread groups, their threads and children
  std::vector<pid_t> tids;  // kThreads
  std::vector<int> cpus;    // kCpus
};

// How many threads read the rings and unwind.
struct ReaderChoice {
  std::uint32_t count = 0;  // 0: one per 32 CPUs; more than there are CPUs: one for each
  // One on each CPU instead, woken by every sample and scheduled before the target where that is
  // permitted, so that it can look at the target before the target runs on.
  bool pinned = false;
};

struct RecordOptions {
  RecordTarget target;
  std::vector<perf::EventSpec> events;  // empty: cycles, or cpu-clock without a PMU
  std::optional<std::uint64_t> frequency_hz;
  bool max_frequency = false;           // -F max
  std::optional<std::uint64_t> period;  // -c
  model::CallGraphMode call_graph = model::CallGraphMode::kNone;
  std::uint32_t dump_bytes = 0;    // of user stack per sample; 0: by rate
  std::uint32_t max_stack = 1024;  // frames
  bool join = true;  // stacks that the copied bytes cut, with earlier ones of the same thread
  bool inherit = true;
  bool all_user = false;
  bool all_kernel = false;
  std::uint64_t delay_ms = 0;  // samples start that much later; side-band runs from the start
  std::optional<double> duration_s;
  std::uint64_t ring_pages = 0;  // data pages of each sample ring; 0: by dump size and limits
  std::optional<bool>
      cpu_wide;  // events per CPU filtered on the command's process tree; unset: where permitted
  ReaderChoice readers;
  bool command_output_to_stderr = false;  // stdout carries the profile
  std::vector<std::string> command_line;  // of prof, for the head of the file
};

}  // namespace prof::collect
