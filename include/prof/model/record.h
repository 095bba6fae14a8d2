// A profile as a stream of records: the seam between everything that produces samples (the
// recorder, the file reader, importers, tests) and everything that consumes them (the file writer,
// analysis).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "prof/model/address.h"
#include "prof/model/code.h"
#include "prof/model/event.h"
#include "prof/model/module.h"
#include "prof/model/run.h"
#include "prof/model/stack.h"

namespace prof::model {

// Order of a stream:
//   RecordingInfo, EventDef..., SideDef..., MetricDef..., { EpochBegin, definitions and data mixed
//   }..., ModuleSymbols..., ModuleCode..., SourceFile..., CodeSummary, CpuUsage..., RecordingEnd.
// Counts (`prof stat`) are one epoch of ThreadDef, CounterReading and RunDef; a file may give the
// RunDefs before or after the readings of their runs.
// Within an epoch a definition comes before its first use. EpochBegin restarts the ids of modules,
// processes, threads and stack nodes: nothing defined before it may be used after it. Ids are dense
// and ascending in order of definition (stack nodes from kStackRootCount). Events are not part of
// epochs. A stream that stops early (a killed recorder) lacks the tail, and consumers say so.

using ProcessId = std::uint32_t;
using ThreadId = std::uint32_t;
inline constexpr std::uint64_t kUnknownTime = ~std::uint64_t{0};
inline constexpr ThreadId kUnknownThread = ~ThreadId{0};
inline constexpr std::uint32_t kUnknownCpu = ~std::uint32_t{0};
inline constexpr ProcessId kNoProcess = ~ProcessId{0};

struct ClockTriple {
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  std::uint64_t boottime_ns = 0;
};

enum class CallGraphMode : std::uint8_t { kNone = 0, kAuto = 1, kFramePointers = 2, kDwarf = 3 };
enum class TargetKind : std::uint8_t {
  kCommand = 0,
  kProcesses = 1,
  kThreads = 2,
  kSystem = 3,
  kCpus = 4,
  kImported = 5
};

// The head of a recording.
struct RecordingInfo {
  std::string prof_version;
  std::vector<std::string> command_line;  // of prof itself, as typed
  std::string hostname;
  std::string os_release;  // uname -r
  std::string arch;        // uname -m
  std::string cpu_model;   // /proc/cpuinfo, may be empty
  std::uint32_t cpus_online = 0;
  std::string boot_id;         // /proc/sys/kernel/random/boot_id
  std::uint32_t clock_id = 1;  // clockid_t of all times; CLOCK_MONOTONIC
  ClockTriple start;
  TargetKind target = TargetKind::kCommand;
  std::vector<std::string> target_command;
  CallGraphMode call_graph = CallGraphMode::kNone;
  std::uint32_t stack_dump_bytes = 0;  // 0: no stack copies
  std::uint32_t max_stack = 0;         // frames
  bool cpu_wide = false;               // events per CPU filtered on the target, not inherited
  std::string kernel_build_id;         // hex, /sys/kernel/notes; may be empty
  std::vector<std::string> notes;  // what was given up or changed at the start, one sentence each
};

struct EventDef {
  EventId id = 0;
  EventDesc event;
};

struct EpochBegin {
  std::uint32_t index = 0;
};

struct ModuleDef {
  ModuleId id = 0;
  Module module;
};

struct ProcessDef {
  ProcessId id = 0;
  std::uint32_t pid = 0;
  std::uint32_t ns_pid = 0;  // pid in its own pid namespace; 0 when not known
  ProcessId parent = kNoProcess;
  std::uint64_t start_ns = kUnknownTime;  // fork time, or unknown
};

struct ThreadDef {
  ThreadId id = 0;
  ProcessId process = kNoProcess;
  std::uint32_t tid = 0;
  std::uint64_t start_ns = kUnknownTime;
  std::string name;  // at start_ns (or when first seen)
};

// The thread is called `name` from time_ns on. Comes in time order per thread, but may come before
// a sample that is older than time_ns: look names up by time.
struct ThreadRename {
  ThreadId thread = 0;
  std::uint64_t time_ns = 0;
  bool exec = false;  // the rename is an execve
  std::string name;
};

struct StackNodeDef {
  StackId id = 0;
  StackId parent = 0;  // an earlier node or a root
  Frame frame;
};

struct Sample {
  std::uint64_t time_ns = kUnknownTime;
  ThreadId thread = kUnknownThread;
  std::uint32_t cpu = kUnknownCpu;
  EventId event = 0;
  std::uint64_t weight = 0;  // period in units of the event
  std::uint64_t count = 1;   // samples this stands for (aggregated imports)
  StackId stack = 0;         // leaf node; a root when not even a pc is known
};

// Values are stored in files: append only.
enum class LossCause : std::uint8_t {
  kKernelRing = 0,    // the ring was full
  kThrottled = 1,     // the kernel stopped the event for exceeding the rate; count = times
  kSideBandRing = 2,  // mmap/comm/fork/exit records lost; /proc was read again
  kQueueFull = 3,     // prof could not keep up: sample dropped
  kStackShed = 4,     // prof could not keep up: stack dropped, sample kept
  kBadRecord = 5,     // a record that could not be decoded
  kUnattributed = 6,  // the sample of a thread that nobody named: neither side-band nor /proc
  kWriteError = 7,    // the output could not take it
  kStackCut = 8,      // prof could not keep up: stack cut to the first 8 KB, sample kept
};

struct Loss {
  LossCause cause = LossCause::kKernelRing;
  std::uint64_t time_ns = kUnknownTime;
  std::uint32_t cpu = kUnknownCpu;
  std::uint64_t count = 0;  // samples (or records) not seen
  bool at_least = false;    // the kernel could not say exactly (before 6.0)
};

// One interval on a lane (GPU kernel, copy, API call, NVTX range, blocked thread). Lanes and names
// are strings here; the file interns them.
struct Slice {
  std::string lane;
  std::string name;
  std::string category;
  std::uint64_t begin_ns = 0;
  std::uint64_t duration_ns = 0;
  ThreadId thread = kUnknownThread;  // who started it
  StackId stack = 0;
  std::uint64_t correlation = 0;
};

// What `stat` stores: one event of one run, counted since the run began. With intervals there are
// several of the same run, event, CPU and thread; the one with the largest time is the total.
struct CounterReading {
  std::uint32_t run = 0;  // RunDef::run
  EventId event = 0;
  std::uint32_t cpu = kUnknownCpu;   // unknown: all that the target ran on
  ThreadId thread = kUnknownThread;  // unknown: all of the target
  std::uint64_t time_ns = kUnknownTime;
  std::uint64_t value = 0;       // raw: neither scaled for multiplexing nor by EventDesc::scale
  std::uint64_t enabled_ns = 0;  // summed over the kernel's events that were added up
  std::uint64_t running_ns = 0;  // below enabled_ns where the event shared its counter
};

// One function at an address: the innermost inlined one first, the real (outermost) one last.
struct SymbolFrame {
  std::string name;        // linkage name as in the symbol table or DWARF (mangled); empty: unknown
  std::string file;        // full source path as the compiler recorded it; empty: unknown
  std::uint32_t line = 0;  // line executing in this function (call site for outer ones); 0: unknown
  bool inlined = false;    // false exactly for the outermost
  friend bool operator==(const SymbolFrame&, const SymbolFrame&) = default;
};

struct AddressSymbols {
  FileAddr address;                 // a LookupAddress() value
  FileAddr function_start;          // of the outermost function; 0 when unknown
  std::uint64_t function_size = 0;  // bytes; 0 when unknown
  std::vector<SymbolFrame> frames;  // empty: looked up, nothing found
  // The compiler noted that it did not optimize the code (-O0). False: it did, or did not say.
  bool unoptimized = false;
};

enum class SymbolStatus : std::uint8_t {
  kOk = 0,
  kNoSymbols = 1,  // the file has none that cover any wanted address
  kFileMissing = 2,
  kBuildIdMismatch = 3,  // the file on disk is not the one that ran
  kUnreadable = 4,       // permission, or broken ELF/DWARF
  kNotPermitted = 5,     // kernel addresses hidden (kptr_restrict)
};

// Symbols of one module's sampled addresses, resolved at the end of a recording or by an importer.
struct ModuleSymbols {
  Module module;  // by value: independent of epochs
  SymbolStatus status = SymbolStatus::kOk;
  std::string detail;                     // where symbols came from, or why there are none
  std::vector<AddressSymbols> addresses;  // ascending by address
};

// CPU time used by all processes whose last name was `comm`, measured by the kernel, beside
// what was sampled of it.
struct CpuUsage {
  std::string comm;
  std::uint64_t used_ns = 0;
  std::uint64_t sampled_ns = 0;  // of a clock event, by the same last names; 0 for other events
  std::uint64_t processes = 0;
  std::uint64_t unsampled_processes = 0;  // ended without a single sample
  std::uint64_t unsampled_used_ns = 0;    // CPU time of those
};

// Totals, written last.
struct RecordingEnd {
  ClockTriple end;
  std::uint64_t samples = 0;
  std::uint64_t sampling_begin_ns = 0;  // first enabled
  std::uint64_t sampling_end_ns = 0;
  std::uint64_t target_cpu_ns = 0;  // user+system time of the target, from the kernel; 0: not known
  std::uint64_t prof_cpu_ns = 0;    // prof's own user+system time
  std::uint64_t idle_ns = 0;        // of all recorded CPUs, with -a and -C
  std::uint64_t recorded_cpus = 0;  // CPUs sampled
  std::uint32_t exit_status = 0;    // of a launched command, as a shell shows it
  std::vector<std::string> notes;   // what went wrong or was given up on the way
  // Of the whole machine from the begin to the end of sampling, all CPUs added up: user and system
  // time that was neither the target's nor prof's own, and what the hypervisor took. kNotKnown
  // where the kernel did not say; other_cpu_ns also when whole CPUs were recorded.
  std::uint64_t other_cpu_ns = kNotKnown;
  std::uint64_t steal_ns = kNotKnown;
};

// Times, ids and strings of a record are owned by it.
using Record = std::variant<RecordingInfo, EventDef, EpochBegin, ModuleDef, ProcessDef, ThreadDef,
                            ThreadRename, StackNodeDef, Sample, Loss, Slice, CounterReading,
                            ModuleSymbols, CpuUsage, RecordingEnd, SideDef, MetricDef, RunDef,
                            ModuleCode, SourceFile, CodeSummary>;

}  // namespace prof::model
