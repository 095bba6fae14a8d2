// What leads to the names and the code of a process that runs code without a file: JIT compilers
// write a perf map or a jitdump file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  // The jitdump files that it mapped, each once, opened when the mapping was seen.
  struct Dump {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    UniqueFd fd;
  };
  std::vector<Dump> dumps;
};
// A process that is gone gets the path that prof's own namespace would give it.
JitProcess DescribeJitProcess(const HostFs& fs, pid_t pid, std::shared_ptr<const RootDir> root);
// A runtime has one; more than a few of a process are no runtime's.
inline constexpr std::size_t kMaxJitDumps = 8;
// "jit-PID.dump", in any folder: what a JIT maps executable, once, to announce its file to perf.
// Whose pid does not matter: a child runs the code of its parent.
bool IsJitDump(std::string_view path);
// Keeps the regular file with that inode, if it is not held already: at `path` below the process's
// root, or at one of `others`.
void HoldJitDump(const HostFs& fs, const std::string& path, std::span<const std::string> others,
                 std::uint64_t inode, JitProcess& process);
// Keeps the map readable when its folder goes the way of its container.
void HoldPerfMap(const HostFs& fs, JitProcess& process);

}  // namespace prof::collect
