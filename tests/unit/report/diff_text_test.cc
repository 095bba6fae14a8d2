#include "prof/report/diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "unit/report/diff_data.h"

namespace prof::report {
namespace {

using analysis::SortKey;
using analysis::diff::EventDiff;
using analysis::diff::ProfileDiff;
using analysis::diff::TotalVerdict;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string VerdictOf(const ProfileDiff& diff) { return DiffVerdict(diff, diff.events.front()); }

TEST(DiffVerdictTest, NamesTheRowsThatDidItFirst) {
  EXPECT_EQ(VerdictOf(test::Faster()),
            "after is 8.1 % faster (6.8 to 9.4, p < 0.001): `parse_row` -0.42 s, `memcpy` "
            "-0.11 s; `alloc` +0.050 s");
}

TEST(DiffVerdictTest, SlowerNamesWhatGotSlowerFirst) {
  ProfileDiff diff = test::Swapped(test::Faster());
  auto& total = diff.events[0].total;
  total.verdict = TotalVerdict::kHigher;
  total.share = 0.0881;
  total.share_interval = {0.0734, 0.1034};
  EXPECT_EQ(VerdictOf(diff),
            "after is 8.8 % slower (7.3 to 10.3, p < 0.001): `parse_row` +0.42 s, `memcpy` "
            "+0.11 s; `alloc` -0.050 s");
}

TEST(DiffVerdictTest, NoMoreThanThreeAndTwoRowsAreNamed) {
  ProfileDiff diff = test::Faster();
  auto& rows = diff.events[0].rows;
  rows.clear();
  for (int i = 0; i < 5; ++i)
    rows.push_back(
        test::Row("m", "less" + std::to_string(i), test::Changed(0.5, 0.1, 0.01, 0.001)));
  for (int i = 0; i < 3; ++i)
    rows.push_back(
        test::Row("m", "more" + std::to_string(i), test::Changed(0.1, 0.2, 0.01, 0.001)));
  EXPECT_THAT(VerdictOf(diff), HasSubstr(": `less0` -0.40 s, `less1` -0.40 s, `less2` -0.40 s; "
                                         "`more0` +0.10 s, `more1` +0.10 s; and 3 more"));
}

TEST(DiffVerdictTest, NoDifferenceSaysWhatWouldHaveBeenShown) {
  ProfileDiff diff = test::Faster();
  auto& event = diff.events[0];
  event.total.verdict = TotalVerdict::kNoDifferenceShown;
  event.total.share = -0.004;
  event.total.share_interval = {-0.012, 0.005};
  EXPECT_THAT(VerdictOf(diff),
              StartsWith("no difference shown (between -1.2 and 0.5 %); a change by 1.8 % would "
                         "have been; yet `parse_row` -0.42 s"));
  event.rows.erase(event.rows.begin(), event.rows.begin() + 3);
  EXPECT_THAT(VerdictOf(diff), HasSubstr("would have been; no function changed significantly"));
  event.rows.clear();
  EXPECT_THAT(VerdictOf(diff), HasSubstr("; no function has samples enough to be judged"));
}

TEST(DiffVerdictTest, TooNoisySaysWhy) {
  ProfileDiff diff = test::Faster();
  auto& total = diff.events[0].total;
  total.verdict = TotalVerdict::kTooNoisy;
  total.detectable_share = 0.23;
  total.noise = {"before: run 3 is far from the others"};
  EXPECT_THAT(VerdictOf(diff),
              StartsWith("too noisy: only a change by 23.0 % or more would have been shown; "
                         "before: run 3 is far from the others; yet `parse_row`"));
}

TEST(DiffVerdictTest, OneRunASideNamesTheRunsNeeded) {
  EXPECT_EQ(VerdictOf(test::SingleRuns()),
            "one run a side: nothing is known of how much runs differ; after took 4.831 s of CPU, "
            "before 5.257 s; by blocks of time: `parse_row` -0.42 s, `memcpy` -0.11 s; `alloc` "
            "+0.050 s; 4 runs a side can show it: prof diff --runs 4 ...");
}

TEST(DiffVerdictTest, FewRunsNameTheSmallestPTheyCanReach) {
  ProfileDiff diff = test::SingleRuns();
  auto& event = diff.events[0];
  event.units = analysis::statistics::CountUnits::kRuns;
  event.before.runs = {5.2, 5.3, 5.25};
  event.after.runs = {4.8, 4.9, 4.85};
  event.total.smallest_p = 0.1;
  EXPECT_THAT(VerdictOf(diff), StartsWith("3 runs a side can reach no p below 0.10, 4 are needed; "
                                          "after took 4.831 s of CPU, before 5.257 s; yet "));
  event.after.runs.pop_back();
  event.unit.per_second = true;
  EXPECT_THAT(VerdictOf(diff), StartsWith("3 against 2 runs can reach no p below 0.10, 4 a side "
                                          "are needed; after took 4.831 s/s of CPU"));
  EXPECT_THAT(VerdictOf(diff), testing::EndsWith("; 4 recordings a side can show it"));
}

TEST(DiffVerdictTest, OtherUnitsAreNotFaster) {
  ProfileDiff diff = test::Faster();
  auto& event = diff.events[0];
  event.unit.per_second = true;
  EXPECT_THAT(VerdictOf(diff), StartsWith("after uses 8.1 % less CPU (6.8 to 9.4, p < 0.001): "
                                          "`parse_row` -0.42 s/s"));
  event.event.name = "cache-misses";
  event.unit.unit = model::EventUnit::kCount;
  event.unit.per_second = false;
  event.total.verdict = TotalVerdict::kHigher;
  event.total.share = 0.081;
  event.total.share_interval = {0.069, 0.094};
  EXPECT_THAT(VerdictOf(diff),
              StartsWith("after needs 8.1 % more cache-misses (6.9 to 9.4, p < 0.001)"));
  event.total.share.reset();
  EXPECT_THAT(VerdictOf(diff), StartsWith("after needs 4.831, before 5.257 (p < 0.001)"));
}

TEST(DiffVerdictTest, NamesSteerNoTerminal) {
  ProfileDiff diff = test::Faster();
  diff.events[0].rows[0].keys[1] = "a\033[31m\nb";
  EXPECT_THAT(VerdictOf(diff), HasSubstr("`a?[31m?b` -0.42 s"));
}

// What the table of a text says, from the fields of `-t ;`: amounts in last printed digits, of
// which all amounts of a table have as many.
struct Parsed {
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t change = 0;
  std::string low, high, p, name;
};

std::int64_t Digits(std::string number) {
  std::erase(number, '.');
  return std::stoll(number);
}

std::vector<Parsed> Parse(const std::string& text) {
  std::vector<Parsed> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, ';');) fields.push_back(field);
    fields.resize(8);
    lines.push_back({Digits(fields[0]), Digits(fields[1]), Digits(fields[2]), fields[3], fields[4],
                     fields[5], fields[6] + ' ' + fields[7]});
  }
  return lines;
}

