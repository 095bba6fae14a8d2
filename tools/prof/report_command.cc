// prof report: reads a profile and prints its tables, or the counts of prof stat --save.
#include <cstdio>
#include <string>

#include "command.h"
#include "profile_input.h"
#include "report_options.h"
#include "saved_counts.h"
#include "standard_output.h"

#include "prof/analysis/counts/run_set.h"
#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"
#include "prof/report/header_report.h"
#include "prof/report/json_report.h"
#include "prof/report/report_data.h"
#include "prof/report/text_report.h"
#include "prof/store/reader.h"

namespace prof::tools {
namespace {

constexpr int kIntervalWidth = 100;  // terminals this wide show the interval column

// Counts what passes on its way into the profile, and keeps what prof stat counted.
class CountingSink final : public model::RecordSink {
 public:
  Status Append(const model::Record& record) override {
    counts_.Add(record);
    PROF_TRY(runs_.Append(record));
    return builder_.Append(record);
  }
  analysis::Profile Build() { return builder_.Build(); }
  [[nodiscard]] const report::RecordCounts& counts() const { return counts_; }
  [[nodiscard]] const analysis::counts::RunSetBuilder& runs() const { return runs_; }
  // A file of prof stat --save: its runs stand in place of a profile.
  [[nodiscard]] bool HasCountsAlone() const {
    return counts_.samples.empty() && !runs_.runs().runs.empty();
  }

 private:
  analysis::ProfileBuilder builder_;
  analysis::counts::RunSetBuilder runs_;
  report::RecordCounts counts_;
};

// What a terminal gets and a pipe does not: width, colour, the interval column.
void AdaptToTerminal(ReportOptions& options) {
  options.text.color = WantsColor(options.color);
  if (!WritesToTerminal()) return;
  options.text.width = TerminalWidth();
  if (options.text.width >= kIntervalWidth && options.text.separator.empty())
    options.text.interval = true;
}

// Why a recording has no samples, in one line.
std::string EmptyText(const report::ReportData& data, const CountingSink& read) {
  std::string why = "no event was met by what was recorded";
  const bool clock =
      data.events.empty() || data.events.front().unit == model::EventUnit::kNanoseconds;
  const bool by_period =
      !data.events.empty() && data.events.front().mode == model::SamplingMode::kPeriod;
  for (const analysis::LossTotal& loss : data.honesty.losses) {
    if (loss.count > 0 && loss.cause == model::LossCause::kKernelRing)
      why = "all samples were lost, as said above";
  }
  if (read.runs().current() != nullptr) {
    why = "prof stat wrote it, and did not finish a run";
  } else if (!data.end) {
    why = "the file is cut before its first samples";
  } else if (clock && data.end->target_cpu_ns > 0) {
    why = "the target used " + std::to_string(data.end->target_cpu_ns / 1000) +
          " us of CPU time, too little to be sampled (record with a " +
          (by_period ? "smaller -c)" : "higher -F)");
  } else if (clock) {
    why = "nothing that was recorded used CPU time";
  }
  return "# " + data.file.name + " has no samples: " + why + "\n";
}

Result<std::string> Render(analysis::Profile& profile, const store::ReadSummary& summary,
                           const CountingSink& read, ReportOptions& options) {
  if (!options.header_only && !options.stats)
    PROF_TRY(ResolveSymbols(profile, {.command = "report",
                                      .debuginfod = options.debuginfod,
                                      .inlines = options.table.inlines,
                                      .quiet = options.text.quiet}));
  report::ReportData data = report::CollectFacts(profile);
  data.file = FactsOf(options.input, summary);
  data.filters = options.filters;
  data.sort = options.table.sort;
  if (options.header_only) return report::RenderHeader(data);
  if (options.stats) return report::RenderStats(read.counts(), data);

  if (read.HasCountsAlone()) {
    PROF_TRY_ASSIGN(std::string text, RenderSavedCounts(read.runs().runs(), data.file, options));
    return options.header && !options.json ? report::RenderHeader(data) + text : text;
  }

  const auto [begin, end] = SpanOf(profile);
  const auto [from, to] = ResolveTimeRange(options.time, begin, end);
  options.table.filter.time_begin_ns = from;
  options.table.filter.time_end_ns = to;
  PROF_TRY_ASSIGN(data.tables, analysis::BuildTables(profile, options.table));
  if (options.json) return report::RenderJson(data);
  std::string text = options.header ? report::RenderHeader(data) : std::string();
  if (data.samples == 0) data.tables.clear();
  text += report::RenderText(data, options.text);
  if (data.samples == 0) text += EmptyText(data, read);
  return text;
}

Status Report(ReportOptions& options) {
  CountingSink sink;
  PROF_TRY_ASSIGN(const store::ReadSummary summary, ReplayInput(options.input, sink));
  if (options.verbose) {
    std::fprintf(stderr, "prof report: %s: %llu blocks, %llu bytes\n", options.input.c_str(),
                 static_cast<unsigned long long>(summary.blocks),
                 static_cast<unsigned long long>(summary.bytes));
  }
  analysis::Profile profile = sink.Build();
  PROF_TRY_ASSIGN(const std::string text, Render(profile, summary, sink, options));
  return WriteOutput(text, "report");
}

}  // namespace

int ReportMain(const std::vector<std::string>& args) {
  auto options = ParseReportOptions(args);
  if (!options) return options.error();
  AdaptToTerminal(*options);
  if (const Status status = Report(*options); !status) return PrintError("report", status.error());
  return 0;
}

}  // namespace prof::tools
