// Launching and holding a command.
#include "collect/workload.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/temp_dir.h"

namespace prof::collect {
namespace {

// Words separated by '|'.
Workload Fork(const std::string& text) {
  std::vector<std::string> command;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, '|');) command.push_back(word);
  sigset_t mask;
  sigemptyset(&mask);
  auto workload = Workload::Fork(command, mask, false);
  return std::move(workload).value();
}

TEST(WorkloadTest, PassesTheExitStatusOn) {
  Workload workload = Fork("sh|-c|exit 7");
  ASSERT_TRUE(workload.Release());
  workload.Wait();
  EXPECT_EQ(workload.ExitStatus(), 7);
}

TEST(WorkloadTest, ASignalIs128AndItsNumber) {
  Workload workload = Fork("sh|-c|kill -9 $$");
  ASSERT_TRUE(workload.Release());
  workload.Wait();
  EXPECT_EQ(workload.ExitStatus(), 137);
}

TEST(WorkloadTest, SaysWhyAnExecFailed) {
  const Status missing = Fork("/no/such/command").Release();
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
  const Status folder = Fork("/").Release();
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::kPermission);
}

TEST(WorkloadTest, DoesNotRunBeforeItIsReleased) {
  test::TempDir dir;
  {
    Workload workload = Fork("touch|" + dir.File("mark"));
    EXPECT_FALSE(workload.Poll());
  }
  EXPECT_FALSE(std::filesystem::exists(dir.File("mark")));
}

}  // namespace
}  // namespace prof::collect
