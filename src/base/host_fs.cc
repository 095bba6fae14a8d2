// Reads kernel file systems below a root path.
#include "prof/base/host_fs.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "prof/base/unique_fd.h"

namespace prof {

Result<std::string> HostFs::ReadFile(std::string_view path) const {
  const std::string full = Path(path);
  UniqueFd fd(::open(full.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return FailErrno(errno, full);
  std::string text;
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const ssize_t size = ::read(fd.get(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FailErrno(errno, full);
    if (size == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

Result<std::string> HostFs::ReadStart(std::string_view path, std::size_t bytes) const {
  const std::string full = Path(path);
  UniqueFd fd(::open(full.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return FailErrno(errno, full);
  std::string text(bytes, '\0');
  ssize_t size = 0;
  do {
    size = ::read(fd.get(), text.data(), text.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) return FailErrno(errno, full);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

Result<std::string> HostFs::ReadLine(std::string_view path) const {
  PROF_TRY_ASSIGN(std::string text, ReadFile(path));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

Result<long long> HostFs::ReadNumber(std::string_view path) const {
  PROF_TRY_ASSIGN(const std::string text, ReadLine(path));
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || errno != 0) {
    return Fail(ErrorKind::kBadData, Path(path) + ": not a number: '" + text + "'");
  }
  return value;
}

Result<std::string> HostFs::ReadLink(std::string_view path) const {
  const std::string full = Path(path);
  std::array<char, PATH_MAX> target;
  const ssize_t size = ::readlink(full.c_str(), target.data(), target.size());
  if (size < 0) return FailErrno(errno, full);
  return std::string(target.data(), static_cast<std::size_t>(size));
}

Result<std::vector<std::string>> HostFs::ListDir(std::string_view path) const {
  const std::string full = Path(path);
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(full.c_str()), ::closedir);
  if (dir == nullptr) return FailErrno(errno, full);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

bool HostFs::Exists(std::string_view path) const { return ::access(Path(path).c_str(), F_OK) == 0; }

}  // namespace prof
