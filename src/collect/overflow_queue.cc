// Copies the parts of a sample that unwinding reads.
#include "collect/overflow_queue.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace prof::collect {

bool OverflowQueue::Push(const perf::SampleRecord& sample, const IndexedEvent& event,
                         SampleContext& context) {
  const auto stack = sample.user_stack.first(std::min(sample.user_stack.size(), kQueuedStackBytes));
  const std::size_t numbers = sample.callchain.size() + sample.user_registers.size();
  const std::size_t words = numbers + (stack.size() + 7) / 8;
  const std::size_t bytes = sizeof(QueuedSample) + 8 * words;
  if (bytes_ + bytes > limit_bytes_) return false;

  QueuedSample queued{.sample = sample,
                      .event = &event,
                      .context = std::move(context),
                      .words = std::make_unique_for_overwrite<std::uint64_t[]>(words),
                      .bytes = bytes};
  std::uint64_t* chain = queued.words.get();
  std::uint64_t* registers = std::ranges::copy(sample.callchain, chain).out;
  std::uint64_t* behind = std::ranges::copy(sample.user_registers, registers).out;
  if (!stack.empty()) std::memcpy(behind, stack.data(), stack.size());
  perf::SampleRecord& kept = queued.sample;
  kept.callchain = {chain, sample.callchain.size()};
  kept.user_registers = {registers, sample.user_registers.size()};
  kept.user_stack = {reinterpret_cast<const std::byte*>(behind), stack.size()};
  kept.read_values = kept.branches = kept.intr_registers = {};  // nobody reads them later
  kept.raw = kept.aux = {};
  samples_.push_back(std::move(queued));
  bytes_ += bytes;
  ++taken_;
  cut_ += stack.size() < sample.user_stack.size() ? 1 : 0;
  return true;
}

void OverflowQueue::Pop() {
  bytes_ -= samples_.front().bytes;
  samples_.pop_front();
}

}  // namespace prof::collect
