// Which functions a query means: names, copies, expressions, lines, near names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/clone_suffix.h"
#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::AddCode;
using test::Choose;
using test::LoopCode;
using test::Stream;
using test::Texts;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Frames = std::vector<model::SymbolFrame>;

model::SymbolFrame Frame(const std::string& name, const std::string& file = "",
                         std::uint32_t line = 0, bool inlined = false) {
  return {.name = name, .file = file, .line = line, .inlined = inlined};
}

TEST(CloneSuffix, OfEveryCompilerComesOff) {
  for (const char* name :
       {"f", "f.cold", "f.isra.0", "f.part.1", "f.constprop.0", "f.lto_priv.3", "f.llvm.123",
        "f [clone .cold]", "f.isra.0.cold", "f.constprop.0.isra.0",
        "f [clone .isra.0] [clone .cold]", "f.avx2", "f.arch_x86_64_v3.0", "f.__uniq.77"}) {
    EXPECT_EQ(WithoutCloneSuffix(name), "f") << name;
  }
  EXPECT_EQ(WithoutCloneSuffix("ns::f(int).cold"), "ns::f(int)");
  EXPECT_EQ(WithoutCloneSuffix("main._omp_fn.0"), "main._omp_fn.0");
  EXPECT_EQ(WithoutCloneSuffix("memcpy@plt"), "memcpy@plt");
  EXPECT_EQ(WithoutCloneSuffix(".cold"), ".cold");
  EXPECT_EQ(WithoutCloneSuffix("operator[]"), "operator[]");
  EXPECT_EQ(WithoutCloneSuffix(""), "");
}

// main calls ns::work(int), which has a cold part and an overload; std::max is inlined into it.
class Choice : public ::testing::Test {
 protected:
  Choice() {
    app = stream.Module("/bin/app");
    lib = stream.Module("/lib/libwork.so");
    thread = stream.Thread(5, 5, "app");
    const auto main_node = stream.Stack(app, {0x10});
    stream.Sample(thread, stream.Node(main_node, app, 0x20), 30);
    stream.Sample(thread, stream.Node(main_node, app, 0x21), 40);
    stream.Sample(thread, stream.Node(main_node, app, 0x28), 5);
    stream.Sample(thread, stream.Node(main_node, app, 0x30), 7);
    stream.Sample(thread, stream.Node(main_node, lib, 0x20), 9);
    stream.Symbol(app, 0x10, "main", "/src/main.c", 3);
    stream.Symbol(app, 0x20, "_ZN2ns4workEi", "/src/work.cc", 8);
    stream.Symbol(app, 0x21,
                  Frames{Frame("_ZSt3maxIiERKT_S2_S2_", "/usr/include/c++/12/algo.h", 254, true),
                         Frame("_ZN2ns4workEi", "/src/work.cc", 9)});
    stream.Symbol(app, 0x28, "_ZN2ns4workEi.cold", "/src/work.cc", 12);
    stream.Symbol(app, 0x30, "_ZN2ns4workEd", "/src/work.cc", 20);
    stream.Symbol(lib, 0x20, "_ZN2ns4workEi", "/lib/src/work.cc", 8);
  }
  Stream stream;
  model::ModuleId app = 0;
  model::ModuleId lib = 0;
  model::ThreadId thread = 0;
};

TEST_F(Choice, NothingAskedForIsTheHottestWithCode) {
  const FunctionChoice choice = Choose(stream.Build(), "");
  EXPECT_THAT(Texts(choice.matches), ElementsAre("ns::work@app 75/3 75/3"));
  EXPECT_EQ(choice.matches[0].functions.size(), 2U);
  EXPECT_FALSE(choice.matches[0].only_inlined);
  EXPECT_EQ(choice.total, (Amounts{{91, 5}}));
  EXPECT_THAT(choice.nearest, IsEmpty());
}

TEST_F(Choice, NamesMatchWithAndWithoutParametersAndNamespaces) {
  const Profile profile = stream.Build();
  const auto all =
      ElementsAre("ns::work@app 75/3 75/3", "ns::work@libwork.so 9/1 9/1", "ns::work@app 7/1 7/1");
  const auto of_int = ElementsAre("ns::work@app 75/3 75/3", "ns::work@libwork.so 9/1 9/1");
  EXPECT_THAT(Texts(Choose(profile, "ns::work").matches), all);
  EXPECT_THAT(Texts(Choose(profile, "work").matches), all);
  EXPECT_THAT(Texts(Choose(profile, "ns::work(int)").matches), of_int);
  EXPECT_THAT(Texts(Choose(profile, "work(int)").matches), of_int);
  EXPECT_THAT(Texts(Choose(profile, "ns::work(int).cold").matches),
              ElementsAre("ns::work@app 75/3 75/3"));
  EXPECT_THAT(Texts(Choose(profile, "_ZN2ns4workEi").matches), of_int);
  EXPECT_THAT(Texts(Choose(profile, "_ZN2ns4workEi.cold").matches),
              ElementsAre("ns::work@app 75/3 75/3"));
  EXPECT_THAT(Texts(Choose(profile, "_ZN2ns4workEd").matches), ElementsAre("ns::work@app 7/1 7/1"));
  EXPECT_THAT(Texts(Choose(profile, "main").matches), ElementsAre("main@app 0/0 91/5"));
}

