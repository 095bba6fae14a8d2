// Parses /proc/stat.
#include "collect/machine_times.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "collect/cpu_time.h"

namespace prof::collect {

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice" in clock ticks; the guests
// are part of user and nice.
MachineTimes ReadMachineTimes(const HostFs& fs) {
  const auto text = fs.ReadFile("/proc/stat");
  if (!text || !text->starts_with("cpu ")) return {};
  std::string_view rest = std::string_view(*text).substr(4);
  std::array<std::uint64_t, 8> ticks{};
  for (std::uint64_t& value : ticks) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (result.ec != std::errc()) return {};
    rest.remove_prefix(static_cast<std::size_t>(result.ptr - rest.data()));
  }
  const std::uint64_t tick_ns =
      1'000'000'000U / static_cast<std::uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 1L));
  return {.busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * tick_ns,
          .steal = ticks[7] * tick_ns};
}

std::uint64_t KnownDifference(std::uint64_t before, std::uint64_t after) {
  if (before == model::kNotKnown || after == model::kNotKnown) return model::kNotKnown;
  return after > before ? after - before : 0;
}

std::uint64_t OtherCpuNs(std::uint64_t busy_ns, std::uint64_t own_ns) {
  if (busy_ns == model::kNotKnown || own_ns == model::kNotKnown) return model::kNotKnown;
  return busy_ns > own_ns ? busy_ns - own_ns : 0;
}

LoadMeter::Reading LoadMeter::Read(const HostFs& fs) {
  return {.machine = ReadMachineTimes(fs), .prof_cpu_ns = OwnCpuTimeNs()};
}

void LoadMeter::Begin(const HostFs& fs, std::uint64_t target_cpu_ns) {
  target_before_ns_ = target_cpu_ns;
  begin_ = Read(fs);
}

void LoadMeter::End(const HostFs& fs) { end_ = Read(fs); }

void LoadMeter::Report(std::uint64_t target_cpu_ns, model::RecordingEnd& end) const {
  end.steal_ns = KnownDifference(begin_.machine.steal, end_.machine.steal);
  const std::uint64_t target_ns = KnownDifference(target_before_ns_, target_cpu_ns);
  if (target_ns == model::kNotKnown) return;
  end.other_cpu_ns = OtherCpuNs(KnownDifference(begin_.machine.busy, end_.machine.busy),
                                target_ns + (end_.prof_cpu_ns - begin_.prof_cpu_ns));
}

}  // namespace prof::collect
