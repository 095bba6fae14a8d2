// Lines of an annotated function: self, inlined, children, and their sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::AnnotateBest;
using test::LineTexts;
using test::Stream;
using test::Text;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Frames = std::vector<model::SymbolFrame>;

class Lines : public ::testing::Test {
 protected:
  Lines() : app(stream.Module("/bin/app")), thread(stream.Thread(5, 6, "app")) {}

  void Place(std::uint64_t address, const std::string& name, std::uint32_t line) {
    stream.Symbol(app, address, Frames{{name, "/src/a.cc", line, false}}, address & ~0xfULL, 16);
  }

  Stream stream;
  model::ModuleId app = 0;
  model::ThreadId thread = 0;
};

TEST_F(Lines, OfARecursionCountOncePerSampleAndLine) {
  // main:1 -> f:10 -> f:11 -> f:10 -> f:12
  stream.Sample(thread, stream.Stack(app, {0x10, 0x20, 0x21, 0x20, 0x22}), 8);
  stream.Sample(thread, stream.Stack(app, {0x10, 0x20}), 4);
  stream.Sample(thread, stream.Stack(app, {0x10, 0x30}), 1);
  Place(0x10, "main", 1);
  Place(0x20, "f", 10);
  Place(0x21, "f", 11);
  Place(0x22, "f", 12);
  Place(0x30, "g", 20);
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_EQ(Text(f.self), "12/2");
  EXPECT_EQ(Text(f.children), "12/2");
  EXPECT_THAT(LineTexts(f), ElementsAre("/src/a.cc:10 4/1 0/0 12/2", "/src/a.cc:11 0/0 0/0 8/1",
                                        "/src/a.cc:12 8/1 0/0 8/1"));
  ASSERT_EQ(f.events.size(), 1U);
  EXPECT_EQ(f.events[0].total, (Amount{13, 3}));
}

TEST_F(Lines, OfAFunctionThatOnlyCallsHaveChildrenAlone) {
  stream.Sample(thread, stream.Stack(app, {0x10, 0x20}), 4);
  Place(0x10, "main", 1);
  Place(0x20, "f", 10);
  const AnnotatedFunction main = AnnotateBest(stream.Build(), "main");
  EXPECT_THAT(LineTexts(main), ElementsAre("/src/a.cc:1 0/0 0/0 4/1"));
  EXPECT_THAT(main.copies, IsEmpty());
  EXPECT_THAT(main.notes,
              ElementsAre("no sample is in main itself: its lines show what they called"));
}

// f has h inlined through line 31 directly, and through line 32 by way of g.
class InlinedTwice : public Lines {
 protected:
  InlinedTwice() {
    stream.Sample(thread, stream.Stack(app, {0x20}), 1);
    stream.Sample(thread, stream.Stack(app, {0x21}), 2);
    stream.Sample(thread, stream.Stack(app, {0x22}), 4);
    stream.Sample(thread, stream.Stack(app, {0x23}), 8);
    Place(0x20, "f", 30);
    Inline(0x21, {{"h", "/src/h.h", 5, true}, {"f", "/src/a.cc", 31, false}});
    Inline(0x22,
           {{"h", "/src/h.h", 5, true}, {"g", "/src/g.h", 7, true}, {"f", "/src/a.cc", 32, false}});
    Inline(0x23, {{"g", "/src/g.h", 6, true}, {"f", "/src/a.cc", 32, false}});
  }
  void Inline(std::uint64_t address, const Frames& frames) {
    stream.Symbol(app, address, frames, 0x20, 16);
  }
};

TEST_F(InlinedTwice, CountsToTheLinesOfTheOuterFunction) {
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_EQ(Text(f.self), "15/4");
  EXPECT_THAT(LineTexts(f), ElementsAre("/src/a.cc:30 1/1 0/0 1/1", "/src/a.cc:31 2/1 2/1 2/1",
                                        "/src/a.cc:32 12/2 12/2 12/2"));
  const auto& callees = f.lines[2].callees;
  ASSERT_EQ(callees.size(), 2U);
  EXPECT_EQ(Text(callees[0].position, f), "g /src/g.h:6 < f /src/a.cc:32");
  EXPECT_EQ(Text(callees[0].self), "8/1");
  EXPECT_EQ(Text(callees[1].position, f), "h /src/h.h:5 < g /src/g.h:7 < f /src/a.cc:32");
  EXPECT_EQ(Text(callees[1].self), "4/1");
}

TEST_F(InlinedTwice, TheInlinedFunctionHasItsOwnLines) {
  const Profile profile = stream.Build();
  const AnnotatedFunction h = AnnotateBest(profile, "h");
  EXPECT_THAT(LineTexts(h), ElementsAre("/src/h.h:5 6/2 0/0 6/2"));
  ASSERT_EQ(h.copies.size(), 1U);
  EXPECT_TRUE(h.copies[0].inlined);
  EXPECT_EQ(h.copies[0].name, "f");
  const AnnotatedFunction g = AnnotateBest(profile, "g");
  EXPECT_THAT(LineTexts(g), ElementsAre("/src/g.h:6 8/1 0/0 8/1", "/src/g.h:7 4/1 4/1 4/1"));
  EXPECT_EQ(Text(g.copies[0].self), "12/2");
}

TEST_F(InlinedTwice, OfInlinedRecursionTheOutermostLineCounts) {
  stream.Sample(thread, stream.Stack(app, {0x24}), 16);
  Inline(0x24, {{"f", "/src/a.cc", 33, true}, {"f", "/src/a.cc", 34, false}});
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_EQ(Text(f.self), "31/5");
  // The inner line is on the stack, but has no self.
  EXPECT_THAT(LineTexts(f), ElementsAre("/src/a.cc:30 1/1 0/0 1/1", "/src/a.cc:31 2/1 2/1 2/1",
                                        "/src/a.cc:32 12/2 12/2 12/2", "/src/a.cc:33 0/0 0/0 16/1",
                                        "/src/a.cc:34 16/1 16/1 16/1"));
}

