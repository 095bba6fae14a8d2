// Hands batches of records to the thread that writes them.
#include "collect/queued_sink.h"

#include <tuple>
#include <utility>
#include <variant>

#include "collect/start_thread.h"

namespace prof::collect {
namespace {

// Large enough that a handover costs nothing per record, small enough that the writer keeps pace.
constexpr std::size_t kBatchBytes = 64 * 1024;

}  // namespace

QueuedSink::QueuedSink(model::RecordSink& inner, std::size_t limit_bytes)
    : inner_(inner), limit_bytes_(limit_bytes) {}

QueuedSink::~QueuedSink() {
  if (!finished_) std::ignore = Finish();
}

QueueState QueuedSink::state() const {
  const std::size_t bytes = bytes_.load(std::memory_order_relaxed);
  if (bytes >= limit_bytes_) return QueueState::kFull;
  return bytes >= limit_bytes_ / 4 * 3 ? QueueState::kNearlyFull : QueueState::kOpen;
}

void QueuedSink::Extend(Batch& batch, Batch::Kind kind, std::size_t bytes) {
  if (batch.runs.empty() || batch.runs.back().kind != kind) batch.runs.push_back({kind, 0});
  ++batch.runs.back().count;
  batch.bytes += bytes;
}

Status QueuedSink::error() const {
  const std::scoped_lock lock(mutex_);
  return status_;
}

Status QueuedSink::Append(const model::Record& record) {
  if (finished_) return inner_.Append(record);
  if (failed_.load(std::memory_order_relaxed)) return error();
  const std::size_t before = open_.bytes;
  if (const auto* sample = std::get_if<model::Sample>(&record)) {
    open_.samples.push_back(*sample);
    Extend(open_, Batch::Kind::kSample, sizeof *sample);
  } else if (const auto* node = std::get_if<model::StackNodeDef>(&record)) {
    open_.nodes.push_back(*node);
    Extend(open_, Batch::Kind::kNode, sizeof *node);
  } else {
    open_.others.push_back(record);
    Extend(open_, Batch::Kind::kOther, sizeof record);
  }
  bytes_.fetch_add(open_.bytes - before, std::memory_order_relaxed);
  if (open_.bytes >= kBatchBytes) HandOver();
  return {};
}

Status QueuedSink::Flush() {
  if (finished_) return inner_.Flush();
  Extend(open_, Batch::Kind::kFlush, 0);
  HandOver();
  return failed_.load(std::memory_order_relaxed) ? error() : Status{};
}

void QueuedSink::HandOver() {
  Batch batch = std::exchange(open_, {});
  Status started;
  if (!thread_.joinable()) started = StartThread(thread_, [this] { Write(); });
  {
    const std::scoped_lock lock(mutex_);
    if (!started) {
      status_ = std::move(started);
      failed_.store(true, std::memory_order_relaxed);
      return;
    }
    queue_.push_back(std::move(batch));
  }
  changed_.notify_one();
}

Status QueuedSink::Finish() {
  if (finished_) return status_;
  HandOver();
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  finished_ = true;
  return status_;
}

// The queue's thread.
void QueuedSink::Write() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !queue_.empty() || ending_; });
    if (queue_.empty()) return;
    const Batch batch = std::move(queue_.front());
    queue_.pop_front();
    if (status_) {
      lock.unlock();
      Status status = WriteBatch(batch);
      lock.lock();
      if (!status) {
        status_ = std::move(status);
        failed_.store(true, std::memory_order_relaxed);
      }
    }
    bytes_.fetch_sub(batch.bytes, std::memory_order_relaxed);
  }
}

Status QueuedSink::WriteBatch(const Batch& batch) {
  auto sample = batch.samples.begin();
  auto node = batch.nodes.begin();
  auto other = batch.others.begin();
  for (const Batch::Run& run : batch.runs) {
    for (std::size_t i = 0; i < run.count; ++i) {
      switch (run.kind) {
        case Batch::Kind::kSample:
          PROF_TRY(inner_.Append(*sample++));
          break;
        case Batch::Kind::kNode:
          PROF_TRY(inner_.Append(*node++));
          break;
        case Batch::Kind::kOther:
          PROF_TRY(inner_.Append(*other++));
          break;
        case Batch::Kind::kFlush:
          PROF_TRY(inner_.Flush());
          break;
      }
    }
  }
  return {};
}

}  // namespace prof::collect
