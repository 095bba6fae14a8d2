// Reads ids and start times of processes; opens perf maps and jitdump files.
#include "collect/jit_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

std::string ProcPath(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

}  // namespace

// "Uid:\treal\teffective\tsaved\tfs" and "NSpid:\toutermost...\tinnermost".
std::optional<ProcessIds> ReadProcessIds(const HostFs& fs, pid_t pid) {
  const auto text = fs.ReadFile(ProcPath(pid, "status"));
  if (!text) return std::nullopt;
  ProcessIds ids;
  bool has_user = false;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string title;
    fields >> title;
    if (title == "Uid:") {
      uid_t real = 0;
      has_user = static_cast<bool>(fields >> real >> ids.user);
    } else if (title == "NSpid:") {
      for (std::uint32_t id = 0; fields >> id;) ids.ns_pid = id;
    }
  }
  if (!has_user || ids.ns_pid == 0) return std::nullopt;
  return ids;
}

// Field 22 of /proc/PID/stat, in clock ticks since boot; the second, in parentheses, may hold
// anything.
std::time_t ReadProcessStart(const HostFs& fs, pid_t pid) {
  const auto text = fs.ReadFile(ProcPath(pid, "stat"));
  if (!text) return 0;
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text->substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  if (!fields) return 0;
  const std::uint64_t ticks = std::strtoull(field.c_str(), nullptr, 10);
  const ClockReading now = ReadClocks();
  const auto since_boot_s = ticks / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  const std::uint64_t boot_s = (now.realtime_ns - now.boottime_ns) / 1'000'000'000U;
  return static_cast<std::time_t>(boot_s + since_boot_s);
}

JitProcess DescribeJitProcess(const HostFs& fs, pid_t pid, std::shared_ptr<const RootDir> root) {
  JitProcess process;
  const auto ids = ReadProcessIds(fs, pid);
  const std::uint32_t map_pid = ids ? ids->ns_pid : static_cast<std::uint32_t>(pid);
  process.root = std::move(root);
  process.perf_map_path = "/tmp/perf-" + std::to_string(map_pid) + ".map";
  if (ids) process.user = ids->user;
  process.start_s = ReadProcessStart(fs, pid);
  return process;
}

bool IsJitDump(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  std::string_view name = path.substr(slash + 1);
  constexpr std::string_view kStart = "jit-";
  constexpr std::string_view kEnd = ".dump";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return false;
  name = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// The path comes from the target, so nothing but the inode of what it mapped says that the file is
// its own. What it could map executable, it could read.
void HoldJitDump(const HostFs& fs, const std::string& path, std::span<const std::string> others,
                 std::uint64_t inode, JitProcess& process) {
  if (process.dumps.size() >= kMaxJitDumps) return;
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const auto hold = [&](UniqueFd fd) {
    struct stat status {};
    if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    if (status.st_ino != inode) return false;
    const bool held = std::ranges::any_of(process.dumps, [&](const JitProcess::Dump& dump) {
      return dump.device == status.st_dev && dump.inode == status.st_ino;
    });
    if (!held) process.dumps.push_back({status.st_dev, status.st_ino, std::move(fd)});
    return true;
  };
  if (process.root != nullptr) {
    auto opened = process.root->OpenFile(path);
    if (opened && hold(std::move(*opened))) return;
  }
  for (const std::string& other : others) {
    if (hold(UniqueFd(::open(fs.Path(other).c_str(), kFlags)))) return;
  }
}

void HoldPerfMap(const HostFs& fs, JitProcess& process) {
  UniqueFd fd;
  if (process.root != nullptr) {
    auto opened = process.root->OpenFile(process.perf_map_path, O_NOFOLLOW);
    if (opened) fd = std::move(*opened);
  } else {
    fd = UniqueFd(::open(fs.Path(process.perf_map_path).c_str(),
                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  }
  if (fd.valid()) process.perf_map = std::make_shared<const UniqueFd>(std::move(fd));
}

}  // namespace prof::collect
