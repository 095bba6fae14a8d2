// Samples copied out of a ring that fills faster than it can be unwound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "collect/target_state.h"

#include "prof/perf/record_decoder.h"

namespace prof::collect {

// The stack bytes kept of such a sample: most stacks are shorter.
inline constexpr std::size_t kQueuedStackBytes = 8 * 1024;

struct QueuedSample {
  perf::SampleRecord sample;  // its spans borrow from `words`
  const IndexedEvent* event = nullptr;
  SampleContext context;
  std::unique_ptr<std::uint64_t[]> words;
  std::size_t bytes = 0;
};

// First in, first out, bounded by memory. Keeps what unwinding needs: call chain, registers, at
// most 8 KB of stack, and the address space of the sample's moment. Belongs to one reader.
class OverflowQueue {
 public:
  explicit OverflowQueue(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // False when there is no room; then `context` is as before.
  [[nodiscard]] bool Push(const perf::SampleRecord& sample, const IndexedEvent& event,
                          SampleContext& context);
  [[nodiscard]] bool empty() const { return samples_.empty(); }
  [[nodiscard]] const QueuedSample& front() const { return samples_.front(); }
  void Pop();
  [[nodiscard]] std::uint64_t cut() const { return cut_; }      // lost stack bytes on the way in
  [[nodiscard]] std::uint64_t taken() const { return taken_; }  // all that went through

 private:
  std::size_t limit_bytes_;
  std::size_t bytes_ = 0;
  std::deque<QueuedSample> samples_;
  std::uint64_t cut_ = 0, taken_ = 0;
};

}  // namespace prof::collect
