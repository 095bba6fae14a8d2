// A bounded queue and a thread in front of a sink that may block.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "prof/model/record_sink.h"

namespace prof::collect {

// How much of the queue is taken. What a reader may still hand over is decided by it before a
// sample is interned; a record that was appended is never refused.
enum class QueueState : std::uint8_t {
  kOpen,
  kNearlyFull,  // three quarters: samples should come without their stacks
  kFull,        // samples should be dropped
};

// One thread at a time calls Append() and Flush(); the inner sink is called by the queue's own
// thread, which starts with the first batch, and after Finish() by the caller's. The bound holds
// for what QueueState is asked about: definitions of samples accepted before, and losses, are taken
// in any case.
class QueuedSink final : public model::RecordSink {
 public:
  QueuedSink(model::RecordSink& inner, std::size_t limit_bytes);
  ~QueuedSink() override;
  QueuedSink(const QueuedSink&) = delete;
  QueuedSink& operator=(const QueuedSink&) = delete;

  // Never blocks. An error of the inner sink comes back from the first call after it; what was
  // queued behind the refused record is gone.
  [[nodiscard]] Status Append(const model::Record& record) override;
  [[nodiscard]] Status Flush() override;
  // Waits until the inner sink has everything, and ends the thread. May block as long as the inner
  // sink does.
  [[nodiscard]] Status Finish();
  // Any thread.
  [[nodiscard]] QueueState state() const;

 private:
  // Records in order, the two frequent kinds without the size of a variant.
  struct Batch {
    enum class Kind : std::uint8_t { kSample, kNode, kOther, kFlush };
    struct Run {
      Kind kind;
      std::size_t count;
    };
    std::vector<Run> runs;
    std::vector<model::Sample> samples;
    std::vector<model::StackNodeDef> nodes;
    std::vector<model::Record> others;
    std::size_t bytes = 0;
  };
  static void Extend(Batch& batch, Batch::Kind kind, std::size_t bytes);
  void HandOver();
  void Write();
  [[nodiscard]] Status WriteBatch(const Batch& batch);
  [[nodiscard]] Status error() const;

  model::RecordSink& inner_;
  const std::size_t limit_bytes_;
  Batch open_;                          // of the appending thread
  bool finished_ = false;               // of the appending thread
  std::atomic<std::size_t> bytes_ = 0;  // handed over or open, not yet in the inner sink
  std::atomic<bool> failed_ = false;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Batch> queue_;
  Status status_;  // of the inner sink; written by the queue's thread
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace prof::collect
