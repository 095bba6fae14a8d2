// The samples of a recording put through the recorder's own reader, over a ring in memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/perf_data.h"

#include "prof/base/result.h"

namespace prof::bench {

// How far samples go.
enum class Depth : std::uint8_t {
  kShed,    // all but the unwinding: as under pressure, with pc and kernel chain
  kStream,  // to the record stream
  kStore,   // through the queue and its thread into a file that keeps nothing
};

struct ReplayResult {
  std::uint64_t samples = 0;
  std::uint64_t complete = 0;  // of those unwound
  std::uint64_t frames = 0;    // of all stacks, kernel frames included; not with kStore
  std::uint64_t nodes = 0;     // new ones; not with kStore
  double seconds = 0;          // CPU time of reading, and of the queue's thread
};

// The process of a recording (`perf record --call-graph dwarf,BYTES`) that has most samples, those
// after its last exec, as the kernel writes them for prof.
class RecordedSamples {
 public:
  // kUnsupported when no sample has a stack copy.
  static Result<RecordedSamples> Read(const std::string& path);

  // Builds a reader and gives it all samples `rounds` times, in order, through a ring of 4 MB that
  // is full at each pass. Putting samples there is not counted.
  [[nodiscard]] Result<ReplayResult> Replay(Depth depth, std::size_t rounds) const;

  [[nodiscard]] std::size_t size() const { return samples_.size(); }
  [[nodiscard]] std::uint32_t dump_bytes() const { return dump_bytes_; }

 private:
  explicit RecordedSamples(test::PerfData data) : data_(std::move(data)) {}
  void Encode(const perf::SampleRecord& sample, std::uint64_t regs_user);

  test::PerfData data_;
  std::uint32_t dump_bytes_ = 0;
  std::vector<std::vector<std::uint64_t>> samples_;  // whole records, header included
};

}  // namespace prof::bench
