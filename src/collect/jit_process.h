// What leads to the perf map of a process that runs code without a file: JIT compilers write one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "prof/base/host_fs.h"
#include "prof/base/root_dir.h"
#include "prof/base/unique_fd.h"

namespace prof::collect {

// From /proc/PID/status.
struct ProcessIds {
  std::uint32_t ns_pid = 0;  // its pid in its own (the innermost) pid namespace
  uid_t user = 0;            // effective
};
// Nothing when the process is gone.
std::optional<ProcessIds> ReadProcessIds(const HostFs& fs, pid_t pid);

// When a process started, in seconds of CLOCK_REALTIME; 0 when it is gone.
std::time_t ReadProcessStart(const HostFs& fs, pid_t pid);

// Taken while the process lives. Its perf map lies in its own /tmp and bears the pid that it knows
// itself by.
struct JitProcess {
  std::shared_ptr<const RootDir> root;  // null: it sees the files that prof sees
  std::string perf_map_path;            // below root
  std::optional<uid_t> user;
  std::time_t start_s = 0;                   // 0: not known
  std::shared_ptr<const UniqueFd> perf_map;  // opened as soon as it is there; null before
};
// A process that is gone gets the path that prof's own namespace would give it.
JitProcess DescribeJitProcess(const HostFs& fs, pid_t pid, std::shared_ptr<const RootDir> root);
// Keeps the map readable when its folder goes the way of its container.
void HoldPerfMap(const HostFs& fs, JitProcess& process);

}  // namespace prof::collect
