// JIT code that describes itself in a jitdump file.
#include <gmock/gmock.h>

#include <filesystem>

#include "support/live_test.h"

namespace prof::test {
namespace {

namespace fs = std::filesystem;

class JitDump : public LiveTest {
 protected:
  // The share of the lines of the loop, which are in no other code.
  [[nodiscard]] double LineShare() const {
    double share = 0;
    for (const ReportRow& row : Rows("srcline")) {
      const auto line = row.columns.find("Source:Line");
      if (line != row.columns.end() && line->second.find("spin.jit:1") != std::string::npos)
        share += row.percent();
    }
    return share;
  }
};

TEST_F(JitDump, NamesAndLinesComeFromTheFileThatTheProgramMapped) {
  MustRecord({"-e", "cpu-clock", "-F", "499", "-g", Workload("jit_dump"), File("."), "700"});
  EXPECT_GE(FunctionShare(Rows("sym"), "jit::dumped_spin"), 80);
  EXPECT_GE(LineShare(), 80);
}

TEST_F(JitDump, AFileThatIsRemovedBeforeTheEndWasHeld) {
  MustRecord({"-e", "cpu-clock", "-F", "499", Workload("jit_dump"), File("."), "700", "remove"});
  for (const auto& entry : fs::directory_iterator(File(".")))
    EXPECT_NE(entry.path().extension(), ".dump") << entry.path();
  EXPECT_GE(FunctionShare(Rows("sym"), "jit::dumped_spin"), 80);
}

TEST_F(JitDump, AProcessThatIsAttachedToHasItsFileToo) {
  const RunResult result = Shell(R"("$WORKLOADS/jit_dump" . 1500 & sleep 0.4
    "$PROF" record -e cpu-clock -F 499 -o "$DATA" -p $! -- sleep 0.7; wait)");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_GE(FunctionShare(Rows("sym"), "jit::dumped_spin"), 80);
}

}  // namespace
}  // namespace prof::test
