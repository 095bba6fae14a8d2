// The loop over runs.
#include "stat_runner.h"

#include <csignal>
#include <cstring>
#include <utility>

#include "command.h"

namespace prof::tools {
namespace {

using collect::RunOutcome;
using collect::StopReason;

constexpr int kSignalled = 128;

int StatusOf(StopReason reason) {
  return kSignalled + (reason == StopReason::kTerminated ? SIGTERM : SIGINT);
}

class Runner {
 public:
  Runner(const StatArguments& arguments, RunSource& source, RunWatcher& watcher,
         const std::function<double()>& seconds)
      : arguments_(arguments),
        source_(source),
        watcher_(watcher),
        seconds_(seconds),
        sides_(arguments.count.sides),
        single_(arguments.repeats.IsSingle() && sides_.size() == 1),
        attached_(arguments.count.target.kind != model::TargetKind::kCommand),
        plan_(static_cast<std::uint32_t>(sides_.size()), arguments.repeats.warmups),
        stopping_(arguments.repeats, static_cast<std::uint32_t>(sides_.size())),
        values_(sides_.size()) {}

  RunnerEnd Run() {
    started_ = seconds_();
    while (!ended_ && !stopping_.done()) One(plan_.Next());
    if (failures_ != 0 && arguments_.ignore_failure && !single_)
      end_.notes.push_back(std::to_string(failures_) + " of " + std::to_string(end_.whole_runs) +
                           " runs failed (--ignore-failure), the last with status " +
                           std::to_string(last_failure_));
    if (std::string why = stopping_.Explain(); !why.empty()) end_.notes.push_back(std::move(why));
    return std::move(end_);
  }

 private:
  void One(const PlannedRun& run) {
    if (EndsInterrupted()) return;
    watcher_.BeforeRun(run, stopping_, Elapsed());
    if (!Aside(arguments_.prepare, "--prepare", run)) return;
    const auto outcome = source_.Run({.side = run.side,
                                      .command = sides_[run.side].command,
                                      .discard = run.warmup,
                                      .keep_interrupted = single_});
    if (!outcome) {
      EndWith(outcome.error(), StatusOfError(outcome.error()));
      return;
    }
    if (!Judge(run, *outcome)) return;
    watcher_.AfterRun(run, outcome->run);
    if (!Aside(arguments_.post, "--post", run) || run.warmup) return;
    values_[run.side] = outcome->run.metrics.empty()
                            ? static_cast<double>(outcome->run.wall_ns) / 1e9
                            : outcome->run.metrics.front();
    if (!run.ends_round) return;
    if (const Status status = stopping_.AddRound(values_, Elapsed()); !status)
      EndWith(status.error(), kExitFailure);
  }

  // Whether the run counts and the next one may follow.
  bool Judge(const PlannedRun& run, const RunOutcome& outcome) {
    const bool interrupted =
        outcome.reason == StopReason::kInterrupted || outcome.reason == StopReason::kTerminated;
    // The timer of what is attached to may have got the signal first, or not.
    const int status = interrupted && attached_ ? 0 : static_cast<int>(outcome.run.exit_status);
    if (interrupted && (!attached_ || !outcome.appended)) {
      if (outcome.appended) ++end_.whole_runs;
      return Interrupt(outcome);
    }
    if (outcome.unmatched_metric) return Unmatched(run, *outcome.unmatched_metric);
    if (status != 0 && !single_ && !arguments_.ignore_failure &&
        outcome.reason != StopReason::kDuration) {
      EndWith({ErrorKind::kUsage,
               NameOf(run) + (status > kSignalled
                                  ? " was killed by signal " + std::to_string(status - kSignalled)
                                  : " exited with status " + std::to_string(status)),
               "--ignore-failure goes on when runs fail"},
              status);
      return false;
    }
    if (status != 0) {
      ++failures_;
      last_failure_ = status;
    }
    if (outcome.appended) ++end_.whole_runs;
    // What prof itself ended, because that was asked for, has not failed.
    if (single_ && outcome.reason != StopReason::kDuration && !run.warmup) {
      end_.exit_status = status;
      const int signal = status - kSignalled;
      if (signal > 0 && signal < SIGRTMIN && !interrupted)
        end_.notes.push_back("the command ended with status " + std::to_string(status) +
                             ", that of signal " + std::to_string(signal) + " (" +
                             ::strsignal(signal) + ")");
    }
    if (interrupted && !single_) return Interrupt(outcome);
    return true;
  }

