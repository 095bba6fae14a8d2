// prof stat: opens, runs, says what was counted.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "command.h"
#include "output_file.h"
#include "stat_arguments.h"
#include "stat_events.h"
#include "stat_output.h"
#include "stat_progress.h"
#include "stat_runner.h"
#include "stat_sides.h"
#include "stat_sinks.h"
#include "stat_topology.h"

#include "prof/base/clock.h"
#include "prof/base/host_fs.h"
#include "prof/collect/count_session.h"
#include "prof/report/stat_rows.h"
#include "prof/report/stat_text.h"
#include "prof/store/writer.h"

namespace prof::tools {
namespace {

using analysis::counts::Aggregation;
using analysis::counts::StatReport;

constexpr int kExitSlower = 1;
constexpr int kHeaderEvery = 25;  // intervals

class SessionRuns final : public RunSource {
 public:
  SessionRuns(collect::CountSession& session, bool sync) : session_(session), sync_(sync) {}
  Result<collect::RunOutcome> Run(const collect::RunRequest& request) override {
    if (sync_) ::sync();
    return session_.Run(request);
  }
  Result<int> RunAside(const std::string& command) override { return session_.RunAside(command); }
  std::optional<collect::StopReason> Interrupted() override { return session_.Interrupted(); }

 private:
  collect::CountSession& session_;
  bool sync_;
};

// --save: under its final name at the end, if a run was whole.
class SavedFile {
 public:
  static Result<SavedFile> Open(const std::string& name) {
    PROF_TRY_ASSIGN(OutputFile file, OutputFile::Open(name));
    PROF_TRY_ASSIGN(auto writer, store::Writer::Create(file.TakeFd(), name, {}));
    return SavedFile(std::move(file), std::move(writer));
  }
  store::Writer& writer() { return *writer_; }
  Status Finish() {
    PROF_TRY(writer_->Finish());
    return file_.Publish();
  }

 private:
  SavedFile(OutputFile file, std::unique_ptr<store::Writer> writer)
      : file_(std::move(file)), writer_(std::move(writer)) {}
  OutputFile file_;
  std::unique_ptr<store::Writer> writer_;
};

// One `prof stat`, from its arguments to its exit status.
class StatRun {
 public:
  StatRun(StatArguments arguments, const HostFs& fs) : arguments_(std::move(arguments)), fs_(fs) {}

  int Execute() {
    if (const Status status = Prepare(); !status) return PrintStartError(status.error());
    model::RecordSink& sink = Sinks();
    auto session = collect::CountSession::Open(arguments_.count, fs_, sink);
    if (!session) return PrintStartError(session.error());
    RunnerEnd end = Measure(**session);
    if (arguments_.verbose) PrintEvents((*session)->events());
    const Status closed = Close(**session, end);
    const int status = Report(end, closed ? std::nullopt : std::optional(closed.error()));
    // The session blocks signals until it is destroyed: a second Ctrl-C, or that of `timeout`,
    // which sends two, must not change the status of what is done.
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    return status;
  }

 private:
  // Everything that can be found wrong before something runs.
  Status Prepare() {
    const char* path = std::getenv("PATH");
    if (arguments_.count.sides.size() > 1)
      PROF_TRY(CheckExecutables(arguments_.count.sides, path == nullptr ? "/bin:/usr/bin" : path));
    PROF_TRY_ASSIGN(StatEvents events, ChooseEvents(arguments_.events, fs_));
    arguments_.count.events = std::move(events.specs);
    notes_ = std::move(events.notes);
    options_.aggregation = arguments_.aggregation;
    options_.scale = arguments_.scale;
    const bool by_place = arguments_.aggregation != Aggregation::kTotal &&
                          arguments_.aggregation != Aggregation::kThread;
    if (by_place) options_.topology = ReadTopology(fs_);
    if (!arguments_.events.metrics.empty()) options_.slots_per_cycle = ReadSlotsPerCycle(fs_);
    PROF_TRY_ASSIGN(StatOutput output, StatOutput::Open(arguments_));
    output_.emplace(std::move(output));
    arguments_.style.color = MayColor(*output_);
    arguments_.style.histogram = output_->is_terminal();
    arguments_.style.width = output_->width();
    if (arguments_.save.empty()) return {};
    PROF_TRY_ASSIGN(SavedFile saved, SavedFile::Open(arguments_.save));
    saved_.emplace(std::move(saved));
    return {};
  }

  model::RecordSink& Sinks() {
    model::RecordSink* runs = &builder_;
    if (arguments_.count.interval_ms) {
      intervals_.emplace(builder_, options_,
                         [this](const StatReport& report) { return PrintInterval(report); });
      runs = &*intervals_;
    }
    tee_.emplace(*runs, saved_ ? &saved_->writer() : nullptr);
    const bool single = arguments_.repeats.IsSingle() && arguments_.count.sides.size() == 1;
    if (single || arguments_.ignore_failure) return *tee_;
    whole_.emplace(*tee_);
    return *whole_;
  }

