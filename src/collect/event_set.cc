// Opens the events of a recording and maps their rings.
#include "collect/event_set.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>

namespace prof::collect {
namespace {

constexpr std::size_t kMinSampleRingBytes = 64 * 1024;
constexpr std::size_t kRecordsPerRing = 32;
constexpr std::uint32_t kMinDumpBytes = 1024;
constexpr std::size_t kSampleHeaderBytes =
    512;  // what a record holds beside the stack dump, generously

// What read(2) on one event says about it; with PERF_FORMAT_GROUP it tells of the whole group.
perf::CounterValue ReadCounter(const OpenedEvent& event, std::uint64_t read_format) {
  std::array<std::uint64_t, 3 * 64> words{};  // 64 events are more than a group can hold
  const ssize_t size = ::read(event.fd.get(), words.data(), sizeof words);
  if (size <= 0) return {};
  const auto values = perf::ParseReadValues(
      std::span(words).first(static_cast<std::size_t>(size) / sizeof words[0]), read_format);
  if (!values) return {};
  for (const perf::CounterValue& counter : values->counters) {
    if (counter.id == event.id) return counter;
  }
  return {};
}

}  // namespace

RingPlan PlanRings(const AttrPlan& plan, const RecordOptions& options,
                   const perf::KernelLimits& limits, std::size_t cpus) {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  RingPlan rings;
  rings.side_band_bytes = limits.unlimited_mlock ? 512 * 1024 : 64 * 1024;
  if (options.ring_pages != 0) {
    rings.sample_bytes = std::bit_ceil(options.ring_pages) * page_bytes;
    rings.exact = true;
    return rings;
  }
  const bool many_cpus = cpus > 16;
  if (plan.dump_bytes == 0) {
    rings.sample_bytes = 1024 * 1024;
  } else {
    rings.sample_bytes = (many_cpus ? 4U : 8U) * 1024 * 1024;
  }
  return rings;
}

EventSet::EventSet(AttrPlan plan, const std::vector<int>& cpus, const perf::KernelLimits& limits,
                   const perf::KernelFeatures& features)
    : plan_(std::move(plan)),
      limits_(limits),
      features_(features),
      index_(plan_, SideBandAttr(features, false, false)) {
  for (const int cpu : cpus) rings_.emplace_back().cpu = cpu;
}

Result<UniqueFd> EventSet::OpenOwner(const perf_event_attr& attr, pid_t tid, int cpu) const {
  perf::OpenResult result = perf::OpenEvent(attr, tid, cpu);
  if (result.failure != perf::OpenFailure::kNone) {
    return std::unexpected(perf::ExplainOpenFailure(result, "", attr, tid, cpu, limits_));
  }
  return std::move(result.fd);
}

Status EventSet::TryRings(pid_t tid, const TaskOptions& options, std::size_t side_band_bytes,
                          std::size_t sample_bytes) {
  perf_event_attr side_band = SideBandAttr(features_, options.inherit, options.enable_on_exec);
  side_band.wakeup_watermark = static_cast<std::uint32_t>(side_band_bytes / 4);
  perf_event_attr owner = side_band;
  owner.mmap = owner.mmap2 = owner.comm = owner.comm_exec = owner.task = owner.build_id =
      owner.enable_on_exec = 0;
  owner.wakeup_watermark = static_cast<std::uint32_t>(sample_bytes / 8);
  for (CpuRings& cpu : rings_) {
    cpu.rings.clear();
    PROF_TRY_ASSIGN(cpu.side_band_fd, OpenOwner(side_band, tid, cpu.cpu));
    PROF_TRY_ASSIGN(perf::RingBuffer ring,
                    perf::RingBuffer::Map(cpu.side_band_fd.get(), side_band_bytes));
    cpu.rings.push_back(std::move(ring));
  }
  for (CpuRings& cpu : rings_) {
    PROF_TRY_ASSIGN(cpu.sample_fd, OpenOwner(owner, tid, cpu.cpu));
    PROF_TRY_ASSIGN(perf::RingBuffer ring,
                    perf::RingBuffer::Map(cpu.sample_fd.get(), sample_bytes));
    cpu.rings.push_back(std::move(ring));
  }
  return {};
}

void EventSet::FitDump(std::size_t sample_bytes) {
  const std::uint32_t wanted = plan_.dump_bytes;
  std::uint32_t dump = wanted;
  while (dump > kMinDumpBytes && sample_bytes / (dump + kSampleHeaderBytes) < kRecordsPerRing)
    dump = dump / 2 / 8 * 8;
  if (dump == wanted) return;
  SetDumpBytes(plan_, dump);
  plan_.notes.push_back("stack dumps shrunk from " + std::to_string(wanted) + " to " +
                        std::to_string(dump) + " bytes: the ring buffers are only " +
                        std::to_string(sample_bytes / 1024) +
                        " KB (kernel.perf_event_mlock_kb, ulimit -l)");
}

Status EventSet::OpenRings(pid_t tid, const TaskOptions& options, const RingPlan& plan) {
  if (tid != kEveryTask) PROF_TRY(OpenCpuTime(tid, options));
  std::size_t sample_bytes = plan.sample_bytes;
  for (;;) {
    Status status = TryRings(tid, options, plan.side_band_bytes, sample_bytes);
    if (status) break;
    const bool memory_limit =
        status.error().kind == ErrorKind::kPermission && !rings_.front().rings.empty();
    if (plan.exact || !memory_limit || sample_bytes <= kMinSampleRingBytes) return status;
    sample_bytes /= 2;
  }
  ring_task_ = tid;
  has_rings_ = true;
  for (const OpenedEvent& event : events_) {
    const auto at = std::ranges::find(rings_, event.cpu, &CpuRings::cpu);
    PROF_TRY(ShareRing(event.fd.get(), event.role, *at));
  }
  if (plan_.dump_bytes != 0) FitDump(sample_bytes);
  return {};
}

Status EventSet::ShareRing(int fd, EventRole role, const CpuRings& rings) {
  const int output =
      role == EventRole::kSampling ? rings.sample_fd.get() : rings.side_band_fd.get();
  if (::ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, output) != 0)
    return FailErrno(errno, "sharing a ring buffer");
  return {};
}