ProfileDiff RandomDiff(std::mt19937_64& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto amount = [&] { return uniform(0, 1) < 0.15 ? 0 : std::pow(10.0, uniform(-6, 3)); };
  ProfileDiff diff = test::Faster();
  EventDiff& event = diff.events[0];
  event.unit.unit = uniform(0, 1) < 0.5 ? model::EventUnit::kNanoseconds : model::EventUnit::kCount;
  const bool clock = event.unit.unit == model::EventUnit::kNanoseconds;
  const double size = std::pow(10.0, uniform(-4, clock ? 4 : 11));
  event.rows.clear();
  event.total.change.before = event.total.change.after = 0;
  const auto changed = [&] {
    return test::Changed(amount() * size, amount() * size, amount() * size, uniform(0, 0.2));
  };
  const auto rows = static_cast<int>(uniform(0, 60));
  for (int i = 0; i < rows; ++i)
    event.rows.push_back(test::Row("m", "f" + std::to_string(i), changed()));
  event.scarce_rows = uniform(0, 1) < 0.5 ? 0 : 12;
  event.scarce = event.scarce_rows == 0 ? analysis::diff::Change() : changed();
  event.scarce.test.reset();
  for (const auto& row : event.rows) {
    event.total.change.before += row.self.before;
    event.total.change.after += row.self.after;
  }
  event.total.change.before += event.scarce.before;
  event.total.change.after += event.scarce.after;
  return diff;
}

