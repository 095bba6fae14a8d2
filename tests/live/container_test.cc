// Checks targets that see other files than prof does, and files that are gone when the recording
// ends.
#include <filesystem>

#include "support/live_test.h"

namespace prof::test {
namespace {

namespace fs = std::filesystem;

// Shell functions of the scripts below: a root for chroot with a program and its libraries.
constexpr const char* kMakeRoot = R"(set -e
make_root() {  # FOLDER PROGRAM
  mkdir -p $1/tmp
  cp $2 $1/app
  for library in $(ldd $2 | grep -o '/[^ ]*'); do
    mkdir -p $1$(dirname $library)
    cp -L $library $1$library
  done
}
)";

class Container : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    if (!IsRoot()) GTEST_SKIP() << "chroot and unshare need root";
    if (RunProgram({"unshare", "-m", "--pid", "--fork", "--mount-proc", "true"}).status != 0)
      GTEST_SKIP() << "unshare(1) makes no namespaces here";
  }

  // Runs a script that is to record, and fails the test unless it ends well.
  void MustRun(const std::string& script) const {
    const RunResult result = Shell(kMakeRoot + script);
    ASSERT_EQ(result.status, 0) << result.err;
  }
};

TEST_F(Container, AProgramOfAMountNamespaceHasTheSymbolsOfTheFileThatRan) {
  fs::create_directory(File("mount"));
  fs::copy(Workload("sleeper"), File("mount/app"));  // what the host has at that path
  MustRun(R"($PROF record -e cpu-clock -F 499 -g -o $DATA unshare -m sh -c '
    mount -t tmpfs none mount
    cp $WORKLOADS/split mount/app
    exec $PWD/mount/app 700')");
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
  EXPECT_GE(FunctionShare(ChildrenRows("sym"), "main"), 80);
}

TEST_F(Container, AChrootThatIsDeletedBeforeTheEndHasItsSymbols) {
  MustRun(R"(make_root root $WORKLOADS/inlined_copy
    $PROF record -e cpu-clock -F 499 -g -o $DATA sh -c 'chroot root /app 5 40000000; rm -rf root')");
  EXPECT_FALSE(fs::exists(File("root")));
  const ReportRows rows = Rows("dso,sym,srcfile");
  EXPECT_GE(FunctionShare(rows, "climb"), 80);
  double with_lines = 0;
  for (const ReportRow& row : rows) {
    const auto file = row.columns.find("Source File");
    if (file != row.columns.end() && file->second.starts_with("inlined_copy"))
      with_lines += row.percent();
  }
  EXPECT_GE(with_lines, 80);
}

TEST_F(Container, DebugFilesComeFromTheTargetsRoot) {
  MustRun(R"(make_root root $WORKLOADS/split
    id=$(readelf -n root/app | sed -n 's/.*Build ID: //p')
    folder=root/usr/lib/debug/.build-id/$(echo $id | cut -c1-2)
    mkdir -p $folder
    objcopy --only-keep-debug root/app $folder/$(echo $id | cut -c3-).debug
    strip root/app
    $PROF record -e cpu-clock -F 499 -g -o $DATA chroot root /app 700)");
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_F(Container, AProgramRebuiltWhileItRunsHasTheSymbolsOfTheOldFile) {
  MustRun(R"(cp $WORKLOADS/split app
    $PROF record -e cpu-clock -F 499 -g -o $DATA sh -c '
      ./app 900 & sleep 0.3; cp $WORKLOADS/sleeper new; mv new app; wait')");
  EXPECT_NEAR(HotShare(Rows("sym")), 80, 8);
}

TEST_F(Container, APerfMapOfAPidNamespaceIsFoundByTheInnerPid) {
  MustRun(R"($PROF record -e cpu-clock -F 499 -g -o $DATA \
      unshare -m --pid --fork --mount-proc sh -c '
    exec 9< $WORKLOADS/jit
    mount -t tmpfs none /tmp   # it may hide the workload
    /proc/self/fd/9 700
    true')");
  EXPECT_GE(FunctionShare(Rows("sym"), "jit::spin"), 80);
}

TEST_F(Container, APerfMapOfAPidNamespaceInTheSharedTmpIsFoundByTheInnerPid) {
  MustRun(R"($PROF record -e cpu-clock -F 499 -g -o $DATA unshare --pid --fork sh -c '
    $WORKLOADS/jit 700
    mv /tmp/perf-2.map left')");  // when the process was gone
  EXPECT_TRUE(fs::exists(File("left"))) << "the workload had another pid";
  EXPECT_GE(FunctionShare(Rows("sym"), "jit::spin"), 80);
}

TEST_F(Container, APerfMapOfAChrootIsReadBeforeTheChrootIsDeleted) {
  MustRun(R"(make_root root $WORKLOADS/jit
    $PROF record -e cpu-clock -F 499 -g -o $DATA sh -c '
      chroot root /app 700; sleep 0.5; rm -rf root')");
  EXPECT_FALSE(fs::exists(File("root")));
  EXPECT_GE(FunctionShare(Rows("sym"), "jit::spin"), 80);
}

TEST_F(Container, APerfMapOfAnotherUserIsRefusedWithTheReason) {
  MustRun(R"(make_root root $WORKLOADS/jit
    chmod 777 root/tmp
    $PROF record -e cpu-clock -F 499 -g -o $DATA sh -c '
      (chroot --userspec=4242:4242 root /app 900; true) &
      sleep 0.4; chown 4343 root/tmp/perf-*.map; wait')");
  const RunResult report = Report({});
  EXPECT_NE(report.out.find("belongs to another user (uid 4343)"), std::string::npos) << report.out;
  EXPECT_EQ(FunctionShare(Rows("sym"), "jit::spin"), 0);
}

TEST_F(Container, JitCodeWithoutAPerfMapGetsAHint) {
  MustRun(R"(cp $WORKLOADS/jit node
    $PROF record -e cpu-clock -F 499 -g -o $DATA ./node 500 nomap)");
  const RunResult report = Report({});
  EXPECT_NE(report.out.find("# no symbols: perf-"), std::string::npos) << report.out;
  EXPECT_NE(report.out.find("node --perf-basic-prof)"), std::string::npos) << report.out;
}

}  // namespace
}  // namespace prof::test
