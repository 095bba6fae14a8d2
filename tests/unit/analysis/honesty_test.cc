// What a recording says about its own blind spots.
#include "prof/analysis/honesty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/stream.h"

namespace prof::analysis {
namespace {

using test::Stream;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(Honesty, SharesOfStackEndsNameTheModuleWhereWalksStopped) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto lib = stream.Module("/lib/libold.so");
  const auto kernel = stream.Module("[kernel.kallsyms]", model::ModuleKind::kKernel);
  const auto thread = stream.Thread(1, 1, "app");
  for (int i = 0; i < 6; ++i) stream.Sample(thread, stream.Stack(app, {0x10}));
  const auto broken = stream.Stack(lib, {0x20}, model::StackEnd::kNoUnwindInfo);
  stream.Sample(thread, stream.Node(broken, app, 0x11));
  stream.Sample(thread, broken);
  stream.Sample(thread, stream.Stack(app, {0x12}, model::StackEnd::kNoUnwindInfo));
  stream.Sample(thread, stream.Stack(kernel, {0x90}, model::StackEnd::kNoUserStack));
  stream.Sample(thread, stream.Stack(app, {0x10}, model::StackEnd::kNotWalked));
  const Honesty honesty = Assess(stream.Build());
  ASSERT_EQ(honesty.events.size(), 1U);
  const EventHonesty& event = honesty.events[0];
  EXPECT_EQ(event.samples, 11U);
  EXPECT_EQ(event.walked_samples, 10U);
  EXPECT_DOUBLE_EQ(event.complete_share, 0.6);
  ASSERT_EQ(event.stack_ends.size(), 3U);
  EXPECT_EQ(event.stack_ends[0].end, model::StackEnd::kComplete);
  EXPECT_TRUE(event.stack_ends[0].worst_modules.empty());
  EXPECT_THAT(event.stack_ends[1].worst_modules, ElementsAre(Pair("libold.so", 2), Pair("app", 1)));
  EXPECT_TRUE(event.stack_ends[2].worst_modules.empty());
}

TEST(Honesty, SamplesWithJoinedFramesAreCountedPerEvent) {
  Stream stream;
  const auto other = stream.AddEvent("page-faults");
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  const auto outer =
      stream.Node(model::RootOf(model::StackEnd::kComplete), app, 0x10, model::FrameKind::kJoined);
  const auto inner = stream.Node(outer, app, 0x20, model::FrameKind::kReturn);
  for (int i = 0; i < 3; ++i) stream.Sample(thread, stream.Node(inner, app, 0x30));
  stream.Sample(thread, stream.Stack(app, {0x10}));
  stream.Sample(thread, inner, 1, 1000, 0, other);
  const Honesty honesty = Assess(stream.Build());
  EXPECT_EQ(honesty.events.at(0).joined_samples, 3U);
  EXPECT_EQ(honesty.events.at(0).walked_samples, 4U);
  EXPECT_EQ(honesty.events.at(1).joined_samples, 1U);
}

TEST(Honesty, TopRowHasAWilsonInterval) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  for (int i = 0; i < 10; ++i) stream.Sample(thread, stream.Stack(app, {i < 7 ? 0x10U : 0x20U}), 4);
  stream.Symbol(app, 0x10, "hot");
  const EventHonesty event = Assess(stream.Build()).events.at(0);
  EXPECT_EQ(event.top_name, "hot");
  EXPECT_DOUBLE_EQ(event.top_share, 0.7);
  // 7 of 10: (0.7 + 0.19207) / 1.38415 -+ 1.96 / 1.38415 * sqrt(0.021 + 0.0096037)
  EXPECT_NEAR(event.top_low, 0.39678, 1e-4);
  EXPECT_NEAR(event.top_high, 0.89221, 1e-4);
}

TEST(Honesty, UnequalWeightsAreFewerSamples) {
  const auto width = [](std::uint64_t heavy) {
    Stream stream;
    const auto app = stream.Module("/bin/app");
    const auto thread = stream.Thread(1, 1, "app");
    for (int i = 0; i < 50; ++i) stream.Sample(thread, stream.Stack(app, {0x10}), 2);
    for (int i = 0; i < 49; ++i) stream.Sample(thread, stream.Stack(app, {0x20}), 1);
    stream.Sample(thread, stream.Stack(app, {0x20}), heavy);
    const EventHonesty event = Assess(stream.Build()).events.at(0);
    return event.top_high - event.top_low;
  };
  EXPECT_GT(width(80), width(1));
}

TEST(Honesty, CpuUsedIsComparedByTheLastNameOfTheProcess) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(5, 5, "sh");
  stream.Rename(thread, 500, "app");
  const auto stack = stream.Stack(app, {0x10});
  stream.Sample(thread, stack, 300, 100);
  stream.Sample(thread, stack, 400, 600);
  const auto usage = [&](const std::string& comm, std::uint64_t used, std::uint64_t unseen) {
    model::CpuUsage record;
    record.comm = comm;
    record.used_ns = used;
    record.processes = 1;
    record.unsampled_processes = unseen;
    record.unsampled_used_ns = unseen * 10;
    stream.Add(record);
  };
  usage("true", 20, 2);
  usage("app", 1000, 0);
  const EventHonesty event = Assess(stream.Build()).events.at(0);
  ASSERT_EQ(event.cpu_gaps.size(), 2U);
  EXPECT_EQ(event.cpu_gaps[0].comm, "app");
  EXPECT_EQ(event.cpu_gaps[0].sampled_ns, 700U);
  EXPECT_EQ(event.cpu_gaps[1].sampled_ns, 0U);
  EXPECT_EQ(event.cpu_gaps[1].unsampled_used_ns, 20U);
  EXPECT_EQ(event.cpu_used_ns, 1020U);
  EXPECT_EQ(event.cpu_sampled_ns, 700U);
}

