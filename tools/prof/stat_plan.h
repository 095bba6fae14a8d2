// Which command runs next, and when `prof stat` has run enough of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stat_arguments.h"

#include "prof/analysis/statistics/stopping.h"
#include "prof/base/result.h"

namespace prof::tools {

struct PlannedRun {
  std::uint32_t side = 0;
  std::uint64_t round = 0;  // from 0, warm-ups by themselves
  bool warmup = false;
  bool ends_round = false;  // each side has run as often as the others after it
};

// Rounds of one run of each side, every other one in reverse: A B B A, or A B C C B A. So what
// drifts slowly (temperature, frequency, a filling disk) weighs on all sides alike, and who runs
// first changes. A is the first --vs, the command (side 0) is last.
class RunPlan {
 public:
  RunPlan(std::uint32_t sides, std::uint64_t warmups) : sides_(sides), warmups_(warmups) {}
  PlannedRun Next();

 private:
  std::uint32_t sides_;
  std::uint64_t warmups_;
  std::uint64_t round_ = 0;  // warm-ups included
  std::uint32_t position_ = 0;
};

// Decides after each round.
class RunStopping {
 public:
  RunStopping(const RepeatOptions& options, std::uint32_t sides);

  // The headline value of each side in this round (index: side), after so many seconds in all.
  Status AddRound(const std::vector<double>& values, double seconds);
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  // Of -r auto, the side that is furthest from its aim; null without -r auto.
  [[nodiscard]] const analysis::statistics::StoppingProgress* progress() const;
  // Why it ended before its aim, in one line with numbers; empty: it did not.
  [[nodiscard]] std::string Explain() const;

 private:
  [[nodiscard]] std::vector<const analysis::statistics::StoppingProgress*> All() const;
  [[nodiscard]] std::string ExplainAuto() const;

  RepeatOptions options_;
  std::optional<analysis::statistics::MedianStopping> median_;
  std::vector<analysis::statistics::RatioStopping> ratios_;  // of side i + 1 with side 0
  std::uint64_t rounds_ = 0;
  double seconds_ = 0;
  bool done_ = false;
  bool out_of_time_ = false;
};

// "0.83 %", "310 %": two significant digits or all of a whole percent.
std::string ShareText(double share);
// "12 s", "40 min", "3 h", "11 days".
std::string DurationText(double seconds);

}  // namespace prof::tools
