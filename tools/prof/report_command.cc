// prof report: reads a profile and prints its tables, or the counts of prof stat --save.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "command.h"
#include "report_options.h"
#include "saved_counts.h"
#include "standard_output.h"

#include "prof/analysis/counts/run_set.h"
#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"
#include "prof/base/host_fs.h"
#include "prof/report/header_report.h"
#include "prof/report/json_report.h"
#include "prof/report/report_data.h"
#include "prof/report/text_report.h"
#include "prof/store/reader.h"
#include "prof/symbols/symbolizer.h"

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
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const bool may_color = no_color == nullptr || *no_color == '\0';
  options.text.color = options.color == ColorMode::kAlways ||
                       (options.color == ColorMode::kAuto && terminal && may_color);
  if (!terminal) return;
  options.text.width = TerminalWidth();
  if (options.text.width >= kIntervalWidth && options.text.separator.empty())
    options.text.interval = true;
}

// Symbols that the file lacks come from this machine; the kernel's only while it is the one that
// was recorded.
Status ResolveSymbols(analysis::Profile& profile, const ReportOptions& report) {
  symbols::SymbolizerOptions options{.cache_dir = SymbolCacheDir()};
  PROF_TRY(ApplyDebuginfod(report.debuginfod, "report",
                           !report.text.quiet && isatty(STDERR_FILENO) == 1, options));
  if (!profile.NeedsSymbols() && !options.debuginfod) return {};
  options.inlines = report.table.inlines;
  const auto boot_id = HostFs().ReadLine("/proc/sys/kernel/random/boot_id");
  options.running_kernel = boot_id.has_value() && *boot_id == profile.info().boot_id;
  const bool progress = options.debuginfod && options.debuginfod->progress;
  symbols::Symbolizer symbolizer(std::move(options));
  profile.Symbolize(symbolizer);
  if (progress) std::fputs("\r\033[K", stderr);
  if (!report.text.quiet) PrintDebuginfodCounts("report", symbolizer);
  return {};
}

// First and last moment of the recording.
std::pair<std::uint64_t, std::uint64_t> Span(const analysis::Profile& profile) {
  std::uint64_t begin = model::kUnknownTime;
  std::uint64_t end = 0;
  for (const model::Sample& sample : profile.samples()) {
    if (sample.time_ns == model::kUnknownTime) continue;
    begin = std::min(begin, sample.time_ns);
    end = std::max(end, sample.time_ns);
  }
  if (profile.has_end() && profile.end().sampling_end_ns > 0) {
    begin = std::min(begin, profile.end().sampling_begin_ns);
    end = std::max(end, profile.end().sampling_end_ns);
  }
  if (begin == model::kUnknownTime) begin = 0;
  return {begin, std::max(begin, end)};
}

report::FileFacts Facts(const std::string& name, const store::ReadSummary& summary) {
  return {.name = name == "-" ? "standard input" : name,
          .bytes = summary.bytes,
          .corrupt_blocks = summary.corrupt_blocks,
          .unknown_blocks = summary.unknown_blocks,
          .cut_bytes = summary.cut_bytes,
          .complete = summary.complete};
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
  if (!options.header_only && !options.stats) PROF_TRY(ResolveSymbols(profile, options));
  report::ReportData data = report::CollectFacts(profile);
  data.file = Facts(options.input, summary);
  data.filters = options.filters;
  data.sort = options.table.sort;
  if (options.header_only) return report::RenderHeader(data);
  if (options.stats) return report::RenderStats(read.counts(), data);

  if (read.HasCountsAlone()) {
    PROF_TRY_ASSIGN(std::string text, RenderSavedCounts(read.runs().runs(), data.file, options));
    return options.header && !options.json ? report::RenderHeader(data) + text : text;
  }

  const auto [begin, end] = Span(profile);
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
  auto reader = store::Reader::Open(options.input);
  if (!reader) {
    Error error = std::move(reader).error();
    if (error.hint.empty()) error.hint = "prof record ./app makes a profile";
    return std::unexpected(std::move(error));
  }
  CountingSink sink;
  PROF_TRY_ASSIGN(const store::ReadSummary summary, (*reader)->Replay(sink));
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
