// Counting: runs commands, or watches a running target, with counters open on it, and pushes what
// they counted into a sink.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/text_pattern.h"
#include "prof/collect/record_options.h"
#include "prof/collect/record_session.h"
#include "prof/model/record_sink.h"

namespace prof::collect {

// What a reading stands for.
enum class CountSplit : std::uint8_t {
  kTotal,   // one reading per event
  kCpu,     // one per event and CPU; kSystem and kCpus only
  kThread,  // one per event and thread; kProcesses, kThreads and kSystem (all threads) only
};

struct MetricSource {
  model::MetricDef definition;
  TextPattern pattern;
};

struct CountOptions {
  RecordTarget target;  // `command` is the timer of a target that is no command
  // May be empty (--null): times and noise alone. EventDesc::is_default marks those that may be
  // missing without a word in the table.
  std::vector<perf::EventSpec> events;
  CountSplit split = CountSplit::kTotal;
  bool inherit = true;
  std::uint64_t delay_ms = 0;  // counters are enabled that much after the start
  // After the delay; ends the run; a launched command gets SIGTERM.
  std::optional<double> timeout_s;
  std::optional<std::uint64_t> interval_ms;     // readings every so often, besides those at the end
  std::optional<std::uint64_t> interval_count;  // the run ends after so many of them
  std::vector<model::SideDef> sides;            // of the head of the stream; at least one
  // Numbers from the command's output. With any, the command's stdout and stderr go through pipes
  // of prof, which passes every byte on to its own, at once, and looks at whole lines (ended by \n
  // or \r, cut after 64 KB). Of several matches the last one counts. Children that outlive the
  // command lose their output 100 ms after its end. SIGPIPE must be ignored.
  std::vector<MetricSource> metrics;
  std::vector<std::string> command_line;  // of prof, for the head of the stream
};

// One run: what to run, and as what to store it.
struct RunRequest {
  std::uint32_t side = 0;
  std::vector<std::string> command;  // empty: the attached target alone
  bool discard = false;              // a warm-up: nothing is appended
  // A run that a signal broke off counts all the same: the only run, whose counts up to there are
  // what the user wants to see.
  bool keep_interrupted = false;
};

struct RunOutcome {
  // kDuration: timeout_s or interval_count.
  StopReason reason = StopReason::kTargetExited;
  model::RunDef run;
  // The number of the first metric whose pattern did not match; nothing: all did. The run is not
  // appended then.
  std::optional<std::uint32_t> unmatched_metric;
  bool appended = false;  // its readings at the end and its RunDef
};

// Steps: Open, Run as often as wanted, Close; all on one thread, which must be the only one of the
// process when Open is called: SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked from then until the
// session is destroyed, so that an interrupt between two runs is seen by the next one.
//
// What it appends: at the first Run, once the counters are open, RecordingInfo, EventDefs (one for
// each wanted event, in order; names get ":u" where only user code may be counted, and `refused`
// says what could not be opened), SideDefs, MetricDefs and EpochBegin; for each run CounterReadings
// and a RunDef; ThreadDefs before their first reading with kThread. After every interval's readings
// it calls sink.Flush(). RecordingEnd in Close.
//
// An event that this machine lacks or that is not permitted is no error: it is refused. Groups are
// opened as groups; when their leader is refused, so are all of them. Events of PMUs with a cpumask
// (outside of the cores) are opened on those CPUs for everything that runs there, whatever the
// target. Counters of a command are inherited by its children (unless inherit is off), enabled by
// its exec, and read after its end, when the kernel has added up those of all descendants.
class CountSession {
 public:
  static Result<std::unique_ptr<CountSession>> Open(CountOptions options, const HostFs& fs,
                                                    model::RecordSink& sink);
  ~CountSession();
  CountSession(const CountSession&) = delete;
  CountSession& operator=(const CountSession&) = delete;

  // Errors: kNotFound and kPermission when the command cannot be executed (nothing ran), when an
  // attached target does not exist; kUnsupported when none of the events of a target that is no
  // command can be counted; what the sink refused. A command that fails is no error.
  // kInterrupted and kTerminated: the run is not whole; with a command that means that a signal
  // reached prof while it ran (the command has ended, too: from the terminal it got the signal
  // itself, else prof forwarded it), and nothing but the readings of its intervals is appended,
  // unless it asks for that (keep_interrupted). An attached target ends that way: its readings are
  // appended. With a signal that came before, nothing runs and nothing is appended.
  Result<RunOutcome> Run(const RunRequest& request);
  // Runs `command` with sh -c, neither counted nor timed (--pre, --post, --prepare), its standard
  // output going to standard error. The status as a shell shows it.
  Result<int> RunAside(const std::string& command);
  // A signal came (kInterrupted or kTerminated) and has not ended a run yet.
  [[nodiscard]] std::optional<StopReason> Interrupted();
  // How the events came out; empty before the first Run has opened them.
  [[nodiscard]] const std::vector<model::EventDesc>& events() const;
  Status Close();

 private:
  class Impl;
  explicit CountSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::collect
