// /proc, /sys and tracefs behind a root path, so that tests can put a folder of fixtures there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "prof/base/result.h"

namespace prof {

// All paths are absolute as on the host ("/proc/1/maps"); the root is put in front of them.
// Stateless and safe to use from any thread.
class HostFs {
 public:
  HostFs() = default;
  explicit HostFs(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] std::string Path(std::string_view path) const { return root_ + std::string(path); }
  // The whole file, also where its stat size is 0 as under /proc.
  [[nodiscard]] Result<std::string> ReadFile(std::string_view path) const;
  // The file's beginning, as one read(2) of at most `bytes` gives it: where making the whole text
  // costs the kernel much (/proc/cpuinfo of many CPUs).
  [[nodiscard]] Result<std::string> ReadStart(std::string_view path, std::size_t bytes) const;
  // As ReadFile, with spaces and newlines at the end cut off.
  [[nodiscard]] Result<std::string> ReadLine(std::string_view path) const;
  [[nodiscard]] Result<long long> ReadNumber(std::string_view path) const;
  [[nodiscard]] Result<std::string> ReadLink(std::string_view path) const;
  // Names in the folder, sorted, without "." and "..".
  [[nodiscard]] Result<std::vector<std::string>> ListDir(std::string_view path) const;
  [[nodiscard]] bool Exists(std::string_view path) const;

 private:
  std::string root_;
};

}  // namespace prof
