// Says what the kernel's witnesses saw.
#include "report/stat_noise.h"

#include <fmt/format.h>

#include "report/stat_numbers.h"

namespace prof::report {
namespace {

using model::kNotKnown;

constexpr double kNanosecond = 1e-9;
constexpr std::uint64_t kBlockBytes = 512;
constexpr double kBytesShown = 1e5;
// Shares of the time below this are shown as nothing.
constexpr double kShareShown = 0.005;

std::string TimeText(std::uint64_t ns) {
  return MeasureText(static_cast<double>(ns) * kNanosecond, "seconds");
}

std::string ThreadsText(std::uint64_t threads) {
  return GroupDigits(std::to_string(threads)) + " threads";
}

void AddTime(std::uint64_t ns, const std::string& format, const char* none, NoiseWords& words) {
  if (ns == kNotKnown) return;
  if (ns == 0) {
    words.none.emplace_back(none);
  } else {
    words.some.push_back(fmt::format(fmt::runtime(format), TimeText(ns)));
  }
}

void AddCount(std::uint64_t count, const char* one, const char* several, NoiseWords& words) {
  if (count == kNotKnown) return;
  if (count == 0) {
    words.none.push_back(fmt::format("no {}", several));
  } else {
    words.some.push_back(
        fmt::format("{} {}", GroupDigits(std::to_string(count)), count == 1 ? one : several));
  }
}

// Of the wall time: a number of CPUs, or the share in which a task waited.
double PartOf(std::uint64_t ns, double elapsed_s) {
  return ns == kNotKnown || elapsed_s <= 0 ? 0 : static_cast<double>(ns) * kNanosecond / elapsed_s;
}

void AddPressure(std::uint64_t ns, double elapsed_s, const char* resource, NoiseWords& words) {
  const double share = PartOf(ns, elapsed_s);
  if (share >= kShareShown)
    words.some.push_back(fmt::format("tasks short of {} in {:.0f} % of the time", resource,
                                     share > 1 ? 100 : 100 * share));
}

}  // namespace

std::vector<NoiseWitness> KnownWitnesses(const model::RunNoise& noise, std::size_t runs) {
  const NoiseWitness all[] = {
      {"wait", "ns", noise.wait_ns},
      {"wait-threads", "", noise.wait_threads > 1 ? noise.wait_threads : kNotKnown},
      {"voluntary-switches", "", noise.voluntary_switches},
      {"involuntary-switches", "", noise.involuntary_switches},
      {"minor-faults", "", noise.minor_faults},
      {"major-faults", "", noise.major_faults},
      {"block-reads", "", noise.block_reads},
      {"block-writes", "", noise.block_writes},
      {"migrations", "", noise.migrations},
      {"steal", "ns", noise.steal_ns},
      {"other-cpu", "ns", noise.other_cpu_ns},
      {"cpu-pressure", "ns", noise.cpu_pressure_ns},
      {"io-pressure", "ns", noise.io_pressure_ns},
      {"memory-pressure", "ns", noise.memory_pressure_ns},
      {"frequency", "kHz", runs > 1 ? kNotKnown : noise.frequency_khz},
  };
  std::vector<NoiseWitness> known;
  for (const NoiseWitness& witness : all)
    if (witness.value != kNotKnown) known.push_back(witness);
  return known;
}

NoiseWords DescribeNoise(const model::RunNoise& noise, double elapsed_s) {
  NoiseWords words;
  const std::string waiters = noise.wait_threads > 1 ? ThreadsText(noise.wait_threads) + ' ' : "";
  AddTime(noise.wait_ns, waiters + "waited {} for a CPU", "no waiting for a CPU", words);
  AddCount(noise.involuntary_switches, "involuntary switch", "involuntary switches", words);
  AddCount(noise.migrations, "migration", "migrations", words);
  AddCount(noise.major_faults, "major fault", "major faults", words);
  const double bytes = static_cast<double>(noise.block_reads) * kBlockBytes;
  if (noise.block_reads != kNotKnown && bytes >= kBytesShown) {
    words.some.push_back(fmt::format("{} read from disks", MeasureText(bytes / 1e6, "MB")));
  }
  AddTime(noise.steal_ns, "{} taken by the hypervisor", "nothing taken by the hypervisor", words);
  const double others = PartOf(noise.other_cpu_ns, elapsed_s);
  if (others >= kShareShown) {
    words.some.push_back(fmt::format("other programs used {:.2f} CPUs", others));
  } else if (noise.other_cpu_ns != kNotKnown && elapsed_s > 0) {
    words.none.emplace_back("other programs idle");
  }
  AddPressure(noise.cpu_pressure_ns, elapsed_s, "CPUs", words);
  AddPressure(noise.io_pressure_ns, elapsed_s, "I/O", words);
  AddPressure(noise.memory_pressure_ns, elapsed_s, "memory", words);
  return words;
}

}  // namespace prof::report
