// Checks that stacks longer than the copy are completed, rightly, from earlier ones.
#include "support/live_test.h"

namespace prof::test {
namespace {

class Join : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    if (const std::string reason = WhyNoSampling(!IsRoot()); !reason.empty())
      GTEST_SKIP() << reason;
  }
  // 4 KB are a fourth of what the workload takes at its deepest.
  [[nodiscard]] RecordSummary RecordBranches(const std::vector<std::string>& options) const {
    std::vector<std::string> args = {"-e",   "cpu-clock:u",  "-F",
                                     "2999", "--call-graph", "dwarf,4096"};
    args.insert(args.end(), options.begin(), options.end());
    args.push_back(Workload("deep_branches"));
    return MustRecord(args);
  }
};

TEST_F(Join, CompletesStacksAndKeepsBranchesApart) {
  const RecordSummary summary = RecordBranches({});
  ASSERT_TRUE(summary.complete_percent);
  EXPECT_GT(*summary.complete_percent,
            75);  // a busy machine samples too few levels of some descents
  const ReportRows rows = ChildrenRows("sym");
  const double left = FunctionShare(rows, "left_branch");
  const double right = FunctionShare(rows, "right_branch");
  EXPECT_GT(FunctionShare(rows, "main"), 75);
  EXPECT_NEAR(100 * left / (left + right), 75, 10);
  EXPECT_NE(Report({}).out.find("were completed from earlier samples of the same thread"),
            std::string::npos);
}

TEST_F(Join, LeavesStacksCutWhenAsked) {
  const RecordSummary summary = RecordBranches({"--no-join"});
  ASSERT_TRUE(summary.complete_percent);
  EXPECT_LT(*summary.complete_percent, 50);
  EXPECT_LT(FunctionShare(ChildrenRows("sym"), "main"), 50);
  EXPECT_EQ(Report({}).out.find("were completed from earlier"), std::string::npos);
}

}  // namespace
}  // namespace prof::test
