// Checks --call-graph fp: the kernel's chains, how deep they go and what is said about their ends.
#include <fstream>

#include "support/live_test.h"

namespace prof::test {
namespace {

class FramePointers : public LiveTest {
 protected:
  static int KernelLimit() {
    std::ifstream file("/proc/sys/kernel/perf_event_max_stack");
    int limit = 0;
    file >> limit;
    return limit;
  }
  void RecordRecursion(int depth, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"-e", "cpu-clock:u", "-F", "999", "--call-graph", "fp"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {Workload("framed"), std::to_string(depth), "400"});
    MustRecord(arguments);
  }
};

TEST_F(FramePointers, AChainBelowTheLimitIsNotVerified) {
  RecordRecursion(20);
  const std::string report = Report({}).out;
  EXPECT_NE(report.find("frame pointers, end not verified"), std::string::npos) << report;
  EXPECT_EQ(report.find("cut at the maximum depth"), std::string::npos) << report;
}

TEST_F(FramePointers, AChainAsLongAsTheKernelDeliversIsCutAndTheLimitNamed) {
  if (KernelLimit() > 2000) GTEST_SKIP() << "kernel.perf_event_max_stack is " << KernelLimit();
  RecordRecursion(KernelLimit() + 100);
  const std::string report = Report({}).out;
  EXPECT_NE(report.find("cut at the maximum depth: the kernel delivered " +
                        std::to_string(KernelLimit()) + " frames"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("kernel.perf_event_max_stack"), std::string::npos) << report;
}

TEST_F(FramePointers, KernelFramesCountAgainstTheSameLimit) {
  if (!IsRoot()) GTEST_SKIP() << "samples of the kernel need root";
  MustRecord({"-e", "cpu-clock", "-F", "999", "--call-graph", "fp", "--max-stack", "40",
              Workload("framed"), "38", "400", "kernel"});
  // 38 calls of descend, bottom, main and libc's two are more than 40 with any kernel part.
  const std::string report = Report({}).out;
  EXPECT_NE(report.find("cut at the maximum depth: the kernel delivered 40 frames"),
            std::string::npos)
      << report;
  EXPECT_GT(FunctionShare(ChildrenRows("sym"), "descend"), 80);
}

TEST_F(FramePointers, MaxStackCutsTheKernelsChain) {
  RecordRecursion(60, {"--max-stack", "30"});
  const std::string report = Report({}).out;
  EXPECT_NE(report.find("cut at the maximum depth: the kernel delivered 30 frames"),
            std::string::npos)
      << report;
}

TEST_F(FramePointers, MoreThanTheKernelDeliversIsLoweredWithANote) {
  const std::string too_many = std::to_string(KernelLimit() + 1);
  RecordRecursion(5, {"--max-stack", too_many});
  EXPECT_NE(Report({}).out.find("--max-stack lowered from " + too_many), std::string::npos);
}

}  // namespace
}  // namespace prof::test
