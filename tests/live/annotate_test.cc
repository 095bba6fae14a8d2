// `prof annotate` of recordings made here: planted hot places are found, sums are exact, and a
// profile is read the same when the program and its sources are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "support/live_test.h"

namespace prof::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::uint64_t Samples(const Json& amounts) { return amounts.at(0).at("samples"); }
std::uint64_t Weight(const Json& amounts) { return amounts.at(0).at("weight"); }

double Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// The text of a line of an annotated function's source; empty when it is not known.
std::string LineText(const Json& function, const Json& file, std::uint64_t line) {
  if (file.is_null()) return {};
  for (const Json& piece : function.at("sources").at(file.get<std::size_t>()).at("text")) {
    const std::uint64_t first = piece.at("first_line");
    const Json& lines = piece.at("lines");
    if (line >= first && line < first + lines.size()) return lines.at(line - first);
  }
  return {};
}

// Samples of the instructions whose innermost line contains `mark`, of all copies.
std::uint64_t SamplesOn(const Json& function, const std::string& mark) {
  std::uint64_t samples = 0;
  for (const Json& copy : function.at("copies")) {
    for (const Json& instruction : copy.at("instructions")) {
      const Json& step =
          copy.at("positions").at(instruction.at("position").get<std::size_t>()).at(0);
      const std::string text = LineText(function, step.at("file"), step.at("line"));
      if (text.find(mark) != std::string::npos) samples += Samples(instruction.at("self"));
    }
  }
  return samples;
}

const Json* LineWith(const Json& function, const std::string& mark) {
  for (const Json& line : function.at("lines")) {
    if (LineText(function, line.at("file"), line.at("line")).find(mark) != std::string::npos)
      return &line;
  }
  return nullptr;
}

// Whatever was recorded, these are exact.
void ExpectExactSums(const Json& function) {
  std::uint64_t lines = 0;
  for (const Json& line : function.at("lines")) {
    lines += Weight(line.at("self"));
    std::uint64_t inlined = 0;
    for (const Json& callee : line.at("inlined_callees")) inlined += Weight(callee.at("self"));
    EXPECT_EQ(inlined, Weight(line.at("inlined"))) << line;
  }
  EXPECT_EQ(lines, Weight(function.at("self")));
  std::uint64_t copies = 0;
  for (const Json& copy : function.at("copies")) {
    copies += Weight(copy.at("self"));
    std::uint64_t instructions = Weight(copy.at("outside"));
    for (const Json& instruction : copy.at("instructions"))
      instructions += Weight(instruction.at("self"));
    EXPECT_EQ(instructions, Weight(copy.at("self"))) << copy.at("name");
  }
  EXPECT_EQ(copies, Weight(function.at("self")));
}

class AnnotateTest : public LiveTestAsBoth {
 protected:
  RunResult Annotate(const std::vector<std::string>& args) const {
    std::vector<std::string> command = {Prof(), "annotate", "-i", Data()};
    command.insert(command.end(), args.begin(), args.end());
    return RunProgram(command, Options());
  }

  // The only annotated function of `prof annotate --json ARGS`.
  Json Function(std::vector<std::string> args) const {
    args.emplace_back("--json");
    const RunResult result = Annotate(args);
    EXPECT_EQ(result.status, 0) << result.err;
    const Json report = Json::parse(result.out, nullptr, false);
    if (report.is_discarded() || report.at("functions").size() != 1) {
      ADD_FAILURE() << result.out.substr(0, 500) << result.err;
      return {};
    }
    return report.at("functions").at(0);
  }

  void RecordPlace(const std::string& place) const {
    MustRecord({"-e", "cpu-clock", "-F", "999", "-g", Workload("hot_places"), place, "700"});
  }
};
INSTANTIATE_TEST_SUITE_P(, AnnotateTest, ::testing::Values("Root", "User"),
                         [](const auto& which) { return std::string(which.param); });

class PlantedPlace : public AnnotateTest {};
INSTANTIATE_TEST_SUITE_P(, PlantedPlace, ::testing::Values("Root"),
                         [](const auto& which) { return std::string(which.param); });

TEST_P(PlantedPlace, IsTheHottestLineOfItsFunction) {
  for (const std::string place : {"line", "macro", "lambda", "template", "cold"}) {
    SCOPED_TRACE(place);
    RecordPlace(place);
    const Json function = Function({"hot_" + place});
    ASSERT_FALSE(function.is_null());
    ExpectExactSums(function);
    const std::uint64_t self = Samples(function.at("self"));
    EXPECT_GE(self, 300U);
    EXPECT_GE(Share(SamplesOn(function, "HOT " + place), self), 65) << place;
    EXPECT_GT(SamplesOn(function, "HOT " + place), SamplesOn(function, "WARM " + place));
  }
}

