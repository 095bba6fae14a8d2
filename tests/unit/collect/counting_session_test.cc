// What a counting session refuses before anything runs.
#include <gtest/gtest.h>

#include "support/vector_sink.h"

#include "prof/collect/count_session.h"

namespace prof::collect {
namespace {

ErrorKind RefusalOf(model::TargetKind kind, CountSplit split) {
  CountOptions options;
  options.target.kind = kind;
  options.split = split;
  options.sides.push_back({});
  test::VectorSink sink;
  const auto session = CountSession::Open(std::move(options), HostFs(), sink);
  EXPECT_TRUE(sink.records.empty());
  return session ? ErrorKind::kInternal : session.error().kind;
}

TEST(CountSessionTest, SplitsThatTheTargetCannotHaveAreRefused) {
  using enum model::TargetKind;
  EXPECT_EQ(RefusalOf(kCommand, CountSplit::kCpu), ErrorKind::kUsage);
  EXPECT_EQ(RefusalOf(kProcesses, CountSplit::kCpu), ErrorKind::kUsage);
  EXPECT_EQ(RefusalOf(kCommand, CountSplit::kThread), ErrorKind::kUsage);
  EXPECT_EQ(RefusalOf(kCpus, CountSplit::kThread), ErrorKind::kUsage);
}

}  // namespace
}  // namespace prof::collect