TEST_F(Choice, InlinedFunctionsMatch) {
  const FunctionChoice choice = Choose(stream.Build(), "std::max<int>");
  EXPECT_THAT(Texts(choice.matches), ElementsAre("std::max<int>@app 40/1 40/1"));
  EXPECT_TRUE(choice.matches[0].only_inlined);
}

TEST_F(Choice, InstancesOfATemplateAreOneMatch) {
  const auto node = stream.Stack(app, {0x10, 0x40, 0x41});
  stream.Sample(thread, node, 6);
  stream.Symbol(app, 0x40, "_ZSt3maxIdERKT_S2_S2_");
  stream.Symbol(app, 0x41, "_ZSt3maxIiERKT_S2_S2_");
  const Profile profile = stream.Build();
  // Once each on a stack that has both.
  EXPECT_THAT(Texts(Choose(profile, "max").matches), ElementsAre("std::max<...>@app 46/2 46/2"));
  EXPECT_THAT(Texts(Choose(profile, "max<...>").matches),
              ElementsAre("std::max<...>@app 46/2 46/2"))
      << "as it is shown";
  EXPECT_THAT(Texts(Choose(profile, "std::max<double>").matches),
              ElementsAre("std::max<double>@app 0/0 6/1"));
}

TEST_F(Choice, ExpressionsSearchDisplayNames) {
  const Profile profile = stream.Build();
  EXPECT_THAT(Texts(Choose(profile, "^ns::w.*double").matches),
              ElementsAre("ns::work@app 7/1 7/1"));
  EXPECT_THAT(Texts(Choose(profile, "m(ain|ax)").matches),
              ElementsAre("std::max<int>@app 40/1 40/1", "main@app 0/0 91/5"));
  const auto bad = ChooseFunctions(profile, "wor(k", {});
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().kind, ErrorKind::kUsage);
}

TEST_F(Choice, LinesOfSamplesMatchByTheEndOfTheirPath) {
  const Profile profile = stream.Build();
  FunctionChoice choice = Choose(profile, "work.cc:9");
  EXPECT_THAT(Texts(choice.matches), ElementsAre("ns::work@app 75/3 75/3"));
  EXPECT_EQ(choice.line, 9U);
  EXPECT_EQ(choice.file, "/src/work.cc");
  EXPECT_THAT(Texts(Choose(profile, "./src/work.cc:8").matches),
              ElementsAre("ns::work@app 75/3 75/3", "ns::work@libwork.so 9/1 9/1"));
  EXPECT_THAT(Texts(Choose(profile, "/src/main.c:3").matches), ElementsAre("main@app 0/0 91/5"));
  EXPECT_THAT(Texts(Choose(profile, "/src/main.c:3:17").matches), ElementsAre("main@app 0/0 91/5"))
      << "compilers write the column behind it";
  EXPECT_THAT(Choose(profile, "ork.cc:9").matches, IsEmpty());
  EXPECT_THAT(Choose(profile, "work.cc:0").matches, IsEmpty());
}

TEST_F(Choice, ALineBetweenOthersBelongsToTheFunctionAroundIt) {
  EXPECT_THAT(Texts(Choose(stream.Build(), "work.cc:11").matches),
              ElementsAre("ns::work@app 75/3 75/3"));
}

TEST_F(Choice, ALineWithoutCodeOffersTheFunctionsOfItsFile) {
  const FunctionChoice choice = Choose(stream.Build(), "src/work.cc:300");
  EXPECT_THAT(choice.matches, IsEmpty());
  EXPECT_THAT(
      Texts(choice.nearest),
      ElementsAre("ns::work@app 75/3 75/3", "ns::work@libwork.so 9/1 9/1", "ns::work@app 7/1 7/1"));
}

TEST(ChoiceByLine, FindsLinesWithoutSamplesInRecordedCode) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(5, 5, "app");
  stream.Sample(thread, stream.Stack(app, {0x1006}), 10);
  stream.Symbol(app, 0x1006, Frames{Frame("loop", "/src/loop.c", 12)}, 0x1000, 20);
  auto code = LoopCode("loop");
  // Of "cold_helper", which has no sample of its own.
  code.files.emplace_back("/src/helper.h");
  code.lines[1] = {{0x1004}, 1, 77};
  code.inlined = {{{0x1004}, {0x1006}, 1, "cold_helper", 0, 11}};
  AddCode(stream, app, {code});
  const Profile profile = stream.Build();
  EXPECT_THAT(Texts(Choose(profile, "loop.c:13").matches), ElementsAre("loop@app 10/1 10/1"));
  EXPECT_THAT(Texts(Choose(profile, "helper.h:77").matches), ElementsAre("loop@app 10/1 10/1"));
  EXPECT_THAT(Choose(profile, "loop.c:99").matches, IsEmpty());
}