TEST_F(Lines, OfALambdaInATemplate) {
  const std::string lambda = "_ZZN2ns3runIiEEvT_ENKUlvE_clEv";  // ns::run<int>'s
  stream.Sample(thread, stream.Stack(app, {0x21}), 5);
  stream.Symbol(
      app, 0x21,
      Frames{{lambda, "/src/run.h", 8, true}, {"_ZN2ns3runIiEEvT_", "/src/run.h", 7, false}}, 0x20,
      16);
  const Profile profile = stream.Build();
  const AnnotatedFunction inner = AnnotateBest(profile, lambda);
  EXPECT_THAT(LineTexts(inner), ElementsAre("/src/run.h:8 5/1 0/0 5/1"));
  const AnnotatedFunction outer = AnnotateBest(profile, "ns::run<int>");
  EXPECT_THAT(LineTexts(outer), ElementsAre("/src/run.h:7 5/1 5/1 5/1"));
  EXPECT_EQ(outer.copies.at(0).name, "ns::run<int>");
}

TEST_F(Lines, WithoutLineTakeWhatHasNone) {
  stream.Sample(thread, stream.Stack(app, {0x20}), 1);
  stream.Sample(thread, stream.Stack(app, {0x21}), 2);
  stream.Sample(thread, stream.Stack(app, {0x22}), 4);
  Place(0x20, "f", 30);
  Place(0x21, "f", 0);
  stream.Symbol(app, 0x22, "f");
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_THAT(LineTexts(f), ElementsAre("/src/a.cc:30 1/1 0/0 1/1", "?:0 6/2 0/0 6/2"));
}

TEST_F(Lines, OfSeveralEventsStandSideBySide) {
  stream.AddEvent("cache-misses");
  const auto at_30 = stream.Stack(app, {0x20});
  stream.Sample(thread, at_30, 3);
  stream.Sample(thread, at_30, 100, 1000, 0, 1);
  stream.Sample(thread, stream.Stack(app, {0x21}), 200, 1000, 0, 1);
  Place(0x20, "f", 30);
  Place(0x21, "f", 31);
  const AnnotatedFunction f = AnnotateBest(stream.Build(), "f");
  EXPECT_THAT(LineTexts(f), ElementsAre("/src/a.cc:30 3/1 100/1 0/0 0/0 3/1 100/1",
                                        "/src/a.cc:31 0/0 200/1 0/0 0/0 0/0 200/1"));
  ASSERT_EQ(f.events.size(), 2U);
  EXPECT_EQ(f.events[1].desc.name, "cache-misses");
  EXPECT_EQ(f.events[1].total, (Amount{300, 2}));
}

TEST_F(Lines, FollowTheFilters) {
  const auto node = stream.Stack(app, {0x20});
  const auto other = stream.Thread(5, 7, "other");
  stream.Sample(thread, node, 1, 1000, 0);
  stream.Sample(thread, node, 2, 2000, 1);
  stream.Sample(other, node, 4, 3000, 1);
  Place(0x20, "f", 30);
  const Profile profile = stream.Build();
  const auto self = [&](const SampleFilter& filter) {
    AnnotateOptions options;
    options.scope.filter = filter;
    return Text(AnnotateBest(profile, "f", options).self);
  };
  EXPECT_EQ(self({.time_begin_ns = 1500}), "6/2");
  EXPECT_EQ(self({.time_end_ns = 2000}), "3/2");
  EXPECT_EQ(self({.comms = {"other"}}), "4/1");
  EXPECT_EQ(self({.tids = {6}}), "3/2");
  EXPECT_EQ(self({.pids = {5}}), "7/3");
  EXPECT_EQ(self({.cpus = {1}}), "6/2");
  // The innermost frame's symbol is not looked at.
  EXPECT_EQ(self({.symbols = {"g"}}), "7/3");
}

TEST_F(Lines, TheFileOfTheFirstLineComesFirst) {
  stream.Sample(thread, stream.Stack(app, {0x1006}), 1);
  stream.Sample(thread, stream.Stack(app, {0x1009}), 50);
  stream.Symbol(app, 0x1006, Frames{{"loop", "/src/loop.c", 12, false}}, 0x1000, 20);
  stream.Symbol(app, 0x1009, Frames{{"loop", "/a/macro.inc", 3, false}}, 0x1000, 20);
  test::AddCode(stream, app, {test::LoopCode("loop")});
  const AnnotatedFunction loop = AnnotateBest(stream.Build(), "loop");
  EXPECT_THAT(LineTexts(loop),
              ElementsAre("/src/loop.c:12 1/1 0/0 1/1", "/a/macro.inc:3 50/1 0/0 50/1"));
}

TEST_F(Lines, WithoutALineTableTheHottestFileComesFirst) {
  stream.Sample(thread, stream.Stack(app, {0x20}), 1);
  stream.Sample(thread, stream.Stack(app, {0x21}), 50);
  stream.Symbol(app, 0x20, Frames{{"f", "/a/a.cc", 12, false}}, 0x20, 16);
  stream.Symbol(app, 0x21, Frames{{"f", "/b/b.cc", 3, false}}, 0x20, 16);
  EXPECT_THAT(LineTexts(AnnotateBest(stream.Build(), "f")),
              ElementsAre("/b/b.cc:3 50/1 0/0 50/1", "/a/a.cc:12 1/1 0/0 1/1"));
}

}  // namespace
}  // namespace prof::analysis