Status EventSet::OpenOne(const perf_event_attr& attr, const Opening& opening, CpuRings& rings) {
  perf::OpenResult result = perf::OpenEvent(attr, opening.tid, rings.cpu, opening.group_fd);
  perf_event_attr imprecise = attr;
  while (opening.role == EventRole::kSampling && plan_.events[opening.event].precise_max &&
         result.failure != perf::OpenFailure::kNone && imprecise.precise_ip > 0) {
    --imprecise.precise_ip;
    result = perf::OpenEvent(imprecise, opening.tid, rings.cpu, opening.group_fd);
  }
  if (result.failure != perf::OpenFailure::kNone) {
    const std::string name = opening.role == EventRole::kSampling
                                 ? plan_.events[opening.event].desc.name
                             : opening.role == EventRole::kCpuTime ? "task-clock"
                                                                   : "";
    return std::unexpected(
        perf::ExplainOpenFailure(result, name, attr, opening.tid, rings.cpu, limits_));
  }
  const int fd = result.fd.get();
  if (!rings.rings.empty()) PROF_TRY(ShareRing(fd, opening.role, rings));
  const std::string& filter = plan_.events[opening.event].filter;
  if (opening.role == EventRole::kSampling && !filter.empty() &&
      ::ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter.c_str()) != 0) {
    const std::string& name = plan_.events[opening.event].desc.name;
    std::string folder = name.substr(0, name.find(':', name.find(':') + 1));
    std::ranges::replace(folder, ':', '/');
    return Fail(ErrorKind::kUsage, "the kernel refuses the filter '" + filter + "' of " + name,
                "its fields: sudo cat /sys/kernel/tracing/events/" + folder + "/format");
  }
  OpenedEvent event{.fd = std::move(result.fd),
                    .role = opening.role,
                    .event = opening.event,
                    .origin = opening.tid,
                    .cpu = rings.cpu};
  if (::ioctl(fd, PERF_EVENT_IOC_ID, &event.id) != 0)
    return FailErrno(errno, "reading an event's id");
  index_.Add(event.id, {.event = event.event, .origin = event.origin});
  if (event.role == EventRole::kCpuTime)
    cpu_time_by_origin_[event.origin].push_back(events_.size());
  events_.push_back(std::move(event));
  return {};
}

