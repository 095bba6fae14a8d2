// Where prof stat prints to, and the CPUs of fixture machines.
#include "stat_output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>

#include "stat_topology.h"
#include "support/temp_dir.h"

#include "prof/base/host_fs.h"

namespace prof::tools {
namespace {

using ::testing::EndsWith;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class StatOutputTest : public ::testing::Test {
 protected:
  std::string Name() { return folder_.File("out"); }
  std::string Text() {
    std::ostringstream text;
    text << std::ifstream(Name()).rdbuf();
    return text.str();
  }
  void Put(const StatArguments& arguments, const std::string& text) {
    auto output = StatOutput::Open(arguments);
    ASSERT_TRUE(output.has_value());
    EXPECT_FALSE(output->is_terminal());
    EXPECT_FALSE(MayColor(*output));
    EXPECT_TRUE(output->Write(text).has_value());
  }
  test::TempDir folder_;
};

TEST_F(StatOutputTest, AFileBeginsAsPerfsDoes) {
  Put({.output = Name()}, "counts\n");
  EXPECT_THAT(Text(), MatchesRegex("# started on [A-Z][a-z]+ [A-Z][a-z]+ +[0-9]+ "
                                   "[0-9]+:[0-9]+:[0-9]+ [0-9]+\n\ncounts\n"));
  Put({.format = StatFormat::kJson, .output = Name()}, "{}\n");
  EXPECT_EQ(Text(), "{}\n");
}

TEST_F(StatOutputTest, AppendingKeepsWhatIsThere) {
  Put({.format = StatFormat::kJson, .output = Name()}, "{1}\n");
  Put({.format = StatFormat::kJson, .output = Name(), .append = true}, "{2}\n");
  EXPECT_EQ(Text(), "{1}\n{2}\n");
}

TEST_F(StatOutputTest, QuietKeepsTheFile) {
  Put({.format = StatFormat::kJson, .output = Name(), .quiet = true}, "{1}\n");
  EXPECT_EQ(Text(), "{1}\n");
  testing::internal::CaptureStderr();
  Put({.quiet = true}, "text");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(StatOutputTest, AnUnwritableFileIsSaidAtOnce) {
  const auto output = StatOutput::Open({.output = folder_.File("no/such/folder")});
  ASSERT_FALSE(output.has_value());
  EXPECT_THAT(output.error().message, StartsWith("cannot write "));
  const auto full = StatOutput::Open({.output = "/dev/full"});
  ASSERT_FALSE(full.has_value());
  EXPECT_THAT(full.error().message, EndsWith("No space left on device"));
}

TEST_F(StatOutputTest, AReaderThatHasGoneIsNoError) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  Put({.log_fd = ends[1]}, "counts\n");
  ::close(ends[1]);
}

TEST(StatTopologyTest, ReadsWhereCpusSit) {
  test::TempDir root;
  const auto put = [&](const std::string& path, const std::string& text) {
    ASSERT_EQ(std::system(("mkdir -p $(dirname " + root.File(path) + ")").c_str()), 0);
    std::ofstream(root.File(path)) << text << '\n';
  };
  for (int cpu = 0; cpu < 11; ++cpu) {
    const std::string topology = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    put(topology + "physical_package_id", std::to_string(cpu / 4));
    put(topology + "die_id", cpu == 0 ? "-1" : "1");
    put(topology + "core_id", std::to_string(cpu % 4));
  }
  put("sys/devices/system/cpu/cpufreq/x", "");
  put("sys/devices/system/node/node0/cpulist", "0-3");
  put("sys/devices/system/node/node1/cpulist", "4-10");
  put("sys/devices/system/node/node2/cpulist", "");
  const auto places = ReadTopology(HostFs(root.File("")));
  ASSERT_EQ(places.size(), 11u);
  EXPECT_EQ(places[10].cpu, 10u);  // after 9, not after 1
  EXPECT_EQ(places[10].socket, 2u);
  EXPECT_EQ(places[10].core, 2u);
  EXPECT_EQ(places[10].node, 1u);
  EXPECT_EQ(places[10].die, 1u);
  EXPECT_EQ(places[0].die, 0u);
}

TEST(StatTopologyTest, NothingToReadIsNoPlaceAtAll) {
  test::TempDir root;
  EXPECT_TRUE(ReadTopology(HostFs(root.File(""))).empty());
}

}  // namespace
}  // namespace prof::tools
