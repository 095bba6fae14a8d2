// Programs whose stacks are hard to unwind, each with its known stack.
#include <fstream>

#include "support/live_test.h"

#include "prof/model/stack.h"

namespace prof::test {
namespace {

class Unwind : public LiveTest {
 protected:
  // Records `command` and expects complete stacks in which each of `functions` has nearly all
  // samples.
  void ExpectOn(const std::vector<std::string>& command, const std::vector<std::string>& functions,
                double complete = 97) {
    std::vector<std::string> args = {"-e", "cpu-clock", "-F", "999", "-g"};
    args.insert(args.end(), command.begin(), command.end());
    const RecordSummary summary = MustRecord(args);
    EXPECT_GE(summary.complete_percent.value_or(0), complete);
    const ReportRows rows = ChildrenRows("sym");
    for (const std::string& name : functions) EXPECT_GE(FunctionShare(rows, name), 90) << name;
  }
};

TEST_F(Unwind, CodeWithDebugFrameOnly) {
  ExpectOn({Workload("debug_frame_only"), "700"},
           {"burn", "compare", "inside_sort", "climb", "main"});
}

TEST_F(Unwind, StaticProgramsAtFixedAddresses) {
  ExpectOn({Workload("static_program"), "700"},
           {"static_work", "compare", "static_caller", "main"});
}

TEST_F(Unwind, ChildrenOfVfork) {
  ExpectOn({Workload("vfork_child"), "700"}, {"child_work", "parent", "main"});
}

TEST_F(Unwind, CoroutinesEndWhereTheyBegan) {
  ExpectOn({Workload("coroutine"), "700"}, {"coroutine_work", "coroutine_main"});
}

TEST_F(Unwind, ExceptionsSignalsVariableFramesAndThreads) {
  ExpectOn({Workload("hard_stacks"), "1500"}, {"Worker"}, 98);
}

TEST_F(Unwind, AHandlerOnAnAlternateStackShowsWhatItInterrupted) {
  MustRecord({"-e", "cpu-clock", "-F", "999", "-g", Workload("signal_stack"), "700", "alternate"});
  // raise() was interrupted by its own signal.
  const std::string report = Report({"-g", "caller"}).out;
  EXPECT_NE(report.find("handler_work"), std::string::npos);
  EXPECT_NE(report.find(std::string(model::StackEndName(model::StackEnd::kOtherStack))),
            std::string::npos)
      << report;
}

TEST_F(Unwind, GoProgramsByTheirFramePointers) {
  if (Shell("command -v go").status != 0) GTEST_SKIP() << "no go";
  std::ofstream(File("burn.go")) << R"(package main

import "time"

var sink uint64

//go:noinline
func burn(end time.Time) {
	for time.Now().Before(end) {
		for i := 0; i < 200000; i++ {
			sink = sink*31 + 7
		}
	}
}

//go:noinline
func caller(end time.Time) {
	burn(end)
	sink++
}

func main() { caller(time.Now().Add(900 * time.Millisecond)) }
)";
  const RunResult built =
      Shell("cd " + File("") + " && GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o burn burn.go");
  ASSERT_EQ(built.status, 0) << built.err;
  ExpectOn({File("burn")}, {"main.burn", "main.caller", "main.main"}, 90);
}

}  // namespace
}  // namespace prof::test