  RunnerEnd Measure(collect::CountSession& session) {
    SessionRuns source(session, arguments_.sync);
    StatProgress progress(arguments_, ::isatty(STDERR_FILENO) == 1);
    return RunAll(arguments_, source, progress,
                  [] { return static_cast<double>(MonotonicNs()) / 1e9; });
  }

  Status Close(collect::CountSession& session, const RunnerEnd& end) {
    PROF_TRY(session.Close());
    if (!saved_ || end.whole_runs == 0) return {};
    return saved_->Finish();
  }

  // Results first, then what went wrong, then the gate.
  int Report(const RunnerEnd& end, const std::optional<Error>& failed) {
    int status = end.exit_status;
    const StatReport report = analysis::counts::BuildStatReport(builder_.runs(), options_);
    if (end.whole_runs != 0 && (!arguments_.count.interval_ms || arguments_.interval_summary)) {
      if (const Status written = output_->Write(Render(report)); !written)
        status = PrintError("stat", written.error());
    }
    if (!arguments_.quiet) PrintNotes(end.notes);
    if (end.error) PrintError("stat", *end.error);
    if (failed && (!end.error || end.error->message != failed->message))
      status = PrintError("stat", *failed);
    return status == 0 ? Gate(report) : status;
  }

  std::string Render(StatReport report) {
    report.notes.insert(report.notes.end(), notes_.begin(), notes_.end());
    return arguments_.format == StatFormat::kText ? report::RenderStatText(report, arguments_.style)
                                                  : RenderRows(report, true);
  }

  Status PrintInterval(const StatReport& report) {
    const bool with_header = intervals_printed_++ % kHeaderEvery == 0;
    return output_->Write(arguments_.format == StatFormat::kText
                              ? report::RenderIntervalText(report, arguments_.style, with_header)
                              : RenderRows(report, with_header));
  }

  // Of CSV and JSON.
  [[nodiscard]] std::string RenderRows(const StatReport& report, bool with_header) const {
    const std::string& separator = arguments_.separator;
    if (arguments_.format == StatFormat::kJson)
      return arguments_.style.metric_only ? report::RenderMetricJson(report)
                                          : report::RenderStatJson(report);
    return arguments_.style.metric_only ? report::RenderMetricCsv(report, separator, with_header)
                                        : report::RenderStatCsv(report, separator);
  }

  int Gate(const StatReport& report) {
    if (!arguments_.fail_if_slower) return 0;
    int status = 0;
    for (const auto& comparison : report.comparisons) {
      if (!analysis::counts::IsWorseBy(comparison, *arguments_.fail_if_slower)) continue;
      status = kExitSlower;
      std::fprintf(stderr, "prof stat: --fail-if-slower %g: '%s' is %s, against '%s'\n",
                   *arguments_.fail_if_slower, report.sides[comparison.b].side.text.c_str(),
                   comparison.verdict.c_str(), report.sides[comparison.a].side.text.c_str());
    }
    return status;
  }

  int PrintStartError(const Error& error) {
    const int status = PrintError("stat", error);
    if (arguments_.count.target.kind != model::TargetKind::kCommand || output_) return status;
    if (error.kind == ErrorKind::kNotFound && error.message.ends_with("command not found"))
      return kExitNotFound;
    return error.kind == ErrorKind::kPermission && error.message.ends_with("not executable")
               ? kExitNotExecutable
               : status;
  }

  static void PrintNotes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) std::fprintf(stderr, "prof stat: %s\n", note.c_str());
  }

  static void PrintEvents(const std::vector<model::EventDesc>& events) {
    for (const model::EventDesc& event : events) {
      std::fprintf(stderr, "prof stat: %s: type %u, config 0x%llx%s%s\n", event.name.c_str(),
                   event.attr_type, static_cast<unsigned long long>(event.attr_config),
                   event.refused.empty() ? "" : ": ", event.refused.c_str());
    }
  }

  StatArguments arguments_;
  const HostFs& fs_;
  analysis::counts::StatReportOptions options_;
  std::vector<std::string> notes_;
  std::optional<StatOutput> output_;
  std::optional<SavedFile> saved_;
  analysis::counts::RunSetBuilder builder_;
  std::optional<IntervalSink> intervals_;
  std::optional<TeeSink> tee_;
  std::optional<WholeRunsSink> whole_;
  int intervals_printed_ = 0;
};

}  // namespace

int StatMain(const std::vector<std::string>& args) {
  StatParse parse = ParseStatArguments(args);
  if (!parse.arguments) return parse.exit_status;
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error like any other
  const HostFs fs;
  return StatRun(std::move(*parse.arguments), fs).Execute();
}

}  // namespace prof::tools
