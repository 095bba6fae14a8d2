// The command line of `prof stat`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/counts/stat_report.h"
#include "prof/base/result.h"
#include "prof/collect/count_session.h"
#include "prof/report/stat_text.h"

namespace prof::tools {

// What to count, before it is looked up on this machine.
struct EventChoice {
  std::vector<std::string> texts;    // of each -e
  std::vector<std::string> metrics;  // names for analysis::counts::FindMetrics: -M, --topdown
  int detail = 0;                    // -d, -dd, -ddd
  bool none = false;                 // --null
  bool one_group = false;            // --group
  bool all_user = false;
  bool all_kernel = false;
  bool whole_cpus = false;  // the target is CPUs: -a, -C
};

enum class RepeatUntil : std::uint8_t {
  kRuns,     // -r N
  kForever,  // -r 0: until Ctrl-C
  kPrecise,  // -r auto
};

struct RepeatOptions {
  RepeatUntil until = RepeatUntil::kRuns;
  std::uint64_t runs = 1;
  std::uint64_t warmups = 0;          // of each side
  double precision = 0.01;            // a share
  std::optional<double> max_seconds;  // none: no limit

  [[nodiscard]] bool IsSingle() const { return until == RepeatUntil::kRuns && runs == 1; }
};

enum class StatFormat : std::uint8_t { kText, kCsv, kJson };

struct StatArguments {
  collect::CountOptions count;  // without the events
  EventChoice events;
  RepeatOptions repeats;
  std::string prepare;  // sh -c before each run; empty: nothing
  std::string post;     // and after it
  bool sync = false;    // sync(2) before each run
  bool ignore_failure = false;
  std::optional<double> fail_if_slower;  // percent

  analysis::counts::Aggregation aggregation = analysis::counts::Aggregation::kTotal;
  bool scale = true;
  StatFormat format = StatFormat::kText;
  std::string separator;        // kCsv
  report::StatTextStyle style;  // without what depends on the terminal
  bool interval_summary = false;

  std::string output;  // a file; empty: log_fd
  bool append = false;
  int log_fd = 2;
  bool quiet = false;
  bool verbose = false;
  std::string save;  // empty: nothing
};

// Either the arguments, or the status to exit with (help was printed, or a usage error).
struct StatParse {
  std::optional<StatArguments> arguments;
  int exit_status = 0;
};
StatParse ParseStatArguments(const std::vector<std::string>& args);

}  // namespace prof::tools
