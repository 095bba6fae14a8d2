// Collects the definitions and data of one epoch into data blocks.
#pragma once

#include <cstdint>

#include "store/schema.h"
#include "store/string_table.h"
#include "store/table.h"

#include "prof/base/byte_writer.h"
#include "prof/model/record.h"

namespace prof::store {

// Used by the writer for one block after the other. Strings stay known until BeginEpoch().
class DataBlockBuilder {
 public:
  void Add(const model::ModuleDef& def);
  void Add(const model::ProcessDef& def);
  void Add(const model::ThreadDef& def);
  void Add(const model::ThreadRename& rename);
  void Add(const model::StackNodeDef& def);
  void Add(const model::Sample& sample) {
    samples_.Add<schema::Samples::kCount>({sample.cpu, sample.event, sample.thread, sample.time_ns,
                                           sample.weight, sample.count, sample.stack});
    raw_estimate_ += kSampleEstimate;
    fullest_ = samples_.rows() > fullest_ ? samples_.rows() : fullest_;
  }
  void Add(const model::Loss& loss);
  void Add(const model::Slice& slice);
  void Add(const model::CounterReading& reading);

  [[nodiscard]] bool IsFull(std::size_t block_bytes) const {
    return raw_estimate_ + strings_.pending_bytes() >= block_bytes || fullest_ >= kMaxRows ||
           strings_.HasMuchText();
  }
  [[nodiscard]] std::uint32_t samples() const {
    return static_cast<std::uint32_t>(samples_.rows());
  }
  // Of the samples with a known time; kUnknownTime when there are none.
  struct TimeRange {
    std::uint64_t begin = model::kUnknownTime;
    std::uint64_t end = model::kUnknownTime;
  };
  [[nodiscard]] TimeRange SampleTimes() const;
  // Appends the payload and forgets all rows.
  void Encode(ByteWriter& out);
  // Forgets the strings; call between blocks only.
  void BeginEpoch() { strings_.Clear(); }

 private:
  static constexpr std::size_t kSampleEstimate = 8;
  static constexpr std::size_t kNodeEstimate = 7;
  static constexpr std::size_t kOtherEstimate = 24;
  void Count(const TableBuilder& table, std::size_t estimate);

  StringInterner strings_;
  TableBuilder modules_{Section::kModules, schema::Modules::kSpec};
  TableBuilder processes_{Section::kProcesses, schema::Processes::kSpec};
  TableBuilder threads_{Section::kThreads, schema::Threads::kSpec};
  TableBuilder renames_{Section::kRenames, schema::Renames::kSpec};
  TableBuilder nodes_{Section::kNodes, schema::Nodes::kSpec};
  TableBuilder samples_{Section::kSamples, schema::Samples::kSpec};
  TableBuilder losses_{Section::kLosses, schema::Losses::kSpec};
  TableBuilder slices_{Section::kSlices, schema::Slices::kSpec};
  TableBuilder counters_{Section::kCounters, schema::Counters::kSpec};
  std::size_t raw_estimate_ = 0;
  std::size_t fullest_ = 0;  // rows of the largest table
};

}  // namespace prof::store
