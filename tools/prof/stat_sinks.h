// What the records of a counting session pass on their way: a second consumer, the runs that do
// not count, the intervals to print.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "prof/analysis/counts/run_set.h"
#include "prof/analysis/counts/stat_report.h"
#include "prof/base/result.h"
#include "prof/model/record_sink.h"

namespace prof::tools {

// Everything goes to both; the first error is passed on.
class TeeSink final : public model::RecordSink {
 public:
  TeeSink(model::RecordSink& first, model::RecordSink* second) : first_(first), second_(second) {}
  Status Append(const model::Record& record) override;
  Status Flush() override;

 private:
  model::RecordSink& first_;
  model::RecordSink* second_;  // may be null
};

// Holds back the RunDef of runs that failed, so that the results so far are those of whole runs:
// readings without one count for nothing.
class WholeRunsSink final : public model::RecordSink {
 public:
  explicit WholeRunsSink(model::RecordSink& next) : next_(next) {}
  Status Append(const model::Record& record) override;
  Status Flush() override { return next_.Flush(); }

 private:
  model::RecordSink& next_;
};

// Builds the runs, and hands a report to `print` whenever an interval ends: at each Flush, and at
// the end of the run where more has been counted since.
class IntervalSink final : public model::RecordSink {
 public:
  using Print = std::function<Status(const analysis::counts::StatReport&)>;
  IntervalSink(analysis::counts::RunSetBuilder& builder,
               analysis::counts::StatReportOptions options, Print print)
      : builder_(builder), options_(std::move(options)), print_(std::move(print)) {}
  Status Append(const model::Record& record) override;
  Status Flush() override;

 private:
  // Whether `run` has readings that were not printed.
  [[nodiscard]] bool IsNew(const analysis::counts::Run& run) const;
  Status PrintUntil(const analysis::counts::Run& now, double until_s);

  analysis::counts::RunSetBuilder& builder_;
  analysis::counts::StatReportOptions options_;
  Print print_;
  std::uint64_t began_ns_ = 0;    // about: when the counters had been opened
  std::uint64_t printed_ns_ = 0;  // Run::latest_ns of what was printed last
  std::optional<analysis::counts::Run> before_;
};

}  // namespace prof::tools
