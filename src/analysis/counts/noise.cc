// Weighs the kernel's witnesses against the time that a run took longer.
#include "analysis/counts/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/counts/value_text.h"

namespace prof::analysis::counts {
namespace {

using Field = std::uint64_t model::RunNoise::*;

// A witness accounts for a run's delay from this share of it on.
constexpr double kLeastShare = 0.10;
constexpr double kLeastSeconds = 1e-3;
// What /proc/stat tells comes in ticks of 10 ms, rounded on every CPU.
constexpr double kLeastTickSeconds = 0.03;
// A time stands out that is this many times the median of the other runs, a count that is three
// times it.
constexpr double kTimeFactor = 1.5;
constexpr double kCountFactor = 3;
constexpr double kFrequencyFactor = 0.95;

struct TimeWitness {
  Field field;
  const char* before;
  const char* behind;
};
constexpr auto kTimes = std::to_array<TimeWitness>({
    {&model::RunNoise::wait_ns, "waited ", " for a CPU"},
    {&model::RunNoise::steal_ns, "the hypervisor took ", ""},
    {&model::RunNoise::other_cpu_ns, "other programs used ", " of CPU meanwhile"},
    {&model::RunNoise::io_pressure_ns, "stalled ", " on I/O"},
    {&model::RunNoise::memory_pressure_ns, "stalled ", " on memory"},
    {&model::RunNoise::cpu_pressure_ns, "some task waited for a CPU during ", ""},
});

// Counts that cost time by the most that one of them may take: a fault from a disk, a time slice of
// the one that came in between, caches to fill again on another CPU, a page to clear.
struct CountWitness {
  Field field;
  double floor;
  double most_seconds_each;
  const char* noun;
};
constexpr auto kCounts = std::to_array<CountWitness>({
    {&model::RunNoise::major_faults, 10, 10e-3, "major page fault"},
    {&model::RunNoise::involuntary_switches, 10, 4e-3, "involuntary context switch"},
    {&model::RunNoise::migrations, 10, 0.2e-3, "migration to another CPU"},
    {&model::RunNoise::minor_faults, 1000, 10e-6, "minor page fault"},
});

double LeastSeconds(Field field) {
  const bool in_ticks =
      field == &model::RunNoise::steal_ns || field == &model::RunNoise::other_cpu_ns;
  return in_ticks ? kLeastTickSeconds : kLeastSeconds;
}

// Several threads wait side by side, for longer than the run took.
std::string WhoWaited(std::uint64_t threads) {
  return threads > 1 ? Plural(threads, "thread") + " " : "";
}

struct Cause {
  double strength = 0;  // the share of the delay that it may account for
  std::string words;
};

std::optional<double> ValueOf(const Run& run, Field field) {
  const std::uint64_t value = run.def.noise.*field;
  if (value == model::kNotKnown) return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> MedianOf(const std::vector<const Run*>& runs, Field field) {
  std::vector<double> values;
  for (const Run* run : runs) {
    if (const auto value = ValueOf(*run, field)) values.push_back(*value);
  }
  const auto sample = statistics::Sample::Create(std::move(values));
  if (!sample) return std::nullopt;
  return sample->Median();
}

std::string NounOf(const CountWitness& witness, double count) {
  const std::string noun = witness.noun;
  if (count == 1) return noun;
  if (noun.ends_with("switch")) return noun + "es";
  if (noun.starts_with("migration")) return "migrations to other CPUs";
  return noun + "s";
}

void AddTimes(const Run& run, const std::vector<const Run*>& others, double excess_s,
              std::vector<Cause>& causes) {
  bool has_waited = false;
  for (const TimeWitness& witness : kTimes) {
    const auto value = ValueOf(run, witness.field);
    const auto median = MedianOf(others, witness.field);
    if (!value || !median) continue;
    const double more_s = (*value - *median) / 1e9;
    const bool stands_out =
        *value >= kTimeFactor * *median && more_s >= LeastSeconds(witness.field);
    if (!stands_out || more_s < kLeastShare * excess_s) continue;
    // The pressure of all tasks says less than the wait of this one.
    const bool is_wait = witness.field == &model::RunNoise::wait_ns;
    has_waited |= is_wait;
    if (witness.field == &model::RunNoise::cpu_pressure_ns && has_waited) continue;
    causes.push_back({.strength = std::min(more_s / excess_s, 1.0),
                      .words = (is_wait ? WhoWaited(run.def.noise.wait_threads) : "") +
                               witness.before + SecondsText(*value / 1e9) + witness.behind});
  }
}

void AddCounts(const Run& run, const std::vector<const Run*>& others, double excess_s,
               std::vector<Cause>& causes) {
  for (const CountWitness& witness : kCounts) {
    const auto value = ValueOf(run, witness.field);
    const auto median = MedianOf(others, witness.field);
    if (!value || !median) continue;
    const bool stands_out = *value >= kCountFactor * *median && *value >= witness.floor;
    const double most_s = (*value - *median) * witness.most_seconds_each;
    if (!stands_out || most_s < kLeastShare * excess_s) continue;
    // Upper limits come behind what was measured.
    causes.push_back({.strength = std::min(most_s / excess_s, 1.0) / 2,
                      .words = CountText(*value) + " " + NounOf(witness, *value)});
  }
}

void AddFrequency(const Run& run, const std::vector<const Run*>& others, double excess_s,
                  std::vector<Cause>& causes) {
  const Field field = &model::RunNoise::frequency_khz;
  const auto value = ValueOf(run, field);
  const auto median = MedianOf(others, field);
  if (!value || !median || !(*value > 0) || *value > kFrequencyFactor * *median) return;
  const double wall_s = static_cast<double>(run.def.wall_ns) / 1e9;
  const double lost_s = wall_s * (1 - *value / *median);
  if (lost_s < kLeastShare * excess_s) return;
  causes.push_back({.strength = std::min(lost_s / excess_s, 1.0),
                    .words = fmt::format("the CPU ran at {:.2f} GHz, in the other runs at {:.2f}",
                                         *value / 1e6, *median / 1e6)});
}

constexpr auto kSummed = std::to_array<Field>(
    {&model::RunNoise::wait_ns, &model::RunNoise::voluntary_switches,
     &model::RunNoise::involuntary_switches, &model::RunNoise::minor_faults,
     &model::RunNoise::major_faults, &model::RunNoise::block_reads, &model::RunNoise::block_writes,
     &model::RunNoise::migrations, &model::RunNoise::steal_ns, &model::RunNoise::other_cpu_ns,
     &model::RunNoise::cpu_pressure_ns, &model::RunNoise::io_pressure_ns,
     &model::RunNoise::memory_pressure_ns});

// Of the runs that know it; never kNotKnown itself.
std::uint64_t SumOf(const std::vector<const Run*>& runs, Field field) {
  std::uint64_t sum = 0;
  bool is_known = false;
  for (const Run* run : runs) {
    const std::uint64_t value = run->def.noise.*field;
    if (value == model::kNotKnown) continue;
    is_known = true;
    sum = value > model::kNotKnown - 1 - sum ? model::kNotKnown - 1 : sum + value;
  }
  return is_known ? sum : model::kNotKnown;
}

std::uint64_t MeanFrequency(const std::vector<const Run*>& runs) {
  double sum = 0;
  double known = 0;
  for (const Run* run : runs) {
    const auto value = ValueOf(*run, &model::RunNoise::frequency_khz);
    if (!value) continue;
    sum += *value;
    ++known;
  }
  return known == 0 ? model::kNotKnown : static_cast<std::uint64_t>(std::min(sum / known, 0x1p63));
}

// A witness is large from this share of the elapsed time on, other programs from this share of all
// CPUs.
struct TimeWarning {
  Field field;
  double share;
  const char* before;
  const char* behind;
};
constexpr auto kWarnings = std::to_array<TimeWarning>({
    {&model::RunNoise::wait_ns, 0.05, "waited ", " for a CPU"},
    {&model::RunNoise::steal_ns, 0.01, "the hypervisor took ", ""},
    {&model::RunNoise::other_cpu_ns, 0.25, "other programs used ", " of CPU meanwhile"},
    {&model::RunNoise::io_pressure_ns, 0.10, "tasks stalled ", " on I/O"},
    {&model::RunNoise::memory_pressure_ns, 0.01, "tasks stalled ", " on memory"},
});
constexpr double kManyMajorFaultsPerSecond = 10;

// The time in which threads had a CPU or waited for one: what the wait of several is a share of,
// as many sleep most of the time. Nothing where their CPU time is not known.
std::optional<double> RunnableSeconds(const std::vector<const Run*>& runs) {
  double sum = 0;
  for (const Run* run : runs) {
    for (const std::uint64_t ns : {run->def.user_ns, run->def.system_ns, run->def.noise.wait_ns}) {
      if (ns == model::kNotKnown) return std::nullopt;
      sum += static_cast<double>(ns) / 1e9;
    }
  }
  return sum;
}

void AddWaitOfThreads(const std::vector<const Run*>& runs, const TimeWarning& warning,
                      double seconds, NoiseLine& line) {
  const auto runnable_s = RunnableSeconds(runs);
  if (runnable_s && seconds < warning.share * *runnable_s) return;
  std::string words =
      WhoWaited(line.total.wait_threads) + warning.before + SecondsText(seconds) + warning.behind;
  if (runnable_s)
    words += fmt::format(" ({} of the time that they could run)",
                         PercentText(100 * seconds / *runnable_s));
  line.warnings.push_back({warning.field, std::move(words)});
}

void AddWarning(const std::vector<const Run*>& runs, const TimeWarning& warning, std::uint32_t cpus,
                NoiseLine& line) {
  const std::uint64_t sum = line.total.*warning.field;
  if (sum == model::kNotKnown) return;
  const double seconds = static_cast<double>(sum) / 1e9;
  // Others disturb by the share of the machine that they take.
  const bool of_all_cpus = warning.field == &model::RunNoise::other_cpu_ns;
  const double limit = warning.share * (of_all_cpus ? std::max(cpus, 1U) : 1) * line.elapsed_s;
  if (seconds < LeastSeconds(warning.field) || seconds < limit) return;
  if (warning.field == &model::RunNoise::wait_ns && line.total.wait_threads > 1)
    return AddWaitOfThreads(runs, warning, seconds, line);
  std::string words = warning.before + SecondsText(seconds) + warning.behind;
  if (line.elapsed_s > 0)
    words += fmt::format(" ({} of the time)", PercentText(100 * seconds / line.elapsed_s));
  line.warnings.push_back({warning.field, std::move(words)});
}

}  // namespace

NoiseLine NoiseOf(const std::vector<const Run*>& runs, std::uint32_t cpus) {
  NoiseLine line;
  for (const Run* run : runs) line.elapsed_s += static_cast<double>(run->def.wall_ns) / 1e9;
  for (const Field field : kSummed) line.total.*field = SumOf(runs, field);
  line.total.frequency_khz = MeanFrequency(runs);
  for (const Run* run : runs)
    line.total.wait_threads = std::max(line.total.wait_threads, run->def.noise.wait_threads);
  for (const TimeWarning& warning : kWarnings) AddWarning(runs, warning, cpus, line);
  const std::uint64_t faults = line.total.major_faults;
  if (faults != model::kNotKnown && faults >= 10 &&
      static_cast<double>(faults) >= kManyMajorFaultsPerSecond * line.elapsed_s) {
    line.warnings.push_back({&model::RunNoise::major_faults,
                             Plural(faults, "major page fault") + ": files came from the disk"});
  }
  return line;
}

std::vector<std::string> CausesOf(const Run& run, const std::vector<const Run*>& others,
                                  double excess_s) {
  std::vector<Cause> causes;
  AddTimes(run, others, excess_s, causes);
  AddCounts(run, others, excess_s, causes);
  AddFrequency(run, others, excess_s, causes);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t at = 0; at < causes.size(); ++at) order.emplace_back(-causes[at].strength, at);
  std::ranges::sort(order);
  std::vector<std::string> words;
  for (const auto& [strength, at] : order) words.push_back(std::move(causes[at].words));
  return words;
}

}  // namespace prof::analysis::counts
