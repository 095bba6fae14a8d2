// A RecordSink that keeps everything.
#pragma once

#include <variant>
#include <vector>

#include "prof/model/record_sink.h"

namespace prof::test {

class VectorSink final : public model::RecordSink {
 public:
  Status Append(const model::Record& record) override {
    records.push_back(record);
    return {};
  }
  template <class T>
  [[nodiscard]] std::vector<T> All() const {
    std::vector<T> result;
    for (const auto& record : records) {
      if (const auto* value = std::get_if<T>(&record)) result.push_back(*value);
    }
    return result;
  }
  std::vector<model::Record> records;
};

}  // namespace prof::test
