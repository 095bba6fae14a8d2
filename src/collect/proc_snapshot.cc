// Reads threads, names, mappings and CPU times from /proc.
#include "collect/proc_snapshot.h"

#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "prof/base/clock.h"

namespace prof::collect {
namespace {

constexpr std::uint32_t kNoTid = ~std::uint32_t{0};

std::string ProcPath(pid_t pid, std::string_view file) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(file);
}

std::vector<pid_t> NumericNames(const std::vector<std::string>& names) {
  std::vector<pid_t> ids;
  for (const std::string& name : names) {
    pid_t id = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), id);
    if (result.ec == std::errc() && result.ptr == name.data() + name.size()) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

// Takes a number in `base` off the front, and the character behind it when that is `separator`.
bool TakeNumber(std::string_view& text, int base, char separator, std::uint64_t& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (result.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  if (text.empty() || text.front() != separator) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<std::vector<pid_t>> ListThreads(const HostFs& fs, pid_t pid) {
  PROF_TRY_ASSIGN(const auto names, fs.ListDir(ProcPath(pid, "task")));
  return NumericNames(names);
}

std::vector<pid_t> ListProcesses(const HostFs& fs) {
  const auto names = fs.ListDir("/proc");
  return names ? NumericNames(*names) : std::vector<pid_t>{};
}

std::vector<pid_t> ListChildren(const HostFs& fs, pid_t pid) {
  std::vector<pid_t> children;
  const auto threads = ListThreads(fs, pid);
  if (!threads) return children;
  for (const pid_t tid : *threads) {
    const auto text = fs.ReadFile(ProcPath(pid, "task/" + std::to_string(tid) + "/children"));
    if (!text) continue;
    std::istringstream words(*text);
    for (pid_t child = 0; words >> child;) children.push_back(child);
  }
  return children;
}

Result<pid_t> ProcessOf(const HostFs& fs, pid_t tid) {
  PROF_TRY_ASSIGN(const std::string text, fs.ReadFile(ProcPath(tid, "status")));
  const auto at = text.find("\nTgid:");
  if (at == std::string::npos)
    return Fail(ErrorKind::kBadData, ProcPath(tid, "status") + ": no Tgid");
  return static_cast<pid_t>(std::strtol(text.c_str() + at + 6, nullptr, 10));
}

bool IsAlive(const HostFs& fs, pid_t tid) {
  const auto text = fs.ReadFile("/proc/" + std::to_string(tid) + "/stat");
  if (!text) return false;
  // "TID (NAME) STATE ..."; a name may hold parentheses.
  const std::size_t state = text->rfind(") ");
  if (state == std::string::npos || state + 2 >= text->size()) return false;
  const char letter = (*text)[state + 2];
  return letter != 'Z' && letter != 'X' && letter != 'x';
}

std::string ThreadName(const HostFs& fs, pid_t tid) {
  auto text = fs.ReadFile(ProcPath(tid, "comm"));
  if (!text) return "";
  if (text->ends_with('\n')) text->pop_back();
  return *text;
}

// "start-end perms offset major:minor inode   path"
std::optional<MapsLine> ParseMapsLine(std::string_view line) {
  MapsLine result;
  std::uint64_t major = 0, minor = 0;
  if (!TakeNumber(line, 16, '-', result.start) || !TakeNumber(line, 16, ' ', result.end))
    return std::nullopt;
  if (line.size() < 5 || line[2] != 'x') return std::nullopt;
  line.remove_prefix(5);
  if (!TakeNumber(line, 16, ' ', result.offset) || !TakeNumber(line, 16, ':', major) ||
      !TakeNumber(line, 16, ' ', minor)) {
    return std::nullopt;
  }
  const auto inode = std::from_chars(line.data(), line.data() + line.size(), result.inode);
  if (inode.ec != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(inode.ptr - line.data()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  result.device = makedev(static_cast<unsigned>(major), static_cast<unsigned>(minor));
  result.path = line;
  return result;
}

void SnapshotMappings(const HostFs& fs, pid_t tid, const std::shared_ptr<ProcessState>& process,
                      ProcessTable& table) {
  const std::uint64_t now_ns = MonotonicNs();
  const auto text = fs.ReadFile(ProcPath(tid, "maps"));
  if (!text || text->empty()) return;
  model::AddressSpace space;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const auto line = ParseMapsLine(rest.substr(0, end))) {
      space.Map(table.MappingOf({.path = line->path,
                                 .pid = process->pid,
                                 .start = {line->start},
                                 .end = {line->end},
                                 .has_inode = line->inode != 0,
                                 .device = line->device,
                                 .inode = line->inode},
                                {line->offset}));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  process->snapshot_ns = now_ns;
  table.ReplaceMappings(process, now_ns, std::move(space));
}

void AdoptThread(const HostFs& fs, ThreadState& thread, ProcessTable& table) {
  const auto tid = static_cast<pid_t>(thread.tid);
  if (tid == 0) {
    thread.name = "swapper";
  } else if (thread.tid == kNoTid) {
    thread.name = ":-1";  // as perf calls a task whose exit has gone too far to have an id
  } else {
    thread.name = ThreadName(fs, tid);
  }
  if (thread.process->mappings.Newest()->size() == 0)
    SnapshotMappings(fs, tid, thread.process, table);
}

std::uint64_t ThreadCpuTimeNs(const HostFs& fs, pid_t tid) {
  const auto text = fs.ReadFile("/proc/" + std::to_string(tid) + "/schedstat");
  return text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
}

// "cpuN user nice system idle iowait ..." in clock ticks.
std::uint64_t IdleTimeNs(const HostFs& fs, const std::vector<int>& cpus) {
  const auto text = fs.ReadFile("/proc/stat");
  if (!text) return 0;
  std::istringstream lines(*text);
  std::uint64_t ticks = 0;
  std::string line;
  while (std::getline(lines, line)) {
    int cpu = -1;
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0;
    if (!line.starts_with("cpu") || line.size() < 4 || line[3] == ' ') continue;
    std::istringstream fields(line.substr(3));
    fields >> cpu >> user >> nice >> system >> idle >> iowait;
    if (fields && std::ranges::find(cpus, cpu) != cpus.end()) ticks += idle + iowait;
  }
  return ticks * (1'000'000'000U / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace prof::collect
