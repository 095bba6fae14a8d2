// Reads /sys/devices/system/cpu and node.
#include "stat_topology.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "prof/analysis/counts/derived_metrics.h"
#include "prof/perf/event_open.h"

namespace prof::tools {
namespace {

// N of "cpuN".
std::optional<std::uint32_t> NumberAfter(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::uint32_t ReadId(const HostFs& fs, const std::string& path, std::uint32_t otherwise) {
  const auto number = fs.ReadNumber(path);
  // Kernels say -1 where they do not know.
  if (!number || *number < 0 || *number > std::numeric_limits<std::uint32_t>::max())
    return otherwise;
  return static_cast<std::uint32_t>(*number);
}

std::map<std::uint32_t, std::uint32_t> NodesOfCpus(const HostFs& fs) {
  constexpr const char* kFolder = "/sys/devices/system/node";
  std::map<std::uint32_t, std::uint32_t> nodes;
  const auto names = fs.ListDir(kFolder);
  if (!names) return nodes;
  for (const std::string& name : *names) {
    const auto node = NumberAfter("node", name);
    if (!node) continue;
    const auto list = fs.ReadLine(std::string(kFolder) + '/' + name + "/cpulist");
    if (!list || list->empty()) continue;  // memory alone
    const auto cpus = perf::ParseCpuList(*list);
    if (!cpus) continue;
    for (const int cpu : *cpus) nodes[static_cast<std::uint32_t>(cpu)] = *node;
  }
  return nodes;
}

}  // namespace

std::vector<analysis::counts::CpuPlace> ReadTopology(const HostFs& fs) {
  constexpr const char* kFolder = "/sys/devices/system/cpu";
  std::vector<analysis::counts::CpuPlace> places;
  const auto names = fs.ListDir(kFolder);
  if (!names) return places;
  const auto nodes = NodesOfCpus(fs);
  for (const std::string& name : *names) {
    const auto cpu = NumberAfter("cpu", name);
    if (!cpu) continue;
    const std::string topology = std::string(kFolder) + '/' + name + "/topology/";
    const auto node = nodes.find(*cpu);
    places.push_back({.cpu = *cpu,
                      .socket = ReadId(fs, topology + "physical_package_id", 0),
                      .die = ReadId(fs, topology + "die_id", 0),
                      .core = ReadId(fs, topology + "core_id", *cpu),
                      .node = node == nodes.end() ? 0 : node->second});
  }
  std::ranges::sort(places, {}, &analysis::counts::CpuPlace::cpu);
  return places;
}

std::optional<double> ReadSlotsPerCycle(const HostFs& fs) {
  constexpr const char* kFolder = "/sys/bus/event_source/devices";
  std::optional<double> slots;
  for (const std::string& name : fs.ListDir(kFolder).value_or(std::vector<std::string>())) {
    if (!name.starts_with("armv8_")) continue;
    // Written as 0x00000008.
    const auto text = fs.ReadLine(std::string(kFolder) + '/' + name + "/caps/slots");
    if (!text) continue;
    const auto value = static_cast<double>(std::strtoul(text->c_str(), nullptr, 0));
    if (value == 0 || (slots && *slots != value)) return std::nullopt;
    slots = value;
  }
  if (slots) return slots;
  return analysis::counts::SlotsPerCycle(fs.ReadFile("/proc/cpuinfo").value_or(""));
}

}  // namespace prof::tools
