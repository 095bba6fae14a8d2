// Repeated runs of commands, as `prof stat` measures them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace prof::model {

inline constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

// What is measured, and compared with the other sides. Side 0 is the command after --, or the
// attached target; 1 and up are those of --vs, in order.
struct SideDef {
  std::uint32_t id = 0;
  std::vector<std::string> command;  // words as executed; empty for a target without a command
  std::string text;                  // as the user wrote it, for people
};

// A number that the command itself prints (--metric).
struct MetricDef {
  std::uint32_t id = 0;
  std::string name;
  std::string pattern;            // its first group, or the whole match, is the number
  bool higher_is_better = false;  // throughput; else lower is better, as of times
};

// What disturbed a run, from the kernel: the witnesses that explain why it was slow. kNotKnown
// where this kernel or the rights at hand do not tell.
struct RunNoise {
  // The first thread was ready to run and had no CPU: /proc/PID/schedstat, second field. (For an
  // attached target: all its threads that were there at both ends, summed.)
  std::uint64_t wait_ns = kNotKnown;
  std::uint64_t wait_threads = 1;  // that wait_ns is the sum of
  // Of the command and all descendants that were waited for: getrusage(2). With a running target:
  // of its threads, /proc/PID/status and stat, as far as they are there at both ends.
  std::uint64_t voluntary_switches = kNotKnown;
  std::uint64_t involuntary_switches = kNotKnown;
  std::uint64_t minor_faults = kNotKnown;
  std::uint64_t major_faults = kNotKnown;
  std::uint64_t block_reads = kNotKnown;  // of 512 bytes: ru_inblock
  std::uint64_t block_writes = kNotKnown;
  std::uint64_t migrations = kNotKnown;  // software event cpu-migrations
  // Of the whole machine while the run lasted.
  std::uint64_t steal_ns = kNotKnown;         // taken by the hypervisor: /proc/stat
  std::uint64_t other_cpu_ns = kNotKnown;     // user and system time that was not the target's
  std::uint64_t cpu_pressure_ns = kNotKnown;  // /proc/pressure/cpu, "some": a task waited for a CPU
  std::uint64_t io_pressure_ns = kNotKnown;
  std::uint64_t memory_pressure_ns = kNotKnown;
  std::uint64_t frequency_khz = kNotKnown;  // mean of the CPUs' scaling_cur_freq at its end
  bool operator==(const RunNoise&) const = default;
};

// One run of a side, or one span of counting of a running target.
struct RunDef {
  std::uint32_t run = 0;  // from 0, in order of execution over all sides
  std::uint32_t side = 0;
  std::uint64_t start_ns = kNotKnown;  // on the recording's clock
  std::uint64_t wall_ns = 0;           // from letting the command exec to its end
  // Of the command and all descendants that were waited for; of an attached target its threads.
  std::uint64_t user_ns = kNotKnown;
  std::uint64_t system_ns = kNotKnown;
  // The largest process among them. Of a command not known where it may be that of the fork before
  // the exec, a copy of prof, which the kernel counts as well: below some 4 MB.
  std::uint64_t max_rss_bytes = kNotKnown;
  std::uint32_t exit_status = 0;  // as a shell shows it
  RunNoise noise;
  std::vector<double> metrics;  // index: MetricDef::id
};

}  // namespace prof::model