TEST_P(PlantedPlace, InlinedIsChargedToTheLineItWasCalledFrom) {
  for (const std::string place : {"lambda", "template"}) {
    SCOPED_TRACE(place);
    RecordPlace(place);
    const Json function = Function({"--source-only", "hot_" + place});
    ASSERT_FALSE(function.is_null());
    const Json* call = LineWith(function, "CALL " + place);
    ASSERT_NE(call, nullptr);
    EXPECT_GE(Share(Samples(call->at("inlined")), Samples(function.at("self"))), 65);
    const Json& hottest = call->at("inlined_callees").at(0).at("position").at(0);
    EXPECT_THAT(LineText(function, hottest.at("file"), hottest.at("line")),
                HasSubstr("HOT " + place));
  }
}

TEST_P(PlantedPlace, InASplitOffPartIsOneCopyOfTheFunction) {
  RecordPlace("cold");
  const Json function = Function({"hot_cold"});
  ASSERT_FALSE(function.is_null());
  const Json& copy = function.at("copies").at(0);
  EXPECT_THAT(copy.at("name").get<std::string>(), HasSubstr(".cold"));
  EXPECT_GE(Share(Samples(copy.at("self")), Samples(function.at("self"))), 90);
}

TEST_P(PlantedPlace, OrTheOneBehindItIsTheHottestInstruction) {
  RecordPlace("instruction");
  const Json function = Function({"hot_instruction"});
  ASSERT_FALSE(function.is_null());
  const Json& instructions = function.at("copies").at(0).at("instructions");
  std::uint64_t near = 0;
  bool behind = false;
  for (const Json& instruction : instructions) {
    const bool is_division = instruction.at("text").get<std::string>().starts_with("div");
    if (is_division || behind) near += Samples(instruction.at("self"));
    behind = is_division;
  }
  EXPECT_GE(Share(near, Samples(function.at("self"))), 50);
}

TEST_P(PlantedPlace, HasThePercentThatPerfAnnotateGivesIt) {
  const std::string data = File("perf.data");
  const RunResult perf = RunProgram({"perf", "record", "-e", "cpu-clock", "-F", "999", "-o", data,
                                     Workload("hot_places"), "line", "700"});
  if (perf.status != 0) GTEST_SKIP() << "perf record does not work here: " << perf.err;
  const RunResult text = RunProgram(
      {"perf", "annotate", "-i", data, "--stdio", "-l", "-s", "(anonymous namespace)::hot_line"});
  RecordPlace("line");
  const Json function = Function({"hot_line"});
  ASSERT_FALSE(function.is_null());
  const Json* hot = LineWith(function, "HOT line");
  ASSERT_NE(hot, nullptr);
  // "   88.44 hot_places.cc:32"
  const std::regex row(
      "([0-9.]+) +hot_places.cc:" + std::to_string(hot->at("line").get<std::uint64_t>()) + "\\b");
  std::smatch found;
  if (!std::regex_search(text.out, found, row))
    GTEST_SKIP() << "perf annotate has no lines here:\n" << text.out.substr(0, 2000);
  EXPECT_NEAR(Share(Samples(hot->at("self")), Samples(function.at("self"))), std::stod(found[1]),
              8);
}

// A program of our own that can be rebuilt.
class RebuiltProgram : public AnnotateTest {
 protected:
  void SetUp() override {
    AnnotateTest::SetUp();
    if (IsSkipped() || HasFailure()) return;
    if (RunProgram({"c++", "--version"}).status != 0) GTEST_SKIP() << "no compiler";
  }

  // spend() has its time on the line with `expression`.
  void Build(const std::string& expression) const {
    std::ofstream(File("app.cc")) << "volatile unsigned long sink, divisor = 12345;\n"
                                     "__attribute__((noinline)) void spend(unsigned long n) {\n"
                                     "  for (unsigned long i = 1; i < n; ++i) {\n"
                                  << "    sink = " << expression << ";\n"
                                  << "  }\n"
                                     "}\n"
                                     "int main() { spend(100000000); }\n";
    const RunResult result =
        RunProgram({"c++", "-O1", "-g", "-o", File("app"), File("app.cc")}, {.folder = File("")});
    ASSERT_EQ(result.status, 0) << result.err;
    ::chmod(File("app").c_str(), 0755);
    ::chmod(File("app.cc").c_str(), 0644);
  }
};
INSTANTIATE_TEST_SUITE_P(, RebuiltProgram, ::testing::Values("Root"),
                         [](const auto& which) { return std::string(which.param); });

TEST_P(RebuiltProgram, IsAnnotatedAsItRan) {
  Build("i / divisor");
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", File("app")});
  const RunResult before = Annotate({"spend"});
  EXPECT_EQ(before.status, 0) << before.err;
  EXPECT_THAT(before.out, HasSubstr("sink = i / divisor;"));
  EXPECT_THAT(before.out, HasSubstr("div "));

  Build("i * 7 + sink");
  const RunResult rebuilt = Annotate({"spend"});
  EXPECT_EQ(rebuilt.out, before.out);

  std::filesystem::remove(File("app"));
  std::filesystem::remove(File("app.cc"));
  EXPECT_EQ(Annotate({"spend"}).out, before.out);
}

