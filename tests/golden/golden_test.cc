// Whole outputs of prof on stored profiles: each file of tests/golden begins with its command line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/run_process.h"

namespace prof::test {
namespace {

const char* const kFolder = PROF_TEST_DATA "/../golden";

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

class GoldenTest : public testing::TestWithParam<std::string> {};

// scripts/regen_golden.py writes the files anew after a wanted change; read the diff before
// committing.
TEST_P(GoldenTest, PrintsWhatItPrintedBefore) {
  std::ifstream file(std::string(kFolder) + "/" + GetParam() + ".txt");
  std::string line;
  ASSERT_TRUE(std::getline(file, line) && line.starts_with("$ prof ")) << line;
  std::vector<std::string> command{PROF_BINARY};
  std::istringstream words(line.substr(7));
  for (std::string word; words >> word;) command.push_back(word);
  std::ostringstream expected;
  expected << file.rdbuf();

  const RunResult result = RunProgram(command, {.folder = PROF_TEST_DATA "/golden"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, expected.str());
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Report, GoldenTest, testing::ValuesIn(Cases()), TestName);

}  // namespace
}  // namespace prof::test
