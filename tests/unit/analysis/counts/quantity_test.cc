// Values of runs in the units that people read.
#include "prof/analysis/counts/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/analysis/counts/run_stream.h"

namespace prof::analysis::counts {
namespace {

using test::RunStream;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> NamesOf(const RunSet& set) {
  std::vector<std::string> names;
  for (const Quantity& quantity : QuantitiesOf(set)) names.push_back(quantity.name);
  return names;
}

double Value(const RunSet& set, std::size_t at, bool scale = true) {
  return ValueOf(set.runs[0], set, QuantitiesOf(set)[at], scale).value_or(-1);
}

TEST(Quantities, MetricsThenTimesThenMemoryThenEvents) {
  RunStream stream;
  stream.Side("a");
  stream.Append(model::MetricDef{.id = 0, .name = "throughput", .higher_is_better = true});
  stream.Event(test::TaskClock());
  stream.Event(test::PageFaults());
  stream.Event(test::Refused("cycles", "no PMU"));
  model::EventDesc energy{.name = "power/energy-pkg/", .scale = 0.5, .scale_unit = "Joules"};
  energy.attr_type = 20;
  stream.Event(energy);
  stream.Read(0, 2'500'000);
  stream.Read(1, 30, {}, 100, 50);
  stream.Read(3, 7);
  stream.Run(1.5, 0, [](model::RunDef& run) {
    run.user_ns = 1'000'000'000;
    run.system_ns = 250'000'000;
    run.max_rss_bytes = 12'500'000;
    run.metrics = {42};
  });
  const RunSet& set = stream.runs();
  ASSERT_THAT(NamesOf(set), ElementsAre("throughput", "time elapsed", "user", "sys", "max rss",
                                        "task-clock", "page-faults", "power/energy-pkg/"));
  const std::vector<Quantity> all = QuantitiesOf(set);
  EXPECT_TRUE(all[0].higher_is_better);
  EXPECT_EQ(all[1].unit, "seconds");
  EXPECT_EQ(all[4].unit, "MB");
  EXPECT_EQ(all[5].unit, "msec");
  EXPECT_EQ(all[6].unit, "");
  EXPECT_EQ(all[7].unit, "Joules");
  EXPECT_DOUBLE_EQ(Value(set, 0), 42);
  EXPECT_DOUBLE_EQ(Value(set, 1), 1.5);
  EXPECT_DOUBLE_EQ(Value(set, 2), 1);
  EXPECT_DOUBLE_EQ(Value(set, 3), 0.25);
  EXPECT_DOUBLE_EQ(Value(set, 4), 12.5);
  EXPECT_DOUBLE_EQ(Value(set, 5), 2.5);
  EXPECT_DOUBLE_EQ(Value(set, 6), 60);
  EXPECT_DOUBLE_EQ(Value(set, 6, false), 30);
  EXPECT_DOUBLE_EQ(Value(set, 7), 3.5);
}

TEST(Quantities, WhatNoRunHasIsNotAmongThem) {
  RunStream stream;
  EXPECT_THAT(NamesOf(stream.runs()), IsEmpty());
  stream.Side("a");
  stream.Append(model::MetricDef{.id = 0, .name = "x"});
  stream.Event(test::PageFaults());
  stream.Read(0, 5, {}, 100, 0);  // enabled, never counted
  stream.Run(0);
  EXPECT_THAT(NamesOf(stream.runs()), ElementsAre("time elapsed"));
}

TEST(Quantities, NumbersThatNoSampleTakesAreNotThere) {
  RunStream stream;
  stream.Side("a");
  stream.Append(model::MetricDef{.id = 0, .name = "x"});
  for (const double value : {1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    stream.Run(1, 0, [value](model::RunDef& run) { run.metrics = {value}; });
  }
  stream.Run(1);  // its metric is missing
  const auto sample = SampleOf(stream.runs(), 0, QuantitiesOf(stream.runs())[0]);
  ASSERT_TRUE(sample.has_value());
  EXPECT_THAT(sample->values(), ElementsAre(1.0));
}

TEST(Quantities, ASideWithoutValuesIsAnError) {
  RunStream stream;
  stream.Side("b");
  stream.Side("a");
  stream.Run(1, 0);
  const Quantity elapsed = QuantitiesOf(stream.runs())[0];
  EXPECT_TRUE(SampleOf(stream.runs(), 0, elapsed).has_value());
  const auto none = SampleOf(stream.runs(), 1, elapsed);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ErrorKind::kBadData);
  EXPECT_EQ(none.error().message, "time elapsed: no run has a value of it");
}

TEST(Quantities, EventsOfAnUnknownNumberHaveNoValue) {
  RunStream stream;
  stream.Side("a");
  stream.Run(1);
  const Quantity unknown{.kind = QuantityKind::kEvent, .index = 3};
  EXPECT_EQ(ValueOf(stream.runs().runs[0], stream.runs(), unknown), std::nullopt);
}

}  // namespace
}  // namespace prof::analysis::counts
