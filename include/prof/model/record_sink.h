// Where records go.
#pragma once

#include <span>
#include <variant>

#include "prof/base/result.h"
#include "prof/model/record.h"

namespace prof::model {

// Contract: one thread at a time calls Append(), in stream order (record.h); the sink may block (a
// slow disk) and may refuse by returning an error, after which the source stops and passes the
// error on. The record belongs to the caller before and after the call: a sink copies what it
// keeps.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  [[nodiscard]] virtual Status Append(const Record& record) = 0;
  // Samples that follow each other in the stream: the same as appending one after the other, for
  // sinks that are quicker with many.
  [[nodiscard]] virtual Status AppendSamples(std::span<const Sample> samples) {
    Record record = Sample{};
    for (const Sample& sample : samples) {
      std::get<Sample>(record) = sample;
      PROF_TRY(Append(record));
    }
    return {};
  }
  // Live sources call it about once a second: what was appended should become visible to whoever
  // reads along.
  [[nodiscard]] virtual Status Flush() { return {}; }
};

}  // namespace prof::model
