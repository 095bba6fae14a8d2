#include "metric_name.h"

#include <gtest/gtest.h>

namespace prof::tools {
namespace {

TEST(MetricNameTest, TheTextBeforeTheNumberNamesIt) {
  EXPECT_EQ(MetricNameOf("Requests/sec: +([0-9.]+)"), "Requests/sec");
  EXPECT_EQ(MetricNameOf(R"(^total\s+time:\s*(\d+\.\d+) s$)"), "total time");
  EXPECT_EQ(MetricNameOf("latency p99 = (.*?) ms"), "latency p99");
  EXPECT_EQ(MetricNameOf(R"(\(best\. score: "?([0-9]{1,3}))"), "best. score");
  EXPECT_EQ(MetricNameOf("время: ([0-9.]+) с"), "время");
}

TEST(MetricNameTest, ElseTheTextBehindIt) {
  EXPECT_EQ(MetricNameOf("([0-9.]+) fps"), "fps");
  EXPECT_EQ(MetricNameOf("[(]?([0-9.]+([eE][-+][0-9]+)?)[)] s/iter, then"), "s/iter, then");
  EXPECT_EQ(MetricNameOf(": ([0-9.]+)% hits"), "% hits");
}

TEST(MetricNameTest, AlternativesAndGroupsThatDoNotCaptureAreNoNames) {
  EXPECT_EQ(MetricNameOf("(?i)(?:took|needed) ([0-9.]+) seconds"), "seconds");
  EXPECT_EQ(MetricNameOf("up|down ([0-9])"), "up down");
}

TEST(MetricNameTest, NumbersAloneHaveNone) {
  for (const char* pattern : {"[0-9.]+", "([0-9.]+)", "^(\\d+)$", "10 ([0-9])", "", ".*", "[^]a]+"})
    EXPECT_EQ(MetricNameOf(pattern), "") << pattern;
}

// TextPattern refuses these before anybody asks for their names.
TEST(MetricNameTest, WhatIsNoPatternEnds) {
  for (const char* pattern : {"(", "[", "[^", "[]", "\\", "(\\", "([", "{", "a{", ")", "(()", "]"})
    EXPECT_LE(MetricNameOf(pattern).size(), 1U) << pattern;
}

}  // namespace
}  // namespace prof::tools
