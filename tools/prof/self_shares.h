// Which modules of a recording are worth a download.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "prof/model/record_sink.h"

namespace prof::tools {

// Passes records on and counts the samples whose innermost frame is in each module.
class SelfShares final : public model::RecordSink {
 public:
  explicit SelfShares(model::RecordSink& next) : next_(next) {}

  Status Append(const model::Record& record) override;
  Status Flush() override { return next_.Flush(); }
  // Of all samples so far, 0 to 1.
  [[nodiscard]] double Of(const model::Module& module) const;

 private:
  static constexpr std::uint32_t kNoCount = ~std::uint32_t{0};

  model::RecordSink& next_;
  std::map<model::Module, std::uint32_t> index_;  // into counts_
  std::vector<std::uint64_t> counts_;
  std::uint64_t samples_ = 0;
  std::vector<std::uint32_t> modules_;  // of this epoch: index into counts_, by ModuleId
  std::vector<std::uint32_t> leaves_;   // of this epoch: index into counts_, by StackId
};

}  // namespace prof::tools
