// Parses /proc/PID/task/TID/stat and status.
#include "collect/counting/thread_usage.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "collect/counting/noise_witness.h"

namespace prof::collect {
namespace {

// The fields behind the name "(...)", which may hold blanks and parentheses; proc(5) counts them
// from 3.
constexpr std::size_t kFirstField = 3, kMinorFaults = 10, kMajorFaults = 12, kUserTime = 14,
                      kSystemTime = 15, kStartTime = 22;

std::uint64_t StatusNumber(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  if (at == std::string_view::npos) return model::kNotKnown;
  status.remove_prefix(at + key.size());
  status.remove_prefix(std::min(status.find_first_not_of(" \t"), status.size()));
  std::uint64_t value = 0;
  const auto result = std::from_chars(status.data(), status.data() + status.size(), value);
  return result.ec == std::errc() ? value : model::kNotKnown;
}

std::optional<ThreadUsage> ReadOne(const HostFs& fs, pid_t tid) {
  const std::string own_folder = "/proc/" + std::to_string(tid);
  const auto status = fs.ReadFile(own_folder + "/status");
  if (!status) return std::nullopt;
  const std::uint64_t pid = StatusNumber(*status, "\nTgid:");
  // /proc/TID/stat would be that of the whole process.
  const auto stat =
      fs.ReadFile("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/stat");
  if (!stat) return std::nullopt;
  auto usage = ParseThreadStat(*stat);
  if (!usage) return std::nullopt;
  usage->wait_ns = RunQueueWaitNs(fs, tid);
  usage->voluntary_switches = StatusNumber(*status, "\nvoluntary_ctxt_switches:");
  usage->involuntary_switches = StatusNumber(*status, "\nnonvoluntary_ctxt_switches:");
  const std::uint64_t peak_kb = StatusNumber(*status, "\nVmHWM:");
  if (peak_kb != model::kNotKnown) usage->peak_rss_bytes = peak_kb * 1024;
  return usage;
}

void AddKnown(std::uint64_t before, std::uint64_t after, std::uint64_t& sum) {
  const std::uint64_t difference = KnownDifference(before, after);
  if (difference != model::kNotKnown) sum = (sum == model::kNotKnown ? 0 : sum) + difference;
}

}  // namespace

std::optional<ThreadUsage> ParseThreadStat(std::string_view text) {
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(name_end + 2);
  std::vector<std::string_view> fields;
  while (!rest.empty() && fields.size() <= kStartTime - kFirstField) {
    const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
    fields.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (fields.size() <= kStartTime - kFirstField) return std::nullopt;
  bool good = true;
  const auto number = [&](std::size_t field) {
    const std::string_view digits = fields[field - kFirstField];
    std::uint64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    good = good && result.ec == std::errc() && result.ptr == digits.data() + digits.size();
    return value;
  };
  const std::uint64_t tick_ns =
      1'000'000'000U / static_cast<std::uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 1L));
  ThreadUsage usage;
  usage.minor_faults = number(kMinorFaults);
  usage.major_faults = number(kMajorFaults);
  usage.user_ns = number(kUserTime) * tick_ns;
  usage.system_ns = number(kSystemTime) * tick_ns;
  usage.start_ticks = number(kStartTime);
  if (!good) return std::nullopt;
  return usage;
}

UsageByThread ReadThreadUsage(const HostFs& fs, std::span<const pid_t> threads) {
  UsageByThread usage;
  for (const pid_t tid : threads) {
    if (const auto one = ReadOne(fs, tid)) usage.emplace(tid, *one);
  }
  return usage;
}

void AddThreadUsage(const UsageByThread& before, const UsageByThread& after, model::RunDef& run) {
  std::uint64_t waiters = 0;
  for (const auto& [tid, end] : after) {
    const auto at = before.find(tid);
    if (at == before.end() || at->second.start_ticks != end.start_ticks) continue;
    const ThreadUsage& begin = at->second;
    AddKnown(begin.user_ns, end.user_ns, run.user_ns);
    AddKnown(begin.system_ns, end.system_ns, run.system_ns);
    AddKnown(begin.wait_ns, end.wait_ns, run.noise.wait_ns);
    waiters += KnownDifference(begin.wait_ns, end.wait_ns) == model::kNotKnown ? 0 : 1;
    AddKnown(begin.voluntary_switches, end.voluntary_switches, run.noise.voluntary_switches);
    AddKnown(begin.involuntary_switches, end.involuntary_switches, run.noise.involuntary_switches);
    AddKnown(begin.minor_faults, end.minor_faults, run.noise.minor_faults);
    AddKnown(begin.major_faults, end.major_faults, run.noise.major_faults);
    if (end.peak_rss_bytes != model::kNotKnown) {
      run.max_rss_bytes = run.max_rss_bytes == model::kNotKnown
                              ? end.peak_rss_bytes
                              : std::max(run.max_rss_bytes, end.peak_rss_bytes);
    }
  }
  run.noise.wait_threads = std::max<std::uint64_t>(waiters, 1);
}

}  // namespace prof::collect
