#include "report/stat_numbers.h"

#include <gtest/gtest.h>

#include <limits>

#include "unit/report/stat_data.h"

namespace prof::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

TEST(StatNumbersTest, GroupsThousandsBeforeThePoint) {
  EXPECT_EQ(GroupDigits("1234567"), "1,234,567");
  EXPECT_EQ(GroupDigits("-1234.5678"), "-1,234.5678");
  EXPECT_EQ(GroupDigits("123"), "123");
  EXPECT_EQ(GroupDigits("-123"), "-123");
  EXPECT_EQ(GroupDigits(""), "");
}

TEST(StatNumbersTest, FixedTextStaysReadable) {
  EXPECT_EQ(FixedText(1234.5, 2, true), "1,234.50");
  EXPECT_EQ(FixedText(1234.5, 2), "1234.50");
  EXPECT_EQ(FixedText(-0.001, 2), "0.00");
  EXPECT_EQ(FixedText(1.2345678e18, 0, true), "1.2346e+18");
  EXPECT_EQ(FixedText(1.25e-12, kScientific), "1.25e-12");
  EXPECT_EQ(FixedText(kNotANumber, 2), "-");
  EXPECT_EQ(FixedText(-kInfinity, 2), "-");
}

TEST(StatNumbersTest, DecimalsFollowTheSpread) {
  EXPECT_EQ(DecimalsFor(0.017, 0.9), 3);
  EXPECT_EQ(DecimalsFor(0.5, 0.9), 2);
  EXPECT_EQ(DecimalsFor(12, 800), 0);
  EXPECT_EQ(DecimalsFor(0, 75), 0);
  EXPECT_EQ(DecimalsFor(0, 12.4), 2);
  // Not more than nine digits of the value, however narrow the spread.
  EXPECT_EQ(DecimalsFor(1e-9, 1234.5), 5);
  EXPECT_EQ(DecimalsFor(kNotANumber, 0.5), 4);
  EXPECT_EQ(DecimalsFor(kInfinity, kInfinity), 0);
}

TEST(StatNumbersTest, CountsOfSummariesAreWhole) {
  const auto even = test::SummaryOf({3, 4, 3, 4});
  EXPECT_EQ(SummaryText(even, even.median, false), "3.5");
  EXPECT_EQ(SummaryText(even, even.min, false), "3");
  const auto times = test::SummaryOf({0.91, 0.9, 0.92, 0.93, 0.91, 0.92});
  EXPECT_EQ(SummaryText(times, 0.9, false), "0.900");
}

TEST(StatNumbersTest, NumbersAlone) {
  EXPECT_EQ(NumberText(1234567, true), "1,234,567");
  EXPECT_EQ(NumberText(0.123456), "0.1235");
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(3e-20), "3e-20");
  EXPECT_EQ(NumberText(kNotANumber), "-");
}

TEST(StatNumbersTest, SecondsGetAReadableUnit) {
  EXPECT_EQ(MeasureText(1.31, "seconds"), "1.31 s");
  EXPECT_EQ(MeasureText(0.41, "seconds"), "0.41 s");
  EXPECT_EQ(MeasureText(0.0003, "seconds"), "0.3 ms");
  EXPECT_EQ(MeasureText(0.00000123, "seconds"), "1.23 us");
  EXPECT_EQ(MeasureText(2e-9, "seconds"), "2 ns");
  EXPECT_EQ(MeasureText(0, "seconds"), "0 s");
  EXPECT_EQ(MeasureText(3.4, "MB"), "3.4 MB");
  EXPECT_EQ(MeasureText(1500, ""), "1,500");
  EXPECT_EQ(MeasureText(kInfinity, "seconds"), "- s");
}

TEST(StatNumbersTest, ProbabilitiesHaveTwoDigits) {
  EXPECT_EQ(ProbabilityText(0.00021), "0.0002");
  EXPECT_EQ(ProbabilityText(0.0341), "0.034");
  EXPECT_EQ(ProbabilityText(0.000002), "<0.0001");
  EXPECT_EQ(ProbabilityText(0.51), "0.51");
  EXPECT_EQ(ProbabilityText(1), "1.0");
  EXPECT_EQ(ProbabilityText(kNotANumber), "-");
}

}  // namespace
}  // namespace prof::report
