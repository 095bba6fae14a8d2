// Source files by the paths that compilers recorded.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/root_dir.h"

namespace prof::symbols {

struct SourceOptions {
  HostFs fs;
  // --prefix-strip and --prefix, as in perf: so many leading folders are taken off a recorded path,
  // then the prefix is put in front.
  std::uint32_t strip_folders = 0;
  std::string prefix;
  // --source-path: below each of these the recorded path is looked for, first whole, then with ever
  // more leading folders taken off.
  std::vector<std::string> folders;
};

struct SourceText {
  std::string found_at;            // the path it was read from
  std::vector<std::string> lines;  // without line ends ("\n", "\r\n"); the first is line 1
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  // CRC32C of the file's bytes
  std::time_t modified_s = 0;
};

// Larger ones are no sources that people read.
inline constexpr std::uint64_t kMaxSourceBytes = 16 << 20;

// Reads `path` as the compiler recorded it: --source-path folders first, then with prefix and
// strip, then the recorded path itself, below `root` (borrowed, may be null) before this file
// system. Relative paths are looked for below `folders` only. kNotFound, kPermission, or kBadData
// for what is no regular file or too large. Never blocks on a FIFO.
Result<SourceText> ReadSource(const SourceOptions& options, const std::string& path,
                              const RootDir* root = nullptr);

}  // namespace prof::symbols