TEST_F(Choice, NearNamesComeWithTheirShares) {
  const Profile profile = stream.Build();
  const FunctionChoice choice = Choose(profile, "mian");
  EXPECT_THAT(choice.matches, IsEmpty());
  EXPECT_THAT(Texts(choice.nearest), ElementsAre("main@app 0/0 91/5"));
  EXPECT_THAT(
      Texts(Choose(profile, "ns::wrok").nearest),
      ElementsAre("ns::work@app 75/3 75/3", "ns::work@app 7/1 7/1", "ns::work@libwork.so 9/1 9/1"));
  EXPECT_THAT(Texts(Choose(profile, "wrok").nearest),
              UnorderedElementsAre("ns::work@app 75/3 75/3", "ns::work@app 7/1 7/1",
                                   "ns::work@libwork.so 9/1 9/1"));
  EXPECT_THAT(Choose(profile, "nothing_like_it").nearest, IsEmpty());
}

TEST_F(Choice, FunctionsWithoutSamplesInScopeAreNotFound) {
  AnnotateScope scope;
  scope.filter.tids = {99};
  const FunctionChoice choice = Choose(stream.Build(), "ns::work", scope);
  EXPECT_THAT(choice.matches, IsEmpty());
  EXPECT_THAT(choice.nearest, IsEmpty());
  EXPECT_EQ(choice.total, (Amounts{{0, 0}}));
}

TEST_F(Choice, DsosRestrictTheFunctionsNotTheSamples) {
  AnnotateScope scope;
  scope.filter.dsos = {"libwork.so"};
  const FunctionChoice choice = Choose(stream.Build(), "work", scope);
  EXPECT_THAT(Texts(choice.matches), ElementsAre("ns::work@libwork.so 9/1 9/1"));
  EXPECT_EQ(choice.total, (Amounts{{91, 5}}));
}

TEST_F(Choice, EventsAreColumnsInTheOrderAskedFor) {
  stream.AddEvent("cache-misses");
  stream.Sample(thread, stream.Stack(app, {0x30}), 100, 1000, 0, 1);
  const Profile profile = stream.Build();
  EXPECT_THAT(Texts(Choose(profile, "ns::work(double)").matches),
              ElementsAre("ns::work@app 7/1 100/1 7/1 100/1"));
  AnnotateScope scope;
  scope.events = {1};
  EXPECT_THAT(Texts(Choose(profile, "", scope).matches), ElementsAre("ns::work@app 100/1 100/1"));
  scope.events = {2};
  const auto bad = ChooseFunctions(profile, "", scope);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().kind, ErrorKind::kUsage);
}

TEST(ChoiceOfNothing, EmptyProfilesHaveNoMatch) {
  Stream stream;
  const Profile profile = stream.Build();
  for (const char* query : {"", "main", "a.c:1", ".*"}) {
    const FunctionChoice choice = Choose(profile, query);
    EXPECT_THAT(choice.matches, IsEmpty());
    EXPECT_THAT(choice.nearest, IsEmpty());
    EXPECT_EQ(choice.events.size(), 1U);
  }
}

TEST(ChoiceWithoutSymbols, HottestPrefersFunctionsWithNames) {
  Stream stream;
  const auto app = stream.Module("/bin/app");
  const auto thread = stream.Thread(5, 5, "app");
  stream.Sample(thread, stream.Stack(app, {0x10}), 90);
  const auto named = stream.Stack(app, {0x20});
  stream.Sample(thread, stream.Node(named, app, 0x11), 10);
  {
    Stream stripped;
    const auto module = stripped.Module("/bin/app");
    stripped.Sample(stripped.Thread(5, 5, "app"), stripped.Stack(module, {0x10}), 90);
    EXPECT_THAT(Texts(Choose(stripped.Build(), "").matches), ElementsAre("0x10@app 90/1 90/1"));
  }
  stream.Symbol(app, 0x11, "f");
  const FunctionChoice choice = Choose(stream.Build(), "");
  EXPECT_THAT(Texts(choice.matches), ElementsAre("f@app 10/1 10/1"));
  ASSERT_EQ(choice.unnamed.size(), 1U);
  EXPECT_EQ(choice.unnamed[0].weight, 90U) << "that there was more is said";
  EXPECT_EQ(choice.unnamed_module, "app");
}

}  // namespace
}  // namespace prof::analysis
