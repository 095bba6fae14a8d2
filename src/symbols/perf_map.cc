// Reads perf maps of JIT compilers.
#include "symbols/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

namespace prof::symbols {
namespace {

constexpr std::time_t kClockSlackS = 2;  // clock ticks, coarse file times

bool IsTrustedOwner(const HostFs& fs, uid_t owner, const PerfMapOwner& process) {
  if (owner == 0 || owner == ::geteuid()) return true;
  if (process.user) return owner == *process.user;
  struct stat status {};
  return ::stat(fs.Path("/proc/" + std::to_string(process.pid)).c_str(), &status) == 0 &&
         status.st_uid == owner;
}

// "7f0001000 1a0 name with spaces"; numbers are hexadecimal, some JITs write 0x.
bool ParseLine(std::string_view line, std::uint64_t& start, std::uint64_t& size,
               std::string_view& name) {
  for (std::uint64_t* number : {&start, &size}) {
    if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), *number, 16);
    if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  name = line;
  return size != 0 && !name.empty();
}

}  // namespace

Result<UniqueFd> OpenPerfMap(const HostFs& fs, const RootDir* root, const std::string& path) {
  if (root != nullptr) return root->OpenFile(path, O_NOFOLLOW);
  const std::string full = fs.Path(path);
  UniqueFd fd(::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (fd.valid()) return fd;
  if (errno == ELOOP) return Fail(ErrorKind::kPermission, full + ": is a symbolic link");
  return FailErrno(errno, full);
}

Result<std::string> ReadPerfMap(int fd, const std::string& name, const HostFs& fs,
                                const PerfMapOwner& owner) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return FailErrno(errno, name);
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorKind::kPermission, name + ": not a regular file");
  }
  if (!IsTrustedOwner(fs, status.st_uid, owner)) {
    return Fail(ErrorKind::kPermission,
                name + ": belongs to another user (uid " + std::to_string(status.st_uid) + ")");
  }
  if (status.st_mtime + kClockSlackS < owner.started_s) {
    return Fail(ErrorKind::kNotFound, name + ": is older than the process");
  }
  std::string text;
  text.reserve(static_cast<std::size_t>(status.st_size));
  // Read, not mapped: a JIT that is still running may truncate it.
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const ssize_t size = ::read(fd, chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FailErrno(errno, name);
    if (size == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

std::vector<NamedRange> FindInPerfMap(std::string_view text,
                                      std::span<const model::FileAddr> wanted) {
  struct Hit {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::string_view name;
  };
  std::vector<Hit> hits(wanted.size());
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    Hit line;
    const bool valid = ParseLine(text.substr(0, newline), line.start, line.size, line.name);
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (!valid) continue;
    auto it = std::ranges::lower_bound(wanted, model::FileAddr{line.start});
    for (; it != wanted.end() && it->value - line.start < line.size; ++it) {
      hits[static_cast<std::size_t>(it - wanted.begin())] = line;
    }
  }
  std::vector<NamedRange> result;
  result.reserve(hits.size());
  for (const Hit& hit : hits) result.push_back({hit.start, hit.size, std::string(hit.name)});
  return result;
}

}  // namespace prof::symbols
