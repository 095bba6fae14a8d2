// Everything that was counted, run by run: what the record stream of `prof stat` comes to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prof/base/result.h"
#include "prof/model/record_sink.h"

namespace prof::analysis::counts {

// Readings of one event that belong together, raw and added up.
struct Count {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint32_t parts = 0;  // readings added up: CPUs, threads

  [[nodiscard]] bool WasCounted() const { return running_ns != 0; }
  // The share of the enabled time in which the event had a counter, 0 to 1.
  [[nodiscard]] double CountedShare() const {
    if (running_ns >= enabled_ns) return running_ns == 0 ? 0 : 1;
    return static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
  }
  // The whole value, from the part of the time that was counted: value x enabled / running.
  [[nodiscard]] double Scaled() const {
    return running_ns == 0 ? 0 : static_cast<double>(value) / CountedShare();
  }
  // Sums that damaged input takes beyond 2^64 stay at the largest number.
  Count& operator+=(const Count& other);
  bool operator==(const Count&) const = default;
};

struct Thread {
  std::uint32_t pid = 0;  // 0: not known
  std::uint32_t tid = 0;
  std::string comm;
};

// The place of a reading: a CPU, or a thread, or neither.
struct Place {
  std::uint32_t cpu = model::kUnknownCpu;
  model::ThreadId thread = model::kUnknownThread;
  auto operator<=>(const Place&) const = default;
};

struct Run {
  model::RunDef def;
  // Index: EventId; the latest readings. May be shorter than the events.
  std::vector<std::map<Place, Count>> counts;
  // The largest known time of its readings.
  std::uint64_t latest_ns = model::kUnknownTime;

  // All places together.
  [[nodiscard]] Count Total(model::EventId event) const;
  // None for events without readings.
  [[nodiscard]] const std::map<Place, Count>& At(model::EventId event) const;
};

struct RunSet {
  std::optional<model::RecordingInfo> info;
  std::vector<model::EventDesc> events;  // index: EventId
  std::vector<model::SideDef> sides;     // index: SideDef::id
  std::vector<model::MetricDef> metrics;
  std::vector<Thread> threads;  // index: ThreadId
  std::vector<Run> runs;        // those whose RunDef came, in order of execution
  std::optional<model::RecordingEnd> end;
  std::uint64_t losses = 0;  // of records, from a damaged file

  [[nodiscard]] std::vector<const Run*> RunsOf(std::uint32_t side) const;
};

// The sink. Runs may be looked at while more are appended (one thread). Records of samples are
// ignored; nothing that is appended can break it: readings of unknown or refused events, of unknown
// threads and sides, and what comes twice are counted in `losses`. Of several readings of one run,
// event and place the one with the largest time counts, of those without a time the last one.
class RunSetBuilder final : public model::RecordSink {
 public:
  Status Append(const model::Record& record) override;
  [[nodiscard]] const RunSet& runs() const { return runs_; }
  // The readings of a run whose RunDef has not come yet (an interval of a run that goes on), oldest
  // run first; none: null.
  [[nodiscard]] const Run* current() const;

 private:
  // When each reading was taken, beside Run::counts.
  using Times = std::vector<std::map<Place, std::uint64_t>>;

  void Lose(std::uint64_t records = 1);
  void AddProcess(const model::ProcessDef& process);
  void AddThread(const model::ThreadDef& thread);
  void AddRun(const model::RunDef& def);
  void AddReading(const model::CounterReading& reading);
  template <class Definition>
  bool IsNext(const Definition& definition, std::size_t known);

  RunSet runs_;
  std::map<std::uint32_t, Run> open_;            // by RunDef::run
  std::map<std::uint32_t, Times> times_;         // of all runs
  std::map<std::uint32_t, std::uint32_t> pids_;  // by ProcessId, of this epoch
  std::size_t epoch_threads_ = 0;                // the index of this epoch's thread 0
};

}  // namespace prof::analysis::counts
