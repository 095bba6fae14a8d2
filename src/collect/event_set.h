// All opened events of a recording with their rings.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collect/attr_plan.h"
#include "collect/event_index.h"

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/perf/event_open.h"
#include "prof/perf/record_decoder.h"
#include "prof/perf/ring_buffer.h"

namespace prof::collect {

enum class EventRole : std::uint8_t { kSampling, kSideBand, kCpuTime };

struct OpenedEvent {
  UniqueFd fd;
  EventRole role = EventRole::kSampling;
  model::EventId event = 0;  // kSampling only
  pid_t origin = kEveryTask;
  int cpu = 0;
  std::uint64_t id = 0;  // PERF_EVENT_IOC_ID
};

// How large the rings of each CPU may be.
struct RingPlan {
  std::size_t sample_bytes = 0;  // wanted; a power of two
  std::size_t side_band_bytes = 0;
  bool exact = false;  // the user's -m: do not shrink
};

struct CpuRings {
  int cpu = 0;
  UniqueFd side_band_fd;  // owner of the side-band ring, itself the first task's side-band event
  UniqueFd sample_fd;  // owner of the sample ring: a dummy event, so that the ring is there before
                       // the dump size is decided
  std::vector<perf::RingBuffer> rings;  // [0] side-band, [1] samples
  [[nodiscard]] perf::RingBuffer& side_band() { return rings[0]; }
  [[nodiscard]] perf::RingBuffer& samples() { return rings[1]; }
};

// Opens events and redirects them to one side-band and one sample ring per CPU. Owned by the
// session, one thread. Steps: OpenRings once, then OpenTask for each task and OpenCpuWide where
// wanted, then Enable.
class EventSet {
 public:
  EventSet(AttrPlan plan, const std::vector<int>& cpus, const perf::KernelLimits& limits,
           const perf::KernelFeatures& features);

  struct TaskOptions {
    bool sampling = true;  // false: the events of the CPUs sample, only CPU time is counted
    bool inherit = true;
    bool enable_on_exec = false;
  };
  // Opens the CPU time and side-band events of `tid` (or of whole CPUs: kEveryTask) and maps both
  // rings of every CPU: side-band first, the samples' shrunk until the kernel's memory limit allows
  // them, then the stack dump until a sample ring holds 32 records.
  Status OpenRings(pid_t tid, const TaskOptions& options, const RingPlan& plan);
  [[nodiscard]] bool has_rings() const { return has_rings_; }
  // Sampling events of one task on every CPU, and its CPU time and side-band events unless
  // OpenRings did that. kNotFound: the task is gone.
  Status OpenTask(pid_t tid, const TaskOptions& options);
  // Sampling events of whole CPUs.
  Status OpenCpuWide();

  void Enable(EventRole role) { Control(role, true); }
  void Disable(EventRole role) { Control(role, false); }

  [[nodiscard]] const EventIndex& index() const { return index_; }
  [[nodiscard]] std::vector<CpuRings>& rings() { return rings_; }
  [[nodiscard]] const std::vector<CpuRings>& rings() const { return rings_; }
  [[nodiscard]] const AttrPlan& plan() const { return plan_; }
  [[nodiscard]] bool exact_losses() const { return features_.read_lost; }
  // Samples the kernel could not write into one CPU's ring, read from the events (Linux 6.0).
  [[nodiscard]] std::uint64_t LostSamples(int cpu) const;
  // CPU time counted for the task `origin` and its children.
  [[nodiscard]] std::uint64_t CpuTimeOf(pid_t origin) const;

 private:
  struct Opening {
    EventRole role;
    model::EventId event;
    pid_t tid;
    int group_fd;
  };
  Status TryRings(pid_t tid, const TaskOptions& options, std::size_t side_band_bytes,
                  std::size_t sample_bytes);
  // The counters of a task's CPU time, before any other event of that task (see CpuTimeAttr).
  Status OpenCpuTime(pid_t tid, const TaskOptions& options);
  static Status ShareRing(int fd, EventRole role, const CpuRings& rings);
  void FitDump(std::size_t sample_bytes);
  Status OpenSampling(pid_t tid, CpuRings& rings, bool enable_on_exec);
  Status OpenOne(const perf_event_attr& attr, const Opening& opening, CpuRings& rings);
  Result<UniqueFd> OpenOwner(const perf_event_attr& attr, pid_t tid, int cpu) const;
  void Control(EventRole role, bool enable);

  AttrPlan plan_;
  std::vector<CpuRings> rings_;  // one per CPU
  bool has_rings_ = false;
  pid_t ring_task_ = kEveryTask;  // whose side-band OpenRings opened
  perf::KernelLimits limits_;
  perf::KernelFeatures features_;
  std::vector<OpenedEvent> events_;
  std::vector<UniqueFd> anchors_;  // see OpenCpuTime; nothing is read from them
  EventIndex index_;
  std::unordered_map<pid_t, std::vector<std::size_t>> cpu_time_by_origin_;
};

// Ring sizes from the dump size, the privileges and the user's -m.
RingPlan PlanRings(const AttrPlan& plan, const RecordOptions& options,
                   const perf::KernelLimits& limits, std::size_t cpus);

}  // namespace prof::collect
