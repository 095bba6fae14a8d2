// What /proc says about processes that were there before the recording.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collect/process_table.h"

#include "prof/base/host_fs.h"
#include "prof/base/result.h"

namespace prof::collect {

// Thread ids of a process, ascending. kNotFound when it is gone.
Result<std::vector<pid_t>> ListThreads(const HostFs& fs, pid_t pid);
// All process ids, ascending.
std::vector<pid_t> ListProcesses(const HostFs& fs);
// Direct children of all threads of a process.
std::vector<pid_t> ListChildren(const HostFs& fs, pid_t pid);
// The thread group a thread belongs to.
Result<pid_t> ProcessOf(const HostFs& fs, pid_t tid);
std::string ThreadName(const HostFs& fs, pid_t tid);
// False for one that is gone or has ended and waits for its parent (/proc/TID/stat: Z, X).
bool IsAlive(const HostFs& fs, pid_t tid);

// One executable line of /proc/PID/maps. `path` borrows from the line.
struct MapsLine {
  std::uint64_t start = 0, end = 0, offset = 0, device = 0, inode = 0;
  std::string_view path;
};
// Nothing for lines that are malformed or not executable.
std::optional<MapsLine> ParseMapsLine(std::string_view line);

// Reads a process's executable mappings into the table, replacing what it had, and notes the time,
// so that older side-band is not applied twice. A process that is gone is left as it is.
// `tid` is any living thread of it: the first one may have ended before the others.
void SnapshotMappings(const HostFs& fs, pid_t tid, const std::shared_ptr<ProcessState>& process,
                      ProcessTable& table);

// Names a thread that only its samples announced, and reads the mappings of its process unless they
// are known.
void AdoptThread(const HostFs& fs, ThreadState& thread, ProcessTable& table);

// User+system time of a thread so far (/proc/TID/schedstat); 0 when it is gone.
std::uint64_t ThreadCpuTimeNs(const HostFs& fs, pid_t tid);
// Idle time of the given CPUs since boot (/proc/stat, in clock ticks' resolution).
std::uint64_t IdleTimeNs(const HostFs& fs, const std::vector<int>& cpus);

}  // namespace prof::collect
