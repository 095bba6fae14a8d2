// Opens counters, group by group, and reads them one by one: with inheritance the kernel (before
// 6.12) does not read groups at once.
#include "collect/counting/counter_set.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace prof::collect {
namespace {

// Where an event of the plan is opened.
std::vector<CounterSpot> SpotsOf(const PlannedCounter& counter,
                                 std::span<const CounterSpot> spots) {
  std::vector<CounterSpot> result;
  if (counter.outside_cores) {
    for (const int cpu : counter.cpus) result.push_back({.tid = -1, .cpu = cpu});
    return result;
  }
  for (const CounterSpot& spot : spots) {
    const bool counts_there = spot.cpu < 0 || counter.cpus.empty() ||
                              std::ranges::find(counter.cpus, spot.cpu) != counter.cpus.end();
    if (counts_there) result.push_back(spot);
  }
  return result;
}

Error FilterError(const PlannedCounter& counter) {
  std::string folder = counter.desc.name;
  folder = folder.substr(0, folder.find(':', folder.find(':') + 1));
  std::ranges::replace(folder, ':', '/');
  return {ErrorKind::kUsage, "the kernel refuses the filter '" + counter.filter + "'",
          "its fields: sudo cat /sys/kernel/tracing/events/" + folder + "/format"};
}

}  // namespace

std::optional<int> CounterSet::LeaderFd(std::size_t leader, std::size_t place) const {
  const auto position = [](const Counter& counter) {
    return std::pair(counter.index, counter.place);
  };
  const std::pair wanted(leader, place);
  const auto at = std::ranges::lower_bound(counters_, wanted, {}, position);
  if (at == counters_.end() || position(*at) != wanted) return std::nullopt;
  return at->fd.get();
}

std::optional<Error> CounterSet::OpenEverywhere(const CountPlan& plan, std::size_t index,
                                                std::span<const CounterSpot> spots, pid_t command,
                                                const perf::KernelLimits& limits) {
  const PlannedCounter& counter = plan.counters[index];
  const PlannedCounter& leader = counter.leader ? plan.counters[*counter.leader] : counter;
  const std::vector<CounterSpot> own_spots = SpotsOf(leader, spots);
  if (own_spots.empty())
    return Error{ErrorKind::kUnsupported, "none of the chosen CPUs has such a counter",
                 "leave out -C, or choose others"};
  for (std::size_t place = 0; place < own_spots.size(); ++place) {
    const CounterSpot spot = own_spots[place];
    int group_fd = -1;
    if (counter.leader) {
      const auto fd = LeaderFd(*counter.leader, place);
      if (!fd) continue;  // this thread has ended
      group_fd = *fd;
    }
    perf::OpenResult result = perf::OpenEvent(counter.attr, spot.tid, spot.cpu, group_fd);
    if (result.failure == perf::OpenFailure::kNoSuchProcess) continue;
    if (result.failure != perf::OpenFailure::kNone) {
      const pid_t suspect = spot.tid == command ? 0 : spot.tid;
      Error error = perf::ExplainOpenFailure(result, counter.desc.name, counter.attr, suspect,
                                             spot.cpu, limits, perf::EventUse::kCount);
      error.message = WithoutEventName(error.message, counter.desc.name);
      return error;
    }
    if (!counter.filter.empty() &&
        ::ioctl(result.fd.get(), PERF_EVENT_IOC_SET_FILTER, counter.filter.c_str()) != 0) {
      return FilterError(counter);
    }
    counters_.push_back({.fd = std::move(result.fd), .index = index, .spot = spot, .place = place});
  }
  return std::nullopt;
}

std::vector<CounterSet::Failure> CounterSet::Open(const CountPlan& plan,
                                                  std::span<const CounterSpot> spots, pid_t command,
                                                  const perf::KernelLimits& limits) {
  std::vector<Failure> failures;
  std::vector<std::size_t> missing;
  for (std::size_t index = 0; index < plan.counters.size(); ++index) {
    const PlannedCounter& counter = plan.counters[index];
    if (!counter.desc.refused.empty()) continue;
    if (counter.leader && std::ranges::find(missing, *counter.leader) != missing.end()) continue;
    auto error = OpenEverywhere(plan, index, spots, command, limits);
    if (!error) continue;
    std::erase_if(counters_, [index](const Counter& opened) { return opened.index == index; });
    missing.push_back(index);
    failures.push_back({index, std::move(*error)});
  }
  return failures;
}

// Members of a group follow their leader.
void CounterSet::Enable(const CountPlan& plan) const {
  for (const Counter& counter : counters_) {
    if (!plan.counters[counter.index].leader) ::ioctl(counter.fd.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
}

void CounterSet::EnableUnlessByExec(const CountPlan& plan) const {
  for (const Counter& counter : counters_) {
    const PlannedCounter& planned = plan.counters[counter.index];
    if (!planned.leader && !planned.attr.enable_on_exec)
      ::ioctl(counter.fd.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
}

void CounterSet::Disable(const CountPlan& plan) const {
  for (const Counter& counter : counters_) {
    if (!plan.counters[counter.index].leader) ::ioctl(counter.fd.get(), PERF_EVENT_IOC_DISABLE, 0);
  }
}

// A pinned event that lost its counter reads as end of file: not counted, which zeroes say.
std::vector<CounterValue> CounterSet::Read() const {
  std::vector<CounterValue> values;
  values.reserve(counters_.size());
  for (const Counter& counter : counters_) {
    std::array<std::uint64_t, 3> fields{};
    const ssize_t size = ::read(counter.fd.get(), fields.data(), sizeof fields);
    if (size != static_cast<ssize_t>(sizeof fields)) fields = {};
    values.push_back({.index = counter.index,
                      .spot = counter.spot,
                      .value = fields[0],
                      .enabled_ns = fields[1],
                      .running_ns = fields[2]});
  }
  return values;
}

}  // namespace prof::collect