TEST(Honesty, LossesAddUpByCause) {
  Stream stream;
  stream.Add(model::Loss{.cause = model::LossCause::kKernelRing, .count = 3});
  stream.Add(model::Loss{.cause = model::LossCause::kThrottled, .count = 1});
  stream.Add(model::Loss{.cause = model::LossCause::kKernelRing, .count = 4, .at_least = true});
  const Honesty honesty = Assess(stream.Build());
  ASSERT_EQ(honesty.losses.size(), 2U);
  EXPECT_EQ(honesty.losses[0].count, 7U);
  EXPECT_TRUE(honesty.losses[0].at_least);
  EXPECT_FALSE(honesty.losses[1].at_least);
}

TEST(Honesty, SecondsComeFromTheEndOrTheSamples) {
  const auto seconds = [](bool with_end) {
    Stream stream;
    const auto app = stream.Module("/bin/app");
    const auto thread = stream.Thread(1, 1, "app");
    const auto stack = stream.Stack(app, {0x10});
    stream.Sample(thread, stack, 1, 1'000'000'000);
    stream.Sample(thread, stack, 1, 3'500'000'000);
    model::RecordingEnd end;
    end.sampling_begin_ns = 500'000'000;
    end.sampling_end_ns = 4'500'000'000;
    if (with_end) stream.Add(end);
    return Assess(stream.Build()).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(false), 2.5);
  EXPECT_DOUBLE_EQ(seconds(true), 4.0);
}

TEST(Honesty, ModulesWithoutSymbolsComeWorstFirst) {
  Stream stream;
  const auto rare = stream.Module("/lib/rare.so");
  const auto often = stream.Module("/lib/often.so");
  const auto fine = stream.Module("/bin/app");
  stream.Module("/lib/never.so");
  const auto thread = stream.Thread(1, 1, "app");
  stream.Sample(thread, stream.Stack(rare, {0x10}));
  for (int i = 0; i < 3; ++i) stream.Sample(thread, stream.Stack(often, {0x10}));
  stream.Sample(thread, stream.Stack(fine, {0x10}));
  stream.Symbol(fine, 0x10, "main");
  const Honesty honesty = Assess(stream.Build());
  ASSERT_EQ(honesty.modules_without_symbols.size(), 2U);
  EXPECT_EQ(honesty.modules_without_symbols[0].module.path, "/lib/often.so");
}

TEST(Honesty, LoadIsAShareOfAllCpus) {
  const model::RecordingInfo info{.cpus_online = 4};
  model::RecordingEnd end{.sampling_begin_ns = 1'000'000'000,
                          .sampling_end_ns = 3'000'000'000,
                          .other_cpu_ns = 2'000'000'000};
  EXPECT_DOUBLE_EQ(MachineLoadOf(info, end).other.value(), 0.25);
  EXPECT_FALSE(MachineLoadOf(info, end).steal);
  EXPECT_FALSE(MachineLoadOf({}, end).other);  // of how many CPUs?
  end.steal_ns = 80'000'000;
  EXPECT_DOUBLE_EQ(MachineLoadOf(info, end).steal.value(), 0.01);
  end.other_cpu_ns = model::kNotKnown - 1;
  EXPECT_DOUBLE_EQ(MachineLoadOf(info, end).other.value(), 1);
  end.sampling_end_ns = end.sampling_begin_ns + 150'000'000;  // 15 ticks
  EXPECT_FALSE(MachineLoadOf(info, end).other);
  end.sampling_end_ns = end.sampling_begin_ns - 1;
  EXPECT_FALSE(MachineLoadOf(info, end).steal);
}

TEST(Honesty, LargeModulesThatAreMostlyUnoptimized) {
  Stream stream;
  const auto debug = stream.Module("/bin/debug");
  const auto mixed = stream.Module("/lib/mixed.so");
  const auto small = stream.Module("/lib/small.so");
  const auto jit = stream.Module("/tmp/perf-1.map", model::ModuleKind::kJit);
  const auto thread = stream.Thread(1, 1, "app");
  const auto add = [&](model::ModuleId module, std::uint64_t address, bool unoptimized, int count) {
    stream.Symbol(module, address, {{.name = "f", .file = "", .line = 0, .inlined = false}}, 0, 0,
                  unoptimized);
    const auto stack = stream.Stack(module, {address});
    for (int i = 0; i < count; ++i) stream.Sample(thread, stack);
  };
  add(debug, 0x10, true, 30);
  add(debug, 0x20, false, 29);
  add(mixed, 0x10, true, 15);
  add(mixed, 0x20, false, 15);
  add(small, 0x10, true, 9);
  add(jit, 0x10, true, 20);
  stream.Sample(thread, model::RootOf(model::StackEnd::kNotWalked));
  const Honesty honesty = Assess(stream.Build());
  ASSERT_EQ(honesty.unoptimized_modules.size(), 1U);
  EXPECT_EQ(honesty.unoptimized_modules[0].name, "debug");
  EXPECT_EQ(honesty.unoptimized_modules[0].samples, 59U);
}

}  // namespace
}  // namespace prof::analysis
