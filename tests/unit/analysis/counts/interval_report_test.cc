// Intervals of a run that goes on, and reports of whatever a damaged stream may hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "unit/analysis/counts/run_stream.h"

#include "prof/analysis/counts/stat_report.h"

namespace prof::analysis::counts {
namespace {

using test::RunStream;
using CountedRun = counts::Run;  // testing::Test has a Run of its own

model::CounterReading At(std::uint64_t time_ns, model::EventId event, std::uint64_t value,
                         std::uint64_t busy_ns) {
  return {.event = event,
          .time_ns = time_ns,
          .value = value,
          .enabled_ns = busy_ns,
          .running_ns = busy_ns};
}

TEST(IntervalReport, CountsWhatCameBetweenTwoLooks) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::TaskClock());
  stream.Event(test::PageFaults());
  stream.Append(At(1'000'000'000, 0, 50'000'000, 50'000'000));
  stream.Append(At(1'000'000'000, 1, 10, 50'000'000));
  const CountedRun first = *stream.builder().current();
  const StatReport one = BuildIntervalReport(stream.runs(), first, nullptr, 0.1, {});
  EXPECT_EQ(one.interval_s, 0.1);
  EXPECT_DOUBLE_EQ(one.sides[0].values[1].value, 10);
  EXPECT_DOUBLE_EQ(one.sides[0].values[0].metric->value, 0.5);
  stream.Append(At(1'200'000'000, 0, 200'000'000, 200'000'000));
  stream.Append(At(1'200'000'000, 1, 16, 200'000'000));
  const StatReport two =
      BuildIntervalReport(stream.runs(), *stream.builder().current(), &first, 0.3, {});
  EXPECT_EQ(two.interval_s, 0.3);
  EXPECT_DOUBLE_EQ(two.sides[0].values[0].value, 150);
  EXPECT_EQ(two.sides[0].values[0].running_ns, 150'000'000U);
  EXPECT_DOUBLE_EQ(two.sides[0].values[0].metric->value, 0.75);
  EXPECT_DOUBLE_EQ(two.sides[0].values[1].value, 6);
  EXPECT_DOUBLE_EQ(two.sides[0].values[1].metric->value, 40);
  EXPECT_TRUE(two.sides[0].quantities.empty());
}

TEST(IntervalReport, AnIntervalInWhichNothingRanIsNotCounted) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(At(1000, 0, 10, 50));
  const CountedRun first = *stream.builder().current();
  stream.Append(At(2000, 0, 10, 50));
  const StatReport report =
      BuildIntervalReport(stream.runs(), *stream.builder().current(), &first, 0.3, {});
  EXPECT_EQ(report.sides[0].values[0].state, CountState::kNotCounted);
}

TEST(IntervalReport, CountersThatSeemToRunBackwardsGiveNothing) {
  RunStream stream;
  stream.Side("a");
  stream.Event(test::PageFaults());
  stream.Append(At(1000, 0, 10, 50));
  const CountedRun first = *stream.builder().current();
  stream.Append(At(2000, 0, 4, 90));
  const StatReport report =
      BuildIntervalReport(stream.runs(), *stream.builder().current(), &first, 0.3, {});
  EXPECT_DOUBLE_EQ(report.sides[0].values[0].value, 0);
}

using Sums = std::map<std::pair<std::string, model::EventId>, double>;

void AddTo(Sums& sums, const StatReport& report) {
  for (const StatValue& value : report.sides[0].values) {
    sums[{value.label, value.event}] += value.value;
  }
}

TEST(IntervalReport, IntervalsAddUpToTheTotal) {
  std::mt19937_64 random(7);
  for (int experiment = 0; experiment < 50; ++experiment) {
    RunStream stream;
    stream.Side("a");
    stream.Event(test::PageFaults());
    stream.Event(test::Switches());
    const StatReportOptions options{.aggregation = Aggregation::kCpu};
    std::map<std::pair<model::EventId, std::uint32_t>, std::uint64_t> totals;
    Sums sums;
    std::optional<CountedRun> before;
    for (std::uint64_t look = 1; look <= 8; ++look) {
      for (model::EventId event = 0; event < 2; ++event) {
        for (std::uint32_t cpu = 0; cpu < 1 + look / 3; ++cpu) {
          const std::uint64_t total = totals[{event, cpu}] += random() % 1000;
          auto reading = At(look * 1000, event, total, look * 500);
          reading.cpu = cpu;
          stream.Append(reading);
        }
      }
      const CountedRun now = *stream.builder().current();
      AddTo(sums, BuildIntervalReport(stream.runs(), now, before ? &*before : nullptr,
                                      static_cast<double>(look), options));
      before = now;
    }
    stream.Append(model::RunDef{.wall_ns = 8000});
    Sums whole;
    AddTo(whole, BuildStatReport(stream.runs(), options));
    EXPECT_EQ(sums, whole);
  }
}

// Small numbers that often fit together, and the largest ones.
class Chaos {
 public:
  explicit Chaos(std::uint64_t seed) : random_(seed) {}

  std::uint32_t Id() {
    return random_() % 20 == 0 ? static_cast<std::uint32_t>(random_()) : random_() % 4;
  }
  std::uint64_t Number() {
    const std::uint64_t kind = random_() % 8;
    if (kind == 0) return 0;
    if (kind == 1) return ~std::uint64_t{0} - random_() % 2;
    return kind == 2 ? random_() : random_() % 1'000'000;
  }
  double Real() {
    const std::vector<double> odd = {std::nan(""), INFINITY, -INFINITY, 1e300, -3, 0, 1e-300};
    return random_() % 4 == 0 ? odd[random_() % odd.size()] : static_cast<double>(random_() % 100);
  }
  model::EventDesc Event() {
    static const std::vector<const char*> kNames = {
        "", "/", "slots", "topdown-retiring:u", "cpu/event=0x76/", ":", "op_spec"};
    return {.name = kNames[random_() % kNames.size()],
            .unit = static_cast<model::EventUnit>(random_() % 3),
            .excludes_kernel = random_() % 4 == 0,
            .attr_type = static_cast<std::uint32_t>(random_() % 5),
            .attr_config = random_() % 10,
            .scale = random_() % 3 == 0 ? Real() : 1,
            .scale_unit = random_() % 5 == 0 ? "J" : "",
            .refused = random_() % 5 == 0 ? "no" : ""};
  }
  model::RunDef Run() {
    model::RunDef run{.run = static_cast<std::uint32_t>(random_() % 30),
                      .side = Id(),
                      .wall_ns = Number(),
                      .user_ns = Number(),
                      .max_rss_bytes = Number(),
                      .noise = {.wait_ns = Number(),
                                .minor_faults = Number(),
                                .major_faults = Number(),
                                .other_cpu_ns = Number(),
                                .frequency_khz = Number()}};
    for (std::uint64_t metric = random_() % 3; metric > 0; --metric) run.metrics.push_back(Real());
    return run;
  }
  model::Record Record() {
    switch (random_() % 10) {
      case 0:
        return model::EventDef{.id = Id(), .event = Event()};
      case 1:
        return model::SideDef{.id = Id(), .text = "x"};
      case 2:
        return model::MetricDef{.id = Id(), .name = "m", .higher_is_better = random_() % 2 == 0};
      case 3:
        return model::ThreadDef{.id = Id(), .process = Id(), .tid = Id()};
      case 4:
        return model::EpochBegin{.index = Id()};
      case 5:
      case 6:
        return Run();
      default:
        return model::CounterReading{.run = static_cast<std::uint32_t>(random_() % 30),
                                     .event = Id(),
                                     .cpu = random_() % 2 == 0 ? model::kUnknownCpu : Id(),
                                     .thread = random_() % 2 == 0 ? model::kUnknownThread : Id(),
                                     .time_ns = Number(),
                                     .value = Number(),
                                     .enabled_ns = Number(),
                                     .running_ns = Number()};
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(StatReport, AnyStreamGivesAReportOfFiniteNumbers) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Chaos chaos(seed);
    RunSetBuilder builder;
    for (int record = 0; record < 200; ++record) {
      ASSERT_TRUE(builder.Append(chaos.Record()).has_value());
    }
    for (const auto aggregation :
         {Aggregation::kTotal, Aggregation::kCpu, Aggregation::kCore, Aggregation::kSocket,
          Aggregation::kNode, Aggregation::kThread}) {
      const StatReportOptions options{.aggregation = aggregation,
                                      .scale = seed % 2 == 0,
                                      .topology = {{.cpu = 1}, {.cpu = 2, .socket = 1}},
                                      .slots_per_cycle = chaos.Real()};
      const StatReport report = BuildStatReport(builder.runs(), options);
      ASSERT_EQ(report.sides.size(), builder.runs().sides.size());
      for (const StatSide& side : report.sides) {
        for (const StatValue& value : side.values) {
          EXPECT_TRUE(std::isfinite(value.value)) << seed;
          EXPECT_TRUE(value.counted_share >= 0 && value.counted_share <= 1) << seed;
          EXPECT_TRUE(std::isfinite(value.metric.value_or(DerivedMetric{}).value)) << seed;
        }
        for (const StatQuantity& line : side.quantities) EXPECT_TRUE(std::isfinite(line.value));
      }
      if (const CountedRun* now = builder.current()) {
        EXPECT_EQ(
            BuildIntervalReport(builder.runs(), *now, nullptr, chaos.Real(), options).sides.size(),
            1U);
      }
    }
  }
}

}  // namespace
}  // namespace prof::analysis::counts
