// Checks 32-bit programs: their functions are found, their stacks refused with a reason.
#include <filesystem>

#include "support/live_test.h"

namespace prof::test {
namespace {

class Code32 : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (!std::filesystem::exists(Workload("code32")))
      GTEST_SKIP() << "the compiler cannot make 32-bit programs";
    if (Shell("$WORKLOADS/code32").status != 0)
      GTEST_SKIP() << "the kernel runs no 32-bit programs";
  }
};

TEST_F(Code32, FunctionsAreFoundAndStacksRefused) {
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", Workload("code32")});
  EXPECT_GT(FunctionShare(Rows("sym"), "work32"), 85);
  const std::string report = Report({}).out;
  EXPECT_NE(report.find("unsupported ABI"), std::string::npos) << report;
  EXPECT_NE(report.find("32-bit code is not unwound"), std::string::npos) << report;
}

TEST_F(Code32, FramePointersGiveItsCallers) {
  MustRecord({"-e", "cpu-clock", "-F", "999", "--call-graph", "fp", Workload("code32")});
  EXPECT_GT(FunctionShare(ChildrenRows("sym"), "caller32"), 85);
}

}  // namespace
}  // namespace prof::test