Status EventSet::OpenSampling(pid_t tid, CpuRings& rings, bool enable_on_exec) {
  int leader_fd = -1;
  for (model::EventId id = 0; id < plan_.events.size(); ++id) {
    const PlannedEvent& event = plan_.events[id];
    perf_event_attr attr = event.attr;
    if (!enable_on_exec) attr.enable_on_exec = 0;
    const bool member = event.group >= 0 && !event.group_leader;
    PROF_TRY(OpenOne(attr, {EventRole::kSampling, id, tid, member ? leader_fd : -1}, rings));
    if (event.group_leader) leader_fd = events_.back().fd.get();
  }
  return {};
}

Status EventSet::OpenCpuTime(pid_t tid, const TaskOptions& options) {
  if (!options.inherit) return {};
  // The kernel switches between tasks whose events are clones by exchanging the events, so that a
  // thread may end with those of the task opened here, whose end is not reported. An event that no
  // child inherits makes the children's events clones of nobody.
  anchors_.push_back(
      perf::OpenEvent(SideBandAttr(features_, false, false), tid, rings_.front().cpu).fd);
  const perf_event_attr cpu_time = CpuTimeAttr(options.enable_on_exec);
  for (CpuRings& rings : rings_)
    PROF_TRY(OpenOne(cpu_time, {EventRole::kCpuTime, 0, tid, -1}, rings));
  return {};
}

Status EventSet::OpenTask(pid_t tid, const TaskOptions& options) {
  if (tid != ring_task_) PROF_TRY(OpenCpuTime(tid, options));
  const perf_event_attr side_band =
      SideBandAttr(features_, options.inherit, options.enable_on_exec);
  for (CpuRings& rings : rings_) {
    if (options.sampling) PROF_TRY(OpenSampling(tid, rings, options.enable_on_exec));
    if (tid != ring_task_ && ring_task_ != kEveryTask)
      PROF_TRY(OpenOne(side_band, {EventRole::kSideBand, 0, tid, -1}, rings));
  }
  return {};
}

Status EventSet::OpenCpuWide() {
  for (CpuRings& rings : rings_) PROF_TRY(OpenSampling(kEveryTask, rings, false));
  return {};
}

void EventSet::Control(EventRole role, bool enable) {
  const unsigned long request = enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  if (role == EventRole::kSideBand) {
    for (const CpuRings& rings : rings_) ::ioctl(rings.side_band_fd.get(), request, 0);
  }
  for (const OpenedEvent& event : events_) {
    if (event.role == role) ::ioctl(event.fd.get(), request, 0);
  }
}

std::uint64_t EventSet::LostSamples(int cpu) const {
  std::uint64_t lost = 0;
  for (const OpenedEvent& event : events_) {
    if (event.role == EventRole::kSampling && event.cpu == cpu)
      lost += ReadCounter(event, plan_.events[event.event].attr.read_format).lost;
  }
  return lost;
}

std::uint64_t EventSet::CpuTimeOf(pid_t origin) const {
  std::uint64_t total = 0;
  const auto it = cpu_time_by_origin_.find(origin);
  if (it == cpu_time_by_origin_.end()) return 0;
  const std::uint64_t read_format = CpuTimeAttr(false).read_format;
  for (const std::size_t index : it->second)
    total += ReadCounter(events_[index], read_format).value;
  return total;
}

}  // namespace prof::collect