TEST_P(RebuiltProgram, WithoutEmbeddedSourceAChangedOneComesWithAWarning) {
  Build("i / divisor");
  MustRecord({"--no-embed-source", "-e", "cpu-clock", "-F", "999", "-g", File("app")});
  EXPECT_THAT(Report({"--header-only"}).out, HasSubstr("--no-embed-source"));
  EXPECT_THAT(Annotate({"spend"}).out, HasSubstr("sink = i / divisor;"));
  Build("i * 7 + sink");
  EXPECT_THAT(Annotate({"spend"}).out, HasSubstr("changed since the recording"));
}

TEST_P(RebuiltProgram, WithoutCodeInTheFileTheBinaryMustBeTheOneThatRan) {
  Build("i / divisor");
  MustRecord({"--no-symbols", "-e", "cpu-clock", "-F", "999", "-g", File("app")});
  const RunResult before = Annotate({"spend"});
  EXPECT_THAT(before.out, HasSubstr("div "));
  EXPECT_THAT(before.out, HasSubstr("sink = i / divisor;"));
  Build("i * 7 + sink");
  const RunResult rebuilt = Annotate({"spend"});
  EXPECT_NE(rebuilt.status, 0) << rebuilt.out;
}

TEST_P(RebuiltProgram, StrippedHasInstructionsAndSaysWhatWouldGiveLines) {
  Build("i / divisor");
  ASSERT_EQ(RunProgram({"strip", "-g", File("app")}).status, 0);
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", File("app")});
  const RunResult result = Annotate({"spend"});
  EXPECT_THAT(result.out, HasSubstr("div "));
  EXPECT_THAT(result.out, HasSubstr("build it with -g"));
}

TEST_P(RebuiltProgram, ComparedWithItsRebuild) {
  Build("i / divisor");
  const std::string old_data = File("old.data");
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", File("app")});
  std::filesystem::rename(Data(), old_data);
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", File("app")});
  const auto compare = [&] {
    const RunResult result =
        RunProgram({Prof(), "annotate", "-i", old_data, "-i", Data(), "--json", "spend"});
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  };
  const Json same = compare();
  ASSERT_FALSE(same.is_discarded());
  EXPECT_EQ(same.at("identical_copies").size(), 1U);

  Build("i * 7 + sink");
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", File("app")});
  const Json changed = compare();
  ASSERT_FALSE(changed.is_discarded());
  EXPECT_TRUE(changed.at("identical_copies").empty());
  EXPECT_FALSE(changed.at("lines").empty());
}

TEST_P(AnnotateTest, ShowsTheHottestFunctionWithoutBeingTold) {
  RecordPlace("line");
  const RunResult result = Annotate({});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("hot_line in hot_places"));
  EXPECT_THAT(result.out, HasSubstr("HOT line"));
  EXPECT_THAT(result.out, Not(HasSubstr("\033["))) << "no colours in a pipe";
}

TEST_P(AnnotateTest, FindsALineAndAnExpression) {
  RecordPlace("line");
  const Json function = Function({"^.*hot_l.ne$"});
  ASSERT_FALSE(function.is_null());
  const Json* hot = LineWith(function, "HOT line");
  ASSERT_NE(hot, nullptr);
  const std::string place = "hot_places.cc:" + std::to_string(hot->at("line").get<int>());
  EXPECT_EQ(Function({place}).at("name"), function.at("name"));
}

TEST_P(AnnotateTest, RefusesWhatIsNotThereWithTheNearestNames) {
  RecordPlace("line");
  const RunResult wrong = Annotate({"hot_lime"});
  EXPECT_EQ(wrong.status, 125);
  EXPECT_THAT(wrong.err, HasSubstr("no function with samples"));
  EXPECT_THAT(wrong.err, HasSubstr("hot_line"));
  const RunResult expression = Annotate({"hot_(line"});
  EXPECT_EQ(expression.status, 125);
  const RunResult missing = RunProgram({Prof(), "annotate", "-i", File("none")}, Options());
  EXPECT_EQ(missing.status, 125);
  EXPECT_THAT(missing.err, HasSubstr("hint: prof record"));
}

TEST_P(AnnotateTest, TwoEventsStandSideBySide) {
  MustRecord(
      {"-e", "cpu-clock,task-clock", "-F", "999", "-g", Workload("hot_places"), "line", "500"});
  const RunResult result = Annotate({"--source-only", "hot_line"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("cpu-clock"));
  EXPECT_THAT(result.out, HasSubstr("task-clock"));
  EXPECT_EQ(Function({"hot_line"}).at("events").size(), 2U);
}

}  // namespace
}  // namespace prof::test
