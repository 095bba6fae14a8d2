// Launching and holding a command.
#include "collect/workload.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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
  auto workload = Workload::Fork(command, mask);
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

TEST(WorkloadTest, AMissingInterpreterIsNotAMissingCommand) {
  test::TempDir dir;
  const std::string script = dir.File("script");
  std::ofstream(script) << "#!/no/such/interpreter\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Status status = Fork(script).Release();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(status.error().message, script + ": its interpreter is missing");
}

TEST(WorkloadTest, WhatCannotBeExecutedSaysWhatItIs) {
  test::TempDir dir;
  std::ofstream(dir.File("text")) << "text";
  const Status text = Fork(dir.File("text")).Release();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, dir.File("text") + ": not executable");
  const Status below_file = Fork(dir.File("text") + "/x").Release();
  ASSERT_FALSE(below_file);
  EXPECT_EQ(below_file.error().kind, ErrorKind::kPermission);
  EXPECT_FALSE(below_file.error().hint.empty());
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
