// perf_event_open(2) with errors that say what to do, and the limits this kernel sets.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::perf {

struct KernelLimits {
  int paranoid = 2;              // kernel.perf_event_paranoid
  std::uint64_t mlock_kb = 516;  // kernel.perf_event_mlock_kb, per CPU and user
  std::uint64_t max_sample_rate = 100'000;
  std::uint32_t max_stack = 127;   // kernel.perf_event_max_stack: frames of a kernel's call chain
  std::uint32_t max_contexts = 8;  // kernel.perf_event_max_contexts_per_stack: its parts
  bool privileged = false;         // root, CAP_PERFMON or CAP_SYS_ADMIN
  bool unlimited_mlock = false;    // CAP_IPC_LOCK or RLIMIT_MEMLOCK unlimited
  [[nodiscard]] bool MaySampleKernel() const { return privileged || paranoid <= 1; }
  [[nodiscard]] bool MayUseCpuWide() const { return privileged || paranoid <= 0; }
  // The fields of tracepoints (PERF_SAMPLE_RAW), which may hold data of the kernel. Counting or
  // sampling them without fields needs what other events of the kernel need.
  [[nodiscard]] bool MaySampleTracepointFields() const { return privileged || paranoid <= -1; }
};
KernelLimits ReadKernelLimits(const HostFs& fs);

// CPUs from a list such as "0-3,8"; the online ones from /sys/devices/system/cpu/online.
Result<std::vector<int>> ParseCpuList(const std::string& text);
Result<std::vector<int>> OnlineCpus(const HostFs& fs);

// Raises the soft limit of open files to the hard one; call once before many events are opened.
void RaiseFileLimit();

// How an open failed, for callers that retry with less.
enum class OpenFailure : std::uint8_t {
  kNone,
  kNoSuchEvent,    // ENOENT, ENODEV, EOPNOTSUPP: this machine has no such event
  kPermission,     // EACCES, EPERM
  kTooManyFiles,   // EMFILE, ENFILE
  kNoSuchProcess,  // ESRCH
  kInvalid,        // EINVAL, E2BIG: an attr bit this kernel does not know
  kBusy,           // EBUSY, ENOSPC: breakpoint or counter taken
  kOther,
};
struct OpenResult {
  UniqueFd fd;
  OpenFailure failure = OpenFailure::kNone;
  int error_number = 0;
};

// tid -1 with a cpu: everything on that CPU; tid with cpu -1: that thread anywhere. Always
// PERF_FLAG_FD_CLOEXEC.
OpenResult OpenEvent(const perf_event_attr& attr, pid_t tid, int cpu, int group_fd = -1);
// What an event was opened for, which decides the words and what can be advised.
enum class EventUse : std::uint8_t { kSample, kCount };
// The error a user should see for a failed OpenEvent of the event `name`; without a name when it is
// not an event of the user (side-band).
Error ExplainOpenFailure(const OpenResult& result, const std::string& name,
                         const perf_event_attr& attr, pid_t tid, int cpu,
                         const KernelLimits& limits, EventUse use = EventUse::kSample);

// What this kernel knows beyond 5.10, found by opening probes once.
struct KernelFeatures {
  bool build_id = false;            // attr.build_id, 5.12
  bool read_lost = false;           // PERF_FORMAT_LOST, 6.0
  bool inherit_group_read = false;  // PERF_SAMPLE_READ with inherit, 6.12
};
KernelFeatures ProbeKernelFeatures();

}  // namespace prof::perf
