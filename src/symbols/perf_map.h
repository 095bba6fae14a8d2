// Symbols that JIT compilers write to /tmp/perf-PID.map.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "symbols/elf_symbols.h"

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/model/address.h"

namespace prof::symbols {

// The text of the map at `path`. Anyone can create files in /tmp, so it is refused (kPermission)
// unless it is a regular file, no link, and belongs to us, to root, or to the owner of process
// `pid`.
Result<std::string> ReadPerfMap(const HostFs& fs, const std::string& path, std::uint32_t pid);

// For each wanted address (ascending) the function that covers it; of several the one written last,
// because JITs reuse memory. Malformed lines are skipped.
std::vector<NamedRange> FindInPerfMap(std::string_view text,
                                      std::span<const model::FileAddr> wanted);

}  // namespace prof::symbols
