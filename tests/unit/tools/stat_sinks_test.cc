// What records pass on their way to the report of prof stat.
#include "stat_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace prof::tools {
namespace {

using analysis::counts::RunSetBuilder;
using analysis::counts::StatReport;
using ::testing::IsEmpty;

class CountingSink final : public model::RecordSink {
 public:
  Status Append(const model::Record& record) override {
    if (refuse) return Fail(ErrorKind::kSystem, "full");
    records += 1;
    runs += std::holds_alternative<model::RunDef>(record) ? 1 : 0;
    return {};
  }
  Status Flush() override {
    ++flushes;
    return {};
  }
  int records = 0;
  int runs = 0;
  int flushes = 0;
  bool refuse = false;
};

TEST(TeeSinkTest, GivesEverythingToBoth) {
  CountingSink first, second;
  TeeSink tee(first, &second);
  ASSERT_TRUE(tee.Append(model::RunDef{}).has_value());
  ASSERT_TRUE(tee.Flush().has_value());
  EXPECT_EQ(first.records + first.flushes, 2);
  EXPECT_EQ(second.records + second.flushes, 2);
  second.refuse = true;
  EXPECT_FALSE(tee.Append(model::RunDef{}).has_value());
}

TEST(WholeRunsSinkTest, HoldsBackRunsThatFailed) {
  CountingSink sink;
  WholeRunsSink whole(sink);
  ASSERT_TRUE(whole.Append(model::CounterReading{}).has_value());
  ASSERT_TRUE(whole.Append(model::RunDef{.exit_status = 1}).has_value());
  ASSERT_TRUE(whole.Append(model::RunDef{.run = 1}).has_value());
  EXPECT_EQ(sink.records, 2);
  EXPECT_EQ(sink.runs, 1);
}

class IntervalSinkTest : public ::testing::Test {
 protected:
  IntervalSinkTest()
      : sink_(builder_, {}, [this](const StatReport& report) {
          reports_.push_back(report);
          return Status();
        }) {
    model::RecordingInfo info;
    info.start.monotonic_ns = kStart;
    Append(info);
    model::EventDef event;
    event.event.name = "page-faults";
    Append(event);
    Append(model::SideDef{.command = {"x"}, .text = "x"});
    Append(model::EpochBegin{});
  }
  void Append(const model::Record& record) { ASSERT_TRUE(sink_.Append(record).has_value()); }
  void Read(std::uint64_t value, std::uint64_t after_ns) {
    Append(model::CounterReading{.time_ns = kStart + after_ns,
                                 .value = value,
                                 .enabled_ns = after_ns,
                                 .running_ns = after_ns});
  }
  void Flush() { ASSERT_TRUE(sink_.Flush().has_value()); }

  static constexpr std::uint64_t kStart = 5'000'000'000;
  RunSetBuilder builder_;
  std::vector<StatReport> reports_;
  IntervalSink sink_;
};

TEST_F(IntervalSinkTest, PrintsDifferencesAndTheRest) {
  Flush();
  EXPECT_THAT(reports_, IsEmpty());
  Read(10, 100'000'000);
  Flush();
  Flush();  // nothing new
  Read(25, 200'000'000);
  Flush();
  Read(27, 250'000'000);
  Append(model::RunDef{.wall_ns = 250'000'000});
  ASSERT_EQ(reports_.size(), 3u);
  const double expected[][2] = {{0.1, 10}, {0.2, 15}, {0.25, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(reports_[i].interval_s.value_or(0), expected[i][0], 1e-9);
    ASSERT_EQ(reports_[i].sides.size(), 1u);
    ASSERT_EQ(reports_[i].sides[0].values.size(), 1u);
    EXPECT_EQ(reports_[i].sides[0].values[0].value, expected[i][1]);
  }
}

TEST_F(IntervalSinkTest, ARunThatEndsWithAnIntervalIsNotPrintedTwice) {
  Read(10, 100'000'000);
  Flush();
  Append(model::RunDef{.wall_ns = 100'000'000});
  EXPECT_EQ(reports_.size(), 1u);
}

}  // namespace
}  // namespace prof::tools
