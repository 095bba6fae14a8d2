// Diffs as the analysis of `prof diff` makes them, for the tests of every renderer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/diff/profile_diff.h"

namespace prof::report::test {

namespace diff = analysis::diff;

inline diff::ChangeTest Tested(double low, double high, double adjusted_p, bool significant) {
  return {.interval = {low, high},
          .p = adjusted_p / 10,
          .adjusted_p = adjusted_p,
          .significant = significant,
          .detectable = (high - low) * 0.7};
}

// A change whose interval reaches `half` to either side.
inline diff::Change Changed(double before, double after, double half, double adjusted_p) {
  diff::Change change;
  change.before = before;
  change.after = after;
  change.before_samples = static_cast<std::uint64_t>(before * 3000);
  change.after_samples = static_cast<std::uint64_t>(after * 3000);
  change.test =
      Tested(after - before - half, after - before + half, adjusted_p, adjusted_p <= 0.05);
  return change;
}

inline diff::DiffRow Row(std::string module, std::string symbol, const diff::Change& self) {
  diff::DiffRow row;
  row.keys = {std::move(module), std::move(symbol)};
  row.level = row.keys[0] == "[kernel]" ? 'k' : '.';
  row.self = self;
  row.children = self;
  return row;
}

inline diff::RunFacts Run(diff::Side side, std::string name) {
  diff::RunFacts run;
  run.side = side;
  run.name = std::move(name);
  run.info.hostname = "build7";
  run.info.os_release = "6.1.0";
  run.info.arch = "x86_64";
  run.info.cpus_online = 8;
  run.info.target_command = {"./parse", "rows.csv"};
  run.info.prof_version = "0.1.0";
  run.seconds = 5.5;
  run.samples = 15'700;
  return run;
}

inline model::EventDesc CpuClock() {
  model::EventDesc event;
  event.name = "cpu-clock";
  event.unit = model::EventUnit::kNanoseconds;
  event.sampling_value = 1000;
  return event;
}

// parse_row and memcpy got faster, alloc slower; four runs a side.
inline diff::ProfileDiff Faster() {
  diff::ProfileDiff result;
  for (const char* name : {"b1.prof", "b2.prof", "b3.prof", "b4.prof"})
    result.runs.push_back(Run(diff::Side::kBefore, name));
  for (const char* name : {"a1.prof", "a2.prof", "a3.prof", "a4.prof"})
    result.runs.push_back(Run(diff::Side::kAfter, name));
  result.keys = {analysis::SortKey::kDso, analysis::SortKey::kSym};
  diff::EventDiff& event = result.events.emplace_back();
  event.event = CpuClock();
  event.before = {{5.2103, 5.2604, 5.3021, 5.25444}, 15'753, 5.256795, 5.256795};
  event.after = {{4.8101, 4.8403, 4.82, 4.85352}, 14'483, 4.83098, 4.83098};
  event.total.change = Changed(5.256795, 4.83098, 0.0665, 0.0);
  event.total.change.test->p = 0.0002;
  event.total.verdict = diff::TotalVerdict::kLower;
  event.total.share = -0.0810;
  event.total.share_interval = {-0.0937, -0.0684};
  event.total.smallest_p = 0.0286;
  event.total.detectable_share = 0.018;
  event.variation = 0.021;
  event.walked = true;
  event.rows = {Row("parse", "parse_row", Changed(1.2214, 0.80144, 0.05, 0.00004)),
                Row("libc.so.6", "memcpy", Changed(0.4102, 0.30011, 0.03, 0.0009)),
                Row("parse", "alloc", Changed(0.1001, 0.15033, 0.02, 0.012)),
                Row("[kernel]", "clear_page", Changed(0.3102, 0.33, 0.06, 0.31)),
                Row("parse", "write_row", Changed(3.1149, 3.15, 0.12, 0.44))};
  event.scarce_rows = 87;
  event.scarce.before = 0.099995;
  event.scarce.after = 0.0991;
  event.scarce.before_samples = 290;
  event.scarce.after_samples = 288;
  return result;
}

// The same two programs, one run each.
inline diff::ProfileDiff SingleRuns() {
  diff::ProfileDiff result = Faster();
  result.runs = {Run(diff::Side::kBefore, "prof.data.old"), Run(diff::Side::kAfter, "prof.data")};
  diff::EventDiff& event = result.events.front();
  event.before.runs = {5.256795};
  event.after.runs = {4.83098};
  event.total.change.test.reset();
  event.total.share.reset();
  event.total.share_interval.reset();
  event.total.detectable_share.reset();
  event.total.verdict = diff::TotalVerdict::kTooFewRuns;
  event.total.smallest_p = 1;
  event.total.runs_needed = 4;
  event.units = analysis::statistics::CountUnits::kBlocks;
  event.widened = 1.84;
  return result;
}

// Names of a C++ program; a function appeared, one is gone, one was called otherwise.
inline diff::ProfileDiff LongNames() {
  diff::ProfileDiff result = Faster();
  auto& rows = result.events.front().rows;
  rows[0].keys[1] =
      "std::_Rb_tree<std::string, std::pair<std::string const, Row>, std::_Select1st<...>, "
      "std::less<std::string> >::_M_emplace_hint_unique<std::string const&, Row&&>";
  rows[0].keys[0] = "libparser-support.so.12";
  rows[1].presence = diff::Presence::kGone;
  rows[1].self = Changed(0.4102, 0, 0.03, 0.0004);
  rows[3].self = Changed(0.3102, 0.33 + 0.30011, 0.4, 0.31);
  rows[2].was = "alloc(unsigned long)";
  return result;
}

// The sides changed places.
inline diff::Change Swapped(diff::Change change) {
  std::swap(change.before, change.after);
  std::swap(change.before_samples, change.after_samples);
  if (change.test) {
    auto& interval = change.test->interval;
    interval = {-interval.high, -interval.low};
  }
  return change;
}

inline diff::ProfileDiff Swapped(diff::ProfileDiff result) {
  for (diff::EventDiff& event : result.events) {
    std::swap(event.before, event.after);
    event.total.change = Swapped(event.total.change);
    event.scarce = Swapped(event.scarce);
    for (diff::DiffRow& row : event.rows) {
      row.self = Swapped(row.self);
      row.children = Swapped(row.children);
      if (row.presence != diff::Presence::kBoth) {
        row.presence = row.presence == diff::Presence::kGone ? diff::Presence::kAppeared
                                                             : diff::Presence::kGone;
      }
    }
  }
  return result;
}

}  // namespace prof::report::test
