#include "prof/report/annotate_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/report/annotate_data.h"

namespace prof::report {
namespace {

using nlohmann::json;

analysis::FunctionChoice Choice() {
  analysis::FunctionChoice choice;
  choice.events = {0};
  choice.total = test::Samples(20'113);
  analysis::FunctionMatch match;
  match.name = test::kMultiply;
  match.module = "matmul";
  match.functions = {4, 9};
  match.self = test::Samples(12'345);
  match.children = test::Samples(13'275);
  choice.matches = {match};
  return choice;
}

json Annotated(const analysis::AnnotatedFunction& function) {
  return json::parse(RenderAnnotationJson(Choice(), {function}, test::WholeFile()));
}

TEST(AnnotateJsonTest, HeadSaysWhatItIs) {
  const json report = Annotated(test::Multiply());
  EXPECT_EQ(report["format"], "prof-annotate");
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["file"]["name"], "prof.data");
  EXPECT_EQ(report["choice"]["events"], json::array({0}));
  EXPECT_EQ(report["choice"]["total"][0]["samples"], 20'113);
  EXPECT_TRUE(report["choice"]["line"].is_null());
  EXPECT_EQ(report["choice"]["matches"][0]["copies"], 2);
  EXPECT_EQ(report["choice"]["matches"][0]["self"],
            json::parse(R"([{"weight": 12345000000, "samples": 12345}])"));
  EXPECT_EQ(report["choice"]["nearest"], json::array());
}

TEST(AnnotateJsonTest, ChoiceNamesTheLineThatWasAskedFor) {
  analysis::FunctionChoice choice = Choice();
  choice.line = 42;
  choice.file = "multiply.cc";
  const json report = json::parse(RenderAnnotationJson(choice, {}, test::WholeFile()));
  EXPECT_EQ(report["choice"]["line"], 42);
  EXPECT_EQ(report["choice"]["file"], "multiply.cc");
  EXPECT_EQ(report["functions"], json::array());
}

TEST(AnnotateJsonTest, InstructionsHaveAddressesBytesAndTargets) {
  const json function = Annotated(test::Multiply())["functions"][0];
  const json& copy = function["copies"][0];
  EXPECT_EQ(copy["address"], "0x1180");
  EXPECT_EQ(copy["linkage_name"], "_Z8multiplyISt6vectorIdSaIdEEEvRKT_S4_RS2_m");
  EXPECT_EQ(copy["hot_block"]["first"], 7);
  EXPECT_EQ(copy["hot_block"]["self"][0]["samples"], 10'922);
  const json& jump = copy["instructions"][12];
  EXPECT_EQ(jump["address"], "0x11af");
  EXPECT_EQ(jump["length"], 2);
  EXPECT_EQ(jump["bytes"], "4f56");
  EXPECT_EQ(jump["text"], "jne    1193");
  EXPECT_EQ(jump["flow"], "conditional_jump");
  EXPECT_EQ(jump["target"], "0x1193");
  EXPECT_EQ(jump["jumps_to"], 5);
  EXPECT_EQ(jump["self"][0]["samples"], 97);
  EXPECT_EQ(jump["position"], 4);
  const json& lea = copy["instructions"][20];
  EXPECT_TRUE(lea["target"].is_null());
  EXPECT_TRUE(lea["jumps_to"].is_null());
  EXPECT_EQ(lea["referred"], "0x2004");
  EXPECT_EQ(lea["target_name"], ".rodata+0x4");
  EXPECT_EQ(lea["self"], json::parse(R"([{"weight": 0, "samples": 0}])"));
  EXPECT_EQ(function["copies"][1]["outside"][0]["samples"], 2);
}

TEST(AnnotateJsonTest, SamplesOfLinesAddUpToSelf) {
  const json function = Annotated(test::Multiply())["functions"][0];
  std::uint64_t self = 0;
  for (const json& line : function["lines"])
    self += line["self"][0]["samples"].get<std::uint64_t>();
  EXPECT_EQ(self, function["self"][0]["samples"]);
  const json& loop = function["lines"][2];
  EXPECT_EQ(loop["line"], 42);
  EXPECT_EQ(loop["inlined"][0]["samples"], 3'793);
  EXPECT_EQ(loop["inlined_callees"][0]["self"][0]["samples"], 2'418);
  EXPECT_EQ(loop["inlined_callees"][0]["position"][2]["line"], 42);
  EXPECT_TRUE(function["lines"].back()["file"].is_null());
}

TEST(AnnotateJsonTest, EventsAndSourcesAreWhole) {
  const json function = Annotated(test::TwoEvents())["functions"][0];
  EXPECT_EQ(function["events"][0]["replaces"], "cycles");
  EXPECT_EQ(function["events"][1]["id"], 1);
  EXPECT_EQ(function["events"][1]["precise"], 2);
  EXPECT_EQ(function["events"][1]["total"]["samples"], 9'000);
  EXPECT_EQ(function["lines"][0]["self"].size(), 2U);
  const json& source = function["sources"][1];
  EXPECT_EQ(source["path"], "/usr/include/c++/12/bits/stl_vector.h");
  EXPECT_EQ(source["state"], "read");
  EXPECT_EQ(source["text"][1]["first_line"], 1153);
  EXPECT_EQ(source["text"][1]["lines"][1], "      {");
}

TEST(AnnotateJsonTest, BrokenTextIsStillJson) {
  analysis::AnnotatedFunction function = test::Multiply();
  function.name = "a\xff\"\n";
  function.sources[0].text = {{1, {"caf\xe9"}}};
  const json parsed = Annotated(function)["functions"][0];
  EXPECT_EQ(parsed["name"], "a\xef\xbf\xbd\"\n");
  EXPECT_EQ(parsed["sources"][0]["text"][0]["lines"][0], "caf\xef\xbf\xbd");
}

TEST(AnnotateJsonTest, ComparisonHasBothSidesAndTheirAlignment) {
  const json report = json::parse(RenderComparisonJson(
      test::MultiplyChanged(), test::WholeFile("before.prof"), test::WholeFile("after.prof")));
  EXPECT_EQ(report["format"], "prof-annotate-comparison");
  EXPECT_EQ(report["before"]["file"]["name"], "before.prof");
  EXPECT_EQ(report["after"]["function"]["self"][0]["samples"], 8'012);
  const json& removed = report["lines"][5];
  EXPECT_EQ(removed["before"], 2);
  EXPECT_TRUE(removed["after"].is_null());
  EXPECT_EQ(removed["before_line"], 42);
  EXPECT_TRUE(removed["after_line"].is_null());
  EXPECT_EQ(report["identical_copies"], json::parse(R"([{"before": 1, "after": 1}])"));
  EXPECT_EQ(report["notes"].size(), 1U);
}

}  // namespace
}  // namespace prof::report
