// What a recording says about the conditions it was made under: load of the machine, debug builds;
// and what `prof diff` says about sides that differ in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/live_test.h"

namespace prof::test {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Shares of the time of all CPUs.
struct Load {
  double other = 0;
  double steal = 0;
  double target = 0;
  bool other_known = false;
};

class ConditionsTest : public LiveTest {
 protected:
  [[nodiscard]] Load LoadOf(const std::string& name) const {
    const RunResult result = RunProgram({Prof(), "report", "-i", File(name), "--json"}, Options());
    EXPECT_EQ(result.status, 0) << result.err;
    const Json recording = Json::parse(result.out)["recording"];
    const Json& end = recording["end"];
    const double all_ns =
        recording["cpus_online"].get<double>() *
        (end["sampling_end_ns"].get<double>() - end["sampling_begin_ns"].get<double>());
    Load load{.target = end["target_cpu_ns"].get<double>() / all_ns,
              .other_known = !end["other_cpu_ns"].is_null()};
    if (load.other_known) load.other = end["other_cpu_ns"].get<double>() / all_ns;
    if (!end["steal_ns"].is_null()) load.steal = end["steal_ns"].get<double>() / all_ns;
    return load;
  }
  void MustRecordAs(const std::string& name, std::vector<std::string> args) const {
    args.insert(args.begin(), {Prof(), "record", "-q", "-e", "cpu-clock", "-o", File(name)});
    const RunResult result = RunProgram(args, Options());
    ASSERT_EQ(result.status, 0) << result.err;
  }
  [[nodiscard]] std::string Text(const std::vector<std::string>& args) const {
    std::vector<std::string> command = {Prof()};
    command.insert(command.end(), args.begin(), args.end());
    return RunProgram(command, Options()).out;
  }
};

// One loop per CPU while it lives.
class BusyMachine {
 public:
  BusyMachine() {
    for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu) {
      loops_.push_back(std::make_unique<RunningProcess>(
          std::vector<std::string>{"sh", "-c", "while :; do :; done"}, RunOptions{}));
    }
  }

 private:
  std::vector<std::unique_ptr<RunningProcess>> loops_;
};

TEST_F(ConditionsTest, LoadIsWhatOthersUsedBesideTheTarget) {
  MustRecordAs("quiet", {Workload("split"), "600"});
  {
    const BusyMachine busy;
    MustRecordAs("busy", {Workload("split"), "600"});
  }
  const Load quiet = LoadOf("quiet");
  const Load busy = LoadOf("busy");
  ASSERT_TRUE(quiet.other_known);
  ASSERT_TRUE(busy.other_known);
  // No CPU was idle; prof itself needs next to nothing.
  EXPECT_GT(busy.target, 0.05);
  EXPECT_NEAR(busy.other + busy.steal + busy.target, 1, 0.12);
  EXPECT_LT(quiet.other + quiet.target, 1.08);
  EXPECT_THAT(Text({"report", "-i", File("busy")}), HasSubstr("# other programs used "));
  EXPECT_THAT(Text({"report", "-i", File("busy"), "--header-only"}),
              HasSubstr("# other programs : "));
  // Other tests may make the machine as busy.
  if (busy.other - quiet.other < 0.15) GTEST_SKIP() << "the machine was busy all the time";
  EXPECT_THAT(Text({"diff", File("busy"), File("quiet")}),
              HasSubstr(" % of the machine while before was recorded, "));
  EXPECT_THAT(Text({"diff", File("quiet"), File("quiet")}),
              Not(HasSubstr("of the machine while before was recorded, ")));
}

TEST_F(ConditionsTest, ADelayIsNoLoad) {
  const BusyMachine busy;
  MustRecordAs("late", {"--delay", "500", "--duration", "0.6", Workload("split"), "5000"});
  const Load late = LoadOf("late");
  ASSERT_TRUE(late.other_known);
  EXPECT_GT(late.other, 0.2);
  EXPECT_LT(late.other + late.steal, 1.08);
}

TEST_F(ConditionsTest, WholeCpusHaveNoOthers) {
  if (!IsRoot()) GTEST_SKIP() << "sampling whole CPUs is root's";
  MustRecordAs("all", {"-a", "--duration", "0.3"});
  EXPECT_FALSE(LoadOf("all").other_known);
  EXPECT_THAT(Text({"report", "-i", File("all"), "--header-only"}),
              Not(HasSubstr("other programs")));
}

TEST_F(ConditionsTest, DebugBuildsAreNamed) {
  std::ofstream(File("spin.c")) << "int main(void) {\n"
                                   "  volatile unsigned sum = 0;\n"
                                   "  for (unsigned i = 0; i < 150000000u; ++i) sum += i;\n"
                                   "  return 0;\n"
                                   "}\n";
  const auto build = [&](const std::string& folder, const std::string& options) {
    return RunProgram({"sh", "-c",
                       "command -v gcc > /dev/null || exit 77; mkdir " + folder + " && gcc " +
                           options + " spin.c -o " + folder + "/spin"},
                      {.folder = File("")})
        .status;
  };
  const int built = build("debug", "-g");
  if (built == 77) GTEST_SKIP() << "no gcc";
  ASSERT_EQ(built, 0);
  ASSERT_EQ(build("release", "-g -O2"), 0);
  MustRecordAs("debug.data", {"-g", File("debug/spin")});
  MustRecordAs("release.data", {"-g", File("release/spin")});
  const std::string line = "compiled without optimization (-O0)";
  EXPECT_THAT(Text({"report", "-i", File("debug.data")}), HasSubstr(line + ": spin "));
  EXPECT_THAT(Text({"report", "-i", File("release.data")}), Not(HasSubstr(line)));
  EXPECT_THAT(Text({"diff", File("debug.data"), File("release.data")}),
              HasSubstr("before: most of spin was " + line));
  EXPECT_THAT(Text({"diff", File("debug.data"), File("debug.data")}),
              HasSubstr("most of spin was " + line + " on both sides"));
}

}  // namespace
}  // namespace prof::test