TEST(DiffTextTest, PrintedNumbersAddUpToTheLastDigit) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const ProfileDiff diff = RandomDiff(random);
    const bool all = round % 2 == 0;
    const std::string text = RenderDiff(diff, {.quiet = true, .all_rows = all, .separator = ";"});
    const std::vector<Parsed> lines = Parse(text);
    ASSERT_FALSE(lines.empty());
    ASSERT_EQ(lines.back().name, "total ");
    Parsed sum;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      sum.before += lines[i].before;
      sum.after += lines[i].after;
      sum.change += lines[i].change;
      EXPECT_EQ(lines[i].change, lines[i].after - lines[i].before);
      EXPECT_GE(lines[i].before, 0);
    }
    if (lines.size() == 1) continue;
    EXPECT_EQ(sum.before, lines.back().before) << text;
    EXPECT_EQ(sum.after, lines.back().after) << text;
    EXPECT_EQ(sum.change, lines.back().change) << text;
  }
}

TEST(DiffTextTest, PrintedNumbersAreNextToTheTrueOnes) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    const ProfileDiff diff = RandomDiff(random);
    const auto& event = diff.events[0];
    const std::vector<Parsed> lines =
        Parse(RenderDiff(diff, {.quiet = true, .all_rows = true, .separator = ";"}));
    const auto& total = event.total.change;
    if (event.rows.empty() || lines.back().before == 0) continue;
    const double unit = total.before / static_cast<double>(lines.back().before);
    for (std::size_t i = 0; i < event.rows.size(); ++i) {
      // Four digits of the larger total.
      EXPECT_NEAR(static_cast<double>(lines[i].before) * unit, event.rows[i].self.before,
                  2.1e-3 * std::max(total.before, total.after));
      if (event.rows[i].self.before == 0) {
        EXPECT_EQ(lines[i].before, 0);
      }
    }
  }
}

TEST(DiffTextTest, SwappingSidesTurnsSignsRoundAndNothingElse) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const ProfileDiff diff = RandomDiff(random);
    const DiffTextOptions options{.quiet = true, .all_rows = round % 2 == 0, .separator = ";"};
    const std::vector<Parsed> lines = Parse(RenderDiff(diff, options));
    const std::vector<Parsed> swapped = Parse(RenderDiff(test::Swapped(diff), options));
    ASSERT_EQ(lines.size(), swapped.size());
    const auto turned = [](const std::string& number) {
      if (number.starts_with('+')) return '-' + number.substr(1);
      return number.starts_with('-') ? '+' + number.substr(1) : number;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i].before, swapped[i].after);
      EXPECT_EQ(lines[i].after, swapped[i].before);
      EXPECT_EQ(lines[i].change, -swapped[i].change);
      EXPECT_EQ(lines[i].low, turned(swapped[i].high));
      EXPECT_EQ(lines[i].high, turned(swapped[i].low));
      EXPECT_EQ(lines[i].p, swapped[i].p);
      EXPECT_EQ(lines[i].name, swapped[i].name);
    }
  }
}

TEST(DiffTextTest, TerminalsAreNeverOverrun) {
  for (const int width : {60, 80, 100, 120, 200}) {
    for (const ProfileDiff& diff : {test::LongNames(), test::SingleRuns()}) {
      for (const bool children : {false, true}) {
        std::istringstream text(RenderDiff(
            diff,
            {.width = width, .all_rows = true, .samples = width >= 100, .children = children}));
        // Below 80 columns the numbers alone are wider.
        const auto most = static_cast<std::size_t>(std::max(width, 80));
        for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), most) << line;
      }
    }
  }
}

TEST(DiffTextTest, PipesAreNeverCut) {
  const ProfileDiff diff = test::LongNames();
  EXPECT_THAT(RenderDiff(diff, {}), HasSubstr(diff.events[0].rows[0].keys[1]));
}

