// Parses /proc/pressure, /proc/PID/schedstat and cpufreq.
#include "collect/counting/noise_witness.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "prof/perf/event_open.h"

namespace prof::collect {
namespace {

constexpr std::size_t kMostFrequencies = 8;

// Takes the next number off the front of `text`, blanks before it included.
std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return value;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234" in microseconds.
std::uint64_t Pressure(const HostFs& fs, const char* path) {
  const auto text = fs.ReadFile(path);
  if (!text || !text->starts_with("some ")) return model::kNotKnown;
  constexpr std::string_view kKey = " total=";
  const std::size_t line_end = std::min(text->find('\n'), text->size());
  std::string_view line = std::string_view(*text).substr(0, line_end);
  const std::size_t at = line.find(kKey);
  if (at == std::string_view::npos) return model::kNotKnown;
  line.remove_prefix(at + kKey.size());
  const auto total_us = TakeNumber(line);
  return total_us ? *total_us * 1000 : model::kNotKnown;
}

std::optional<std::uint64_t> FrequencyKhz(const HostFs& fs, int cpu) {
  const auto number = fs.ReadNumber("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                    "/cpufreq/scaling_cur_freq");
  if (!number || *number <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

MachineState ReadMachineState(const HostFs& fs) {
  MachineState state;
  state.times = ReadMachineTimes(fs);
  state.cpu_pressure = Pressure(fs, "/proc/pressure/cpu");
  state.io_pressure = Pressure(fs, "/proc/pressure/io");
  state.memory_pressure = Pressure(fs, "/proc/pressure/memory");
  return state;
}

void AddMachineNoise(const MachineState& before, const MachineState& after,
                     std::uint64_t target_cpu_ns, model::RunNoise& noise) {
  noise.steal_ns = KnownDifference(before.times.steal, after.times.steal);
  noise.cpu_pressure_ns = KnownDifference(before.cpu_pressure, after.cpu_pressure);
  noise.io_pressure_ns = KnownDifference(before.io_pressure, after.io_pressure);
  noise.memory_pressure_ns = KnownDifference(before.memory_pressure, after.memory_pressure);
  noise.other_cpu_ns =
      OtherCpuNs(KnownDifference(before.times.busy, after.times.busy), target_cpu_ns);
}

std::uint64_t RunQueueWaitNs(const HostFs& fs, pid_t tid) {
  const auto text = fs.ReadFile("/proc/" + std::to_string(tid) + "/schedstat");
  if (!text) return model::kNotKnown;
  std::string_view rest = *text;
  const auto used_ns = TakeNumber(rest);
  const auto wait_ns = used_ns ? TakeNumber(rest) : std::nullopt;
  return wait_ns.value_or(model::kNotKnown);
}

std::uint64_t MeanFrequencyKhz(const HostFs& fs) {
  const auto first = FrequencyKhz(fs, 0);
  if (!first) return model::kNotKnown;  // virtual machines mostly: no list of CPUs is read
  const auto cpus = perf::OnlineCpus(fs);
  if (!cpus) return *first;
  const std::size_t asked = std::min(cpus->size(), kMostFrequencies);
  std::uint64_t sum = 0, known = 0;
  for (std::size_t i = 0; i < asked; ++i) {
    const auto khz = FrequencyKhz(fs, (*cpus)[i * cpus->size() / asked]);
    sum += khz.value_or(0);
    known += khz ? 1 : 0;
  }
  return known == 0 ? *first : sum / known;
}

}  // namespace prof::collect
