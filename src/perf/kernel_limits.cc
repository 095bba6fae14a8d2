// Reads what this kernel and this user's rights allow, and raises the limit of open files.
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "perf/number.h"

#include "prof/perf/event_open.h"

namespace prof::perf {
namespace {

// <linux/capability.h>; CAP_PERFMON is younger than some of its copies.
constexpr int kCapIpcLock = 14;
constexpr int kCapSysAdmin = 21;
constexpr int kCapPerfmon = 38;
constexpr int kMaxCpu = 1 << 16;

// The rest of the line of `text` that begins with `key`, without blanks around it.
std::string_view LineAfter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }
  return {};
}

// CapEff, and 0 in a user namespace of its own: perfmon_capable() asks for the rights in the first
// one.
std::uint64_t EffectiveCapabilities(const HostFs& fs) {
  const auto status = fs.ReadFile("/proc/self/status");
  if (!status) return 0;
  const auto capabilities = ParseNumber(LineAfter(*status, "CapEff:"), 16);
  if (!capabilities) return 0;
  if (const auto map = fs.ReadFile("/proc/self/uid_map")) {
    // "         0          0 4294967295" is the identity of the first namespace.
    const std::string_view identity = LineAfter(*map, "         0          0 ");
    if (identity != "4294967295") return 0;
  }
  return *capabilities;
}

// "Max locked memory         8388608              8388608              bytes"
bool LockedMemoryUnlimited(const HostFs& fs) {
  const auto limits = fs.ReadFile("/proc/self/limits");
  return limits && LineAfter(*limits, "Max locked memory").starts_with("unlimited");
}

template <class T>
void ReadInto(const HostFs& fs, std::string_view name, T& value) {
  const auto number = fs.ReadNumber("/proc/sys/kernel/" + std::string(name));
  if (number) value = static_cast<T>(*number);
}

}  // namespace

KernelLimits ReadKernelLimits(const HostFs& fs) {
  KernelLimits limits;
  ReadInto(fs, "perf_event_paranoid", limits.paranoid);
  ReadInto(fs, "perf_event_mlock_kb", limits.mlock_kb);
  ReadInto(fs, "perf_event_max_sample_rate", limits.max_sample_rate);
  ReadInto(fs, "perf_event_max_stack", limits.max_stack);
  ReadInto(fs, "perf_event_max_contexts_per_stack", limits.max_contexts);
  const std::uint64_t capabilities = EffectiveCapabilities(fs);
  const auto has = [&](int capability) { return ((capabilities >> capability) & 1) != 0; };
  limits.privileged = has(kCapPerfmon) || has(kCapSysAdmin);
  // perf_mmap() asks for the limit only when perf_is_paranoid().
  limits.unlimited_mlock = has(kCapIpcLock) || limits.paranoid <= -1 || LockedMemoryUnlimited(fs);
  return limits;
}

Result<std::vector<int>> ParseCpuList(const std::string& text) {
  std::vector<int> cpus;
  std::string_view rest = text;
  const auto bad = [&] {
    return Fail(ErrorKind::kUsage, "not a list of CPUs: '" + text + "'",
                "write CPUs and ranges separated by commas, such as 0-3,8");
  };
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view item = rest.substr(0, comma);
    if (more) rest.remove_prefix(comma + 1);
    const std::size_t dash = item.find('-');
    const auto first = ParseNumber(item.substr(0, dash), 10);
    const auto last =
        dash == std::string_view::npos ? first : ParseNumber(item.substr(dash + 1), 10);
    if (!first || !last || *first > *last || *last >= kMaxCpu) return bad();
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  return cpus;
}

Result<std::vector<int>> OnlineCpus(const HostFs& fs) {
  PROF_TRY_ASSIGN(const std::string text, fs.ReadLine("/sys/devices/system/cpu/online"));
  return ParseCpuList(text);
}

void RaiseFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace prof::perf
