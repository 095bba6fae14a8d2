// `--header` and `--stats`: what was recorded where, and how many records of each kind a file has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "prof/model/record.h"
#include "prof/report/report_data.h"

namespace prof::report {

// Records by index in model::Record's alternatives, and samples by event.
struct RecordCounts {
  std::vector<std::uint64_t> by_kind =
      std::vector<std::uint64_t>(std::variant_size_v<model::Record>);
  std::map<model::EventId, std::uint64_t> samples;
  void Add(const model::Record& record);
};

// Comment lines, "# hostname : box" as in perf.
std::string RenderHeader(const ReportData& data);
std::string RenderStats(const RecordCounts& counts, const ReportData& data);

}  // namespace prof::report
