// Merging of epochs, names by time, and records that make no sense.
#include <gtest/gtest.h>

#include "unit/analysis/stream.h"

namespace prof::analysis {
namespace {

using test::Stream;

TEST(ProfileBuilder, EqualThingsOfTwoEpochsBecomeOne) {
  Stream stream;
  stream.Module("/bin/other");
  auto module = stream.Module("/bin/app");
  auto thread = stream.Thread(10, 11, "app");
  stream.Sample(thread, stream.Stack(module, {0x10, 0x20}));
  stream.Epoch();
  module = stream.Module("/bin/app");
  stream.Thread(20, 20, "sh");
  thread = stream.Thread(10, 11, "app");
  stream.Sample(thread, stream.Stack(module, {0x10, 0x20}));
  stream.Sample(thread, stream.Stack(module, {0x10, 0x30}));
  stream.Symbol(module, 0x20, "f");
  const Profile profile = stream.Build();

  EXPECT_EQ(profile.modules().size(), 2U);
  EXPECT_EQ(profile.threads().size(), 2U);
  EXPECT_EQ(profile.nodes().size(), model::kStackRootCount + 3);
  ASSERT_EQ(profile.samples().size(), 3U);
  EXPECT_EQ(profile.samples()[0].stack, profile.samples()[1].stack);
  EXPECT_EQ(profile.samples()[0].thread, profile.samples()[1].thread);
  EXPECT_EQ(profile.EndOf(profile.samples()[2].stack), model::StackEnd::kComplete);
  const CodeLocation& leaf = profile.Locations(profile.samples()[1].stack).front();
  EXPECT_EQ(profile.Name(profile.functions()[leaf.function].name), "f");
  EXPECT_FALSE(profile.has_end());
  EXPECT_TRUE(profile.losses().empty());
}

TEST(ProfileBuilder, StacksThatEndOtherwiseAreOthers) {
  Stream stream;
  const auto module = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  stream.Sample(thread, stream.Stack(module, {0x10}));
  stream.Sample(thread, stream.Stack(module, {0x10}, model::StackEnd::kTruncated));
  const Profile profile = stream.Build();
  EXPECT_EQ(profile.EndOf(profile.samples()[0].stack), model::StackEnd::kComplete);
  EXPECT_EQ(profile.EndOf(profile.samples()[1].stack), model::StackEnd::kTruncated);
}

TEST(ProfileBuilder, ThreadNamesGoByTime) {
  Stream stream;
  const auto thread = stream.Thread(1, 1, "sh", 100);
  stream.Rename(thread, 200, "app");
  stream.Rename(thread, 300, "worker");
  const Profile profile = stream.Build();
  const auto name_at = [&](std::uint64_t time) { return profile.Name(profile.CommOf(0, time)); };
  EXPECT_EQ(name_at(50), "sh");
  EXPECT_EQ(name_at(199), "sh");
  EXPECT_EQ(name_at(200), "app");
  EXPECT_EQ(name_at(300), "worker");
  EXPECT_EQ(name_at(model::kUnknownTime), "worker");
  EXPECT_EQ(profile.Name(profile.CommOf(kNoIndex, 1)), "[unknown]");
}

TEST(ProfileBuilder, LaterEpochsNeitherLoseNorRepeatNames) {
  Stream stream;
  auto thread = stream.Thread(1, 1, "sh", 100);
  stream.Rename(thread, 200, "app");
  stream.Epoch();
  thread = stream.Thread(1, 1, "app", 100);
  stream.Rename(thread, 200, "app");
  stream.Rename(thread, 400, "late");
  const Profile profile = stream.Build();
  ASSERT_EQ(profile.threads().size(), 1U);
  EXPECT_EQ(profile.threads()[0].names.size(), 3U);
  EXPECT_EQ(profile.Name(profile.CommOf(0, 150)), "sh");
  EXPECT_EQ(profile.Name(profile.CommOf(0, 399)), "app");
  EXPECT_EQ(profile.Name(profile.CommOf(0, 400)), "late");
}

TEST(ProfileBuilder, JoinedFramesAreOneWithTheirUnjoinedCopies) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  const auto stack = [&](model::FrameKind outer) {
    const auto node = stream.Node(model::RootOf(model::StackEnd::kComplete), app, 0x10, outer);
    return stream.Node(node, app, 0x20);
  };
  stream.Sample(thread, stack(model::FrameKind::kReturn));
  stream.Sample(thread, stack(model::FrameKind::kJoined));
  const Profile profile = stream.Build();
  EXPECT_EQ(profile.nodes().size(), model::kStackRootCount + 2U);
  EXPECT_EQ(profile.samples()[0].stack, profile.samples()[1].stack);
  EXPECT_EQ(profile.JoinedSamples(0), 1U);
}

TEST(ProfileBuilder, ReusedIdsOfOneEpochAreTwoThreads) {
  Stream stream;
  stream.Thread(1, 1, "old", model::kUnknownTime);
  stream.Thread(1, 1, "new", model::kUnknownTime);
  EXPECT_EQ(stream.Build().threads().size(), 2U);
}

TEST(ProfileBuilder, IdsOutOfRangeAreCountedAndSkipped) {
  Stream stream;
  const auto module = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  const auto stack = stream.Stack(module, {0x10});
  stream.Sample(thread, stack);
  stream.Sample(thread + 1, stack);
  stream.Sample(thread, stack + 1);
  stream.Sample(thread, stack, 1, 1, 0, 7);
  stream.Rename(9, 1, "nobody");
  const auto broken = stream.Node(stack, module + 5, 0x20);
  stream.Sample(thread, broken);
  const auto below_broken = stream.Node(broken, module, 0x30);
  stream.Sample(thread, below_broken);
  const auto good = stream.Node(stack, module, 0x40);
  stream.Sample(thread, good);
  stream.Add(model::ModuleDef{.id = 17, .module = {}});
  const Profile profile = stream.Build();
  EXPECT_EQ(profile.samples().size(), 2U);
  ASSERT_EQ(profile.losses().size(), 1U);
  EXPECT_EQ(profile.losses()[0].cause, model::LossCause::kBadRecord);
  EXPECT_EQ(profile.losses()[0].count, 9U);
}

TEST(ProfileBuilder, NothingOfAnEpochIsValidInTheNext) {
  Stream stream;
  const auto module = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  const auto stack = stream.Stack(module, {0x10});
  stream.Epoch();
  stream.Sample(thread, stack);
  const Profile profile = stream.Build();
  EXPECT_TRUE(profile.samples().empty());
  EXPECT_EQ(profile.losses().size(), 1U);
}

TEST(ProfileBuilder, ASampleWithoutPcIsInUnknown) {
  Stream stream;
  stream.Sample(model::kUnknownThread, model::RootOf(model::StackEnd::kNoUserStack));
  const Profile profile = stream.Build();
  ASSERT_EQ(profile.samples().size(), 1U);
  const auto chain = profile.Locations(profile.samples()[0].stack);
  ASSERT_EQ(chain.size(), 1U);
  const Function& function = profile.functions()[chain[0].function];
  EXPECT_EQ(profile.modules()[function.module].module.kind, model::ModuleKind::kUnknown);
  EXPECT_FALSE(profile.NeedsSymbols());
}

TEST(ProfileBuilder, ReturnAddressesAreLookedUpBeforeTheCall) {
  Stream stream;
  const auto module = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  const auto call = stream.Node(model::RootOf(model::StackEnd::kComplete), module, 0x11,
                                model::FrameKind::kReturn);
  stream.Sample(thread, call);
  stream.Symbol(module, 0x10, "caller", "/src/a.c", 7);
  const Profile profile = stream.Build();
  const CodeLocation& location = profile.Locations(profile.samples()[0].stack).front();
  EXPECT_EQ(profile.Name(profile.functions()[location.function].name), "caller");
  EXPECT_EQ(profile.Name(location.file), "/src/a.c");
  EXPECT_EQ(location.line, 7U);
}

TEST(ProfileBuilder, ModulesWithoutSymbolRecordsNeedSymbols) {
  Stream stream;
  stream.Module("/lib/never-hit.so");
  const auto module = stream.Module("/bin/app");
  const auto thread = stream.Thread(1, 1, "app");
  stream.Sample(thread, stream.Stack(module, {0x10}));
  EXPECT_TRUE(stream.Build().NeedsSymbols());

  Stream resolved;
  const auto other = resolved.Module("/bin/app");
  resolved.Sample(resolved.Thread(1, 1, "app"), resolved.Stack(other, {0x10}));
  resolved.Symbol(other, 0x10, std::vector<model::SymbolFrame>{});
  const Profile profile = resolved.Build();
  EXPECT_FALSE(profile.NeedsSymbols());
  const Function& function =
      profile.functions()[profile.Locations(model::kStackRootCount)[0].function];
  EXPECT_EQ(function.name, kNoIndex);
  EXPECT_EQ(function.address.value, 0x10U);
}

}  // namespace
}  // namespace prof::analysis
