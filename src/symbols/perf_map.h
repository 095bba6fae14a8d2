// Symbols that JIT compilers write to /tmp/perf-PID.map.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbols/elf_symbols.h"

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/root_dir.h"
#include "prof/base/unique_fd.h"
#include "prof/model/address.h"

namespace prof::symbols {

// Whose map it is.
struct PerfMapOwner {
  std::uint32_t pid = 0;      // as prof sees it
  std::optional<uid_t> user;  // nothing: the owner of /proc/PID
  std::time_t started_s = 0;  // CLOCK_REALTIME; 0: not known
};

// Opens a map at `path` below `root` (null: `fs`). Anyone can create files in /tmp, so a symbolic
// link is refused.
Result<UniqueFd> OpenPerfMap(const HostFs& fs, const RootDir* root, const std::string& path);

// The text of an open map; `name` is for messages. Refused (kPermission) unless it is a regular
// file of ours, of root, or of the process's user; kNotFound when it is older than the process,
// whose pid another one had before.
Result<std::string> ReadPerfMap(int fd, const std::string& name, const HostFs& fs,
                                const PerfMapOwner& owner);

// For each wanted address (ascending) the function that covers it; of several the one written last,
// because JITs reuse memory. Malformed lines are skipped.
std::vector<NamedRange> FindInPerfMap(std::string_view text,
                                      std::span<const model::FileAddr> wanted);

}  // namespace prof::symbols