TEST(DiffTextTest, NothingSignificantIsSaid) {
  ProfileDiff diff = test::Faster();
  auto& rows = diff.events[0].rows;
  rows.erase(rows.begin(), rows.begin() + 3);
  EXPECT_THAT(RenderDiff(diff, {}),
              HasSubstr("# no function changed significantly; the 95 % interval of no folded one "
                        "goes beyond 0.155 s; --all shows them\n"));
  EXPECT_THAT(RenderDiff(diff, {.all_rows = true}), Not(HasSubstr("folded")));
  rows.clear();
  EXPECT_THAT(RenderDiff(diff, {}), HasSubstr("# no function has samples enough to be judged\n"));
}

TEST(DiffTextTest, RowsAreCalledAfterTheirKeys) {
  const auto word = [](std::vector<SortKey> keys) {
    ProfileDiff diff = test::Faster();
    diff.keys = std::move(keys);
    diff.events[0].rows.clear();
    const std::string text = RenderDiff(diff, {});
    const std::size_t begin = text.find("\n  ") + 1;
    const std::size_t at = text.find("87 ", begin) + 3;
    return text.substr(at, text.find(' ', at) - at);
  };
  EXPECT_EQ(word({SortKey::kDso, SortKey::kSym}), "functions");
  EXPECT_EQ(word({SortKey::kSym}), "functions");
  EXPECT_EQ(word({SortKey::kSrcLine}), "lines");
  EXPECT_EQ(word({SortKey::kSrcFile, SortKey::kDso}), "files");
  EXPECT_EQ(word({SortKey::kDso}), "modules");
  EXPECT_EQ(word({SortKey::kTid}), "threads");
  EXPECT_EQ(word({SortKey::kComm}), "commands");
  EXPECT_EQ(word({SortKey::kTid, SortKey::kDso}), "rows");
  EXPECT_EQ(word({SortKey::kComm, SortKey::kDso, SortKey::kSym}), "rows");
}

TEST(DiffTextTest, ShortProgramsAreInMilliseconds) {
  ProfileDiff diff = test::Faster();
  auto& event = diff.events[0];
  event.rows = {test::Row("m", "f", test::Changed(0.012345, 0.011, 0.0001, 0.001))};
  event.scarce_rows = 0;
  event.total.change = test::Changed(0.012345, 0.011, 0.0001, 0.001);
  const std::string text = RenderDiff(diff, {});
  EXPECT_THAT(text, HasSubstr("# milliseconds of CPU per run; change"));
  EXPECT_THAT(text, HasSubstr("  12.35  11.00   -1.35"));
}

TEST(DiffTextTest, SmallSignificantChangesGetMoreDigits) {
  ProfileDiff diff = test::Faster();
  auto& row = diff.events[0].rows[2];
  row.self = test::Changed(0.1001, 0.1012, 0.0005, 0.001);
  EXPECT_THAT(RenderDiff(diff, {}), HasSubstr("+0.0011"));
}