  bool Unmatched(const PlannedRun& run, std::uint32_t metric) {
    const auto& metrics = arguments_.count.metrics;
    const std::string pattern =
        metric < metrics.size() ? metrics[metric].definition.pattern : std::string();
    EndWith({ErrorKind::kBadData,
             "--metric: no number matches '" + pattern + "' in the output of " + NameOf(run),
             "its first group (or the whole match) must be a number, on one line"},
            kExitFailure);
    return false;
  }

  bool Interrupt(const RunOutcome& outcome) {
    const int status = static_cast<int>(outcome.run.exit_status);
    EndInterrupted(outcome.reason, single_ && status != 0 ? status : StatusOf(outcome.reason));
    return false;
  }

  bool EndsInterrupted() {
    const auto reason = source_.Interrupted();
    if (reason) EndInterrupted(*reason, StatusOf(*reason));
    return reason.has_value();
  }

  // With -r 0 that is how it is meant to end.
  void EndInterrupted(StopReason reason, int status) {
    ended_ = true;
    const bool meant = arguments_.repeats.until == RepeatUntil::kForever &&
                       reason == StopReason::kInterrupted && end_.whole_runs != 0;
    end_.exit_status = meant ? 0 : status;
    if (single_ || meant) return;
    end_.notes.push_back("interrupted after " + std::to_string(end_.whole_runs) + " whole run" +
                         (end_.whole_runs == 1 ? "" : "s"));
  }

  bool Aside(const std::string& command, const char* option, const PlannedRun& run) {
    if (command.empty()) return true;
    const auto status = source_.RunAside(command);
    if (EndsInterrupted()) return false;  // it got the signal, too
    if (!status) {
      EndWith(status.error(), kExitFailure);
    } else if (*status != 0) {
      EndWith({ErrorKind::kSystem,
               std::string(option) + " '" + command + "' exited with status " +
                   std::to_string(*status) + " at " + NameOf(run),
               "see what it says: sh -c '" + command + "'"},
              kExitFailure);
    }
    return !ended_;
  }

  void EndWith(Error error, int status) {
    ended_ = true;
    end_.error = std::move(error);
    end_.exit_status = status;
  }

  [[nodiscard]] int StatusOfError(const Error& error) const {
    const auto kind = arguments_.count.target.kind;
    const bool by_id = kind == model::TargetKind::kProcesses || kind == model::TargetKind::kThreads;
    if (by_id) return kExitFailure;  // the process or thread, not the command
    if (error.kind == ErrorKind::kNotFound) return kExitNotFound;
    return error.kind == ErrorKind::kPermission ? kExitNotExecutable : kExitFailure;
  }

  [[nodiscard]] std::string NameOf(const PlannedRun& run) const {
    const std::string number = std::to_string(run.round + 1);
    const std::string which = run.warmup ? "warm-up run " + number
                              : single_  ? "the run"
                                         : "run " + number;
    return sides_[run.side].text.empty() ? which : which + " of '" + sides_[run.side].text + "'";
  }

  [[nodiscard]] double Elapsed() const { return seconds_() - started_; }

  const StatArguments& arguments_;
  RunSource& source_;
  RunWatcher& watcher_;
  const std::function<double()>& seconds_;
  const std::vector<model::SideDef>& sides_;
  const bool single_;
  const bool attached_;
  RunPlan plan_;
  RunStopping stopping_;
  std::vector<double> values_;  // of this round, index: side
  double started_ = 0;
  std::uint64_t failures_ = 0;
  int last_failure_ = 0;
  bool ended_ = false;
  RunnerEnd end_;
};

}  // namespace

RunnerEnd RunAll(const StatArguments& arguments, RunSource& source, RunWatcher& watcher,
                 const std::function<double()>& seconds) {
  return Runner(arguments, source, watcher, seconds).Run();
}

}  // namespace prof::tools
