// The loop over recordings.
#include "diff_runs.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "stat_sides.h"

namespace prof::tools {
namespace {

constexpr int kSignalled = 128;
constexpr std::uint32_t kAfterSide = 0;  // of RunPlan: the side that is last in the first round

// What `prof record` said: "prof record: MESSAGE" and "hint: HINT" behind it.
Error RecordError(const std::string& run, const RecordEnd& end) {
  Error error{
      ErrorKind::kSystem,
      run + " was not recorded: prof record ended with status " + std::to_string(end.status),
      {}};
  const auto rest_of_line = [&](std::string_view mark, std::size_t from) -> std::string {
    const std::size_t at = end.output.find(mark, from);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + mark.size();
    return end.output.substr(begin, end.output.find('\n', begin) - begin);
  };
  constexpr std::string_view kSaid = "prof record: ";
  const std::size_t said = end.output.find(kSaid);
  if (said == std::string::npos) return error;
  error.message = run + " was not recorded: " + rest_of_line(kSaid, said);
  error.hint = rest_of_line("\nhint: ", said);
  return error;
}

class Recorder {
 public:
  Recorder(const DiffRuns& options, const std::string& folder, RecordSource& source,
           const RunWatch& watch, const std::function<double()>& seconds)
      : options_(options),
        folder_(folder),
        source_(source),
        watch_(watch),
        seconds_(seconds),
        plan_(2, options.warmups) {}

  RecordedRuns Run() {
    started_ = seconds_();
    const std::uint64_t all = 2 * (options_.warmups + options_.runs);
    for (std::uint64_t done = 0; done < all && !ended_; ++done) {
      const PlannedRun run = plan_.Next();
      watch_(run, SecondsLeft(done, all));
      One(run);
    }
    if (failures_ != 0) {
      result_.notes.push_back(std::to_string(failures_) + " of " + std::to_string(all) +
                              " runs failed (--ignore-failure), the last with status " +
                              std::to_string(last_failure_));
    }
    return std::move(result_);
  }

 private:
  void One(const PlannedRun& run) {
    const bool is_after = run.side == kAfterSide;
    auto& files = is_after ? result_.files.after : result_.files.before;
    const std::string file = folder_ + "/" + (is_after ? "after." : "before.") +
                             (run.warmup ? "warmup" : std::to_string(run.round + 1)) + ".data";
    auto end = source_.Record(RecordWords(options_, CommandOf(run), file), file);
    if (!end) return EndWith(std::move(end).error());
    const bool counts = Judge(run, *end);
    if (counts && !run.warmup) {
      files.push_back(file);
    } else if (end->recorded) {
      source_.Remove(file);
    }
  }

  // Whether the run counts. What a signal ended is no whole run.
  bool Judge(const PlannedRun& run, const RecordEnd& end) {
    if (end.signal) {
      Interrupt(*end.signal);
      return false;
    }
    if (!end.recorded) {
      EndWith(RecordError(NameOf(run), end));
      return false;
    }
    if (end.status == 0) return true;
    if (!options_.ignore_failure) {
      result_.failed_output = end.output;
      EndWith(
          {ErrorKind::kUsage,
           NameOf(run) + (end.status > kSignalled
                              ? " was killed by signal " + std::to_string(end.status - kSignalled)
                              : " exited with status " + std::to_string(end.status)),
           "--ignore-failure goes on when runs fail"});
      return false;
    }
    ++failures_;
    last_failure_ = end.status;
    return true;
  }

  void Interrupt(int signal) {
    ended_ = true;
    result_.signal = signal;
    const std::size_t before = result_.files.before.size();
    const std::size_t after = result_.files.after.size();
    const std::string text = "interrupted after " + std::to_string(before) + " whole run" +
                             (before == 1 ? "" : "s") + " of before and " + std::to_string(after) +
                             " of after";
    if (before != 0 && after != 0) {
      result_.notes.push_back(text);
    } else {
      result_.error = Error{ErrorKind::kSystem, text + ": nothing can be compared",
                            "both sides need a whole run"};
    }
  }

  void EndWith(Error error) {
    ended_ = true;
    result_.error = std::move(error);
  }

  [[nodiscard]] std::optional<double> SecondsLeft(std::uint64_t done, std::uint64_t all) const {
    if (done < 2) return std::nullopt;  // of both sides one is known
    return (seconds_() - started_) / static_cast<double>(done) * static_cast<double>(all - done);
  }

  [[nodiscard]] const std::vector<std::string>& CommandOf(const PlannedRun& run) const {
    return run.side == kAfterSide ? options_.commands.after : options_.commands.before;
  }

  [[nodiscard]] std::string NameOf(const PlannedRun& run) const {
    return (run.warmup ? "warm-up run " : "run ") + std::to_string(run.round + 1) + " of '" +
           JoinWords(CommandOf(run)) + "'";
  }

  const DiffRuns& options_;
  const std::string& folder_;
  RecordSource& source_;
  const RunWatch& watch_;
  const std::function<double()>& seconds_;
  RunPlan plan_;
  RecordedRuns result_;
  double started_ = 0;
  std::uint64_t failures_ = 0;
  int last_failure_ = 0;
  bool ended_ = false;
};

}  // namespace

std::vector<std::string> RecordWords(const DiffRuns& options,
                                     const std::vector<std::string>& command,
                                     const std::string& file) {
  std::vector<std::string> words = options.record;
  words.insert(words.end(), {"-q", "-o", file, "--"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

RecordedRuns RecordRuns(const DiffRuns& options, const std::string& folder, RecordSource& source,
                        const RunWatch& watch, const std::function<double()>& seconds) {
  return Recorder(options, folder, source, watch, seconds).Run();
}

}  // namespace prof::tools