TEST(DiffTextTest, NumbersThatAreNoneArePrintedAsSuch) {
  ProfileDiff diff = test::Faster();
  auto& row = diff.events[0].rows[0];
  row.self.test->interval = {-std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  const std::string text = RenderDiff(diff, {});
  EXPECT_THAT(text, HasSubstr("- to -"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf ")));
}

TEST(DiffTextTest, ManyFilesAreNotAllListed) {
  ProfileDiff diff = test::Faster();
  diff.runs.push_back(test::Run(analysis::diff::Side::kBefore, "b5.prof"));
  EXPECT_THAT(RenderDiff(diff, {}), HasSubstr("(b1.prof, b2.prof, b3.prof and 2 more)"));
}

TEST(PerfDiffTest, OrderZeroIsByBaselineAndOneAsComputed) {
  const ProfileDiff diff = test::Faster();
  const auto first = [&](std::optional<std::uint32_t> order) {
    const std::string text =
        RenderPerfDiff(diff, {.compute = PerfCompute::kDelta, .order = order, .quiet = true});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_THAT(first(0), HasSubstr("write_row"));
  EXPECT_THAT(first(1), HasSubstr("write_row"));
  EXPECT_EQ(first(1), first(std::nullopt));
}

// What perf 6.1 printed of two recordings with these periods, but for spaces at the ends of lines.
struct PerfCase {
  PerfDiffOptions options;
  bool swapped = false;
  const char* text;
};

const PerfCase kPerfCases[] = {
    {{},
     false,
     "# Event 'cpu-clock:u'\n"
     "#\n"
     "# Baseline  Delta Abs  Shared Object  Symbol\n"
     "# ........  .........  .............  ..........\n"
     "#\n"
     "              +52.83%  a              [.] gamma_\n"
     "    51.90%    -36.80%  a              [.] beta\n"
     "    48.10%    -16.03%  a              [.] alpha\n"},
    {{.compute = PerfCompute::kRatio},
     false,
     "# Event 'cpu-clock:u'\n"
     "#\n"
     "# Baseline           Ratio  Shared Object  Symbol\n"
     "# ........  ..............  .............  ..........\n"
     "#\n"
     "    48.10%        0.894737  a              [.] alpha\n"
     "    51.90%        0.390244  a              [.] beta\n"
     "                       N/A  a              [.] gamma_\n"},
    {{.compute = PerfCompute::kWeightedDiff, .weight_before = 1, .weight_after = 2},
     false,
     "# Event 'cpu-clock:u'\n"
     "#\n"
     "# Baseline   Weighted diff  Shared Object  Symbol\n"
     "# ........  ..............  .............  ..........\n"
     "#\n"
     "    48.10%        15000000  a              [.] alpha\n"
     "    51.90%        -4500000  a              [.] beta\n"
     "                       N/A  a              [.] gamma_\n"},
    {{.compute = PerfCompute::kDelta, .order = 0, .quiet = true},
     false,
     "    51.90%  -36.80%  a              [.] beta\n"
     "    48.10%  -16.03%  a              [.] alpha\n"
     "            +52.83%  a              [.] gamma_\n"},
    {{.period = true, .formula = true, .quiet = true},
     true,
     "    15.09%         8000000    +36.80%                (20500000 * 100 / 39500000) - "
     "(8000000 * 100 / 53000000)        20500000  a              [.] beta\n"
     "    32.08%        17000000    +16.03%               (19000000 * 100 / 39500000) - "
     "(17000000 * 100 / 53000000)        19000000  a              [.] alpha\n"
     "    52.83%        28000000                                                              "
     "                                       a              [.] gamma_\n"},
};

TEST(PerfDiffTest, PrintsWhatPerfPrints) {
  ProfileDiff diff = test::Faster();
  diff.runs = {test::Run(analysis::diff::Side::kBefore, "p.old"),
               test::Run(analysis::diff::Side::kAfter, "p.new")};
  auto& event = diff.events[0];
  event.event.name = "cpu-clock:u";
  event.scarce_rows = 0;
  event.scarce = {};
  event.rows = {test::Row("a", "alpha", test::Changed(0.019, 0.017, 0.001, 0.1)),
                test::Row("a", "beta", test::Changed(0.0205, 0.008, 0.001, 0.1)),
                test::Row("a", "gamma_", test::Changed(0, 0.028, 0.001, 0.1))};
  event.rows[2].presence = analysis::diff::Presence::kAppeared;
  event.total.change = test::Changed(0.0395, 0.053, 0.001, 0.1);
  event.before.whole = 0.0395;
  event.after.whole = 0.053;
  for (const PerfCase& one : kPerfCases)
    EXPECT_EQ(RenderPerfDiff(one.swapped ? test::Swapped(diff) : diff, one.options), one.text);
}

TEST(PerfDiffTest, PeriodsOfEventsStayEvents) {
  ProfileDiff diff = test::Faster();
  auto& event = diff.events[0];
  event.unit.unit = model::EventUnit::kCount;
  event.rows.resize(1);
  event.rows[0].self.before = 100;
  event.rows[0].self.after = 50;
  event.before.whole = 400;
  event.after.whole = 100;
  PerfDiffOptions options{.period = true, .formula = true, .quiet = true, .separator = "\t"};
  EXPECT_EQ(RenderPerfDiff(diff, options),
            "25.00\t100\t+25.00%\t(50 * 100 / 100) - (100 * 100 / 400)\t50\tparse\t[.] "
            "parse_row\n");
  event.before.mean = 200;  // what a filter left
  options.relative_percentage = true;
  options.formula = false;
  event.after.mean = 100;
  EXPECT_EQ(RenderPerfDiff(diff, options), "50.00\t100\t+0.00%\t50\tparse\t[.] parse_row\n");
}

}  // namespace
}  // namespace prof::report
