// prof report on files with counts: of prof stat --save alone, and beside samples.
#include "saved_counts.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command.h"
#include "support/temp_dir.h"

#include "prof/store/writer.h"

namespace prof::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Parts {
  int runs = 1;
  bool sample = false;
  bool end = true;
};

// "./app" with 48 page faults in each run of half a second.
std::vector<model::Record> RecordsOf(const Parts& parts) {
  std::vector<model::Record> records;
  records.emplace_back(model::RecordingInfo{.prof_version = "0", .target_command = {"./app"}});
  records.emplace_back(model::EventDef{.id = 0,
                                       .event = {.name = "page-faults",
                                                 .attr_type = PERF_TYPE_SOFTWARE,
                                                 .attr_config = PERF_COUNT_SW_PAGE_FAULTS}});
  records.emplace_back(model::SideDef{.id = 0, .command = {"./app"}, .text = "./app"});
  if (parts.sample) {
    records.emplace_back(model::EpochBegin{.index = 0});
    records.emplace_back(model::ProcessDef{.id = 0, .pid = 7});
    records.emplace_back(model::ThreadDef{.id = 0, .process = 0, .tid = 7, .name = "app"});
    records.emplace_back(model::Sample{.time_ns = 5, .thread = 0, .event = 0, .weight = 1});
  }
  for (std::uint32_t run = 0; run < 1 || run < static_cast<std::uint32_t>(parts.runs); ++run) {
    records.emplace_back(model::CounterReading{
        .run = run, .event = 0, .value = 48, .enabled_ns = 100, .running_ns = 100});
    if (parts.runs == 0) break;  // ended before its first run
    records.emplace_back(model::RunDef{.run = run, .wall_ns = 500'000'000});
  }
  if (parts.end) records.emplace_back(model::RecordingEnd{});
  return records;
}

class SavedCountsTest : public testing::Test {
 protected:
  void Write(const Parts& parts) {
    UniqueFd fd(::open(File().c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600));
    auto writer = store::Writer::Create(std::move(fd), File(), {});
    ASSERT_TRUE(writer) << writer.error().message;
    for (const model::Record& record : RecordsOf(parts)) {
      const Status status = (*writer)->Append(record);
      ASSERT_TRUE(status) << status.error().message;
    }
    if (parts.end) {
      ASSERT_TRUE((*writer)->Finish());
    } else {
      ASSERT_TRUE((*writer)->Flush());
    }
  }

  // Standard output of prof report.
  std::string Report(std::vector<std::string> args, int status = 0) {
    args.insert(args.end(), {"-i", File()});
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(ReportMain(args), status);
    errors_ = testing::internal::GetCapturedStderr();
    return testing::internal::GetCapturedStdout();
  }
  [[nodiscard]] std::string File() const { return folder_.File("counts.prof"); }
  [[nodiscard]] const std::string& errors() const { return errors_; }

 private:
  test::TempDir folder_;
  std::string errors_;
};

TEST_F(SavedCountsTest, AreReportedAsProfStatPrintsThem) {
  Write({});
  const std::string text = Report({});
  EXPECT_THAT(text, HasSubstr("'./app'"));
  EXPECT_THAT(text, testing::ContainsRegex("48 +page-faults"));
  EXPECT_THAT(text, Not(HasSubstr("no samples")));
  EXPECT_THAT(text, Not(HasSubstr("not complete")));
}

TEST_F(SavedCountsTest, AreReportedAsJsonLines) {
  Write({.runs = 3});
  std::istringstream lines(Report({"--json"}));
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    found = found || json.value("event", "") == "page-faults";
  }
  EXPECT_TRUE(found);
}

TEST_F(SavedCountsTest, BesideSamplesAreNotReported) {
  Write({.sample = true});
  const std::string text = Report({});
  EXPECT_THAT(text, HasSubstr("Overhead"));
  EXPECT_THAT(text, Not(HasSubstr("Performance counter stats")));
}

TEST_F(SavedCountsTest, OfACutFileSaySo) {
  Write({.end = false});
  EXPECT_THAT(Report({}), HasSubstr("is not complete: prof stat did not"));
}

TEST_F(SavedCountsTest, WithoutAWholeRunThereIsNothingToReport) {
  Write({.runs = 0, .end = false});
  EXPECT_THAT(Report({}),
              HasSubstr("has no samples: prof stat wrote it, and did not finish a run"));
}

TEST_F(SavedCountsTest, HaveNoSamplesToChooseFrom) {
  Write({});
  for (const std::vector<std::string>& filter :
       {std::vector<std::string>{"--comms", "app"}, std::vector<std::string>{"--time", "1,2"}}) {
    EXPECT_EQ(Report(filter, kExitFailure), "");
    EXPECT_THAT(errors(), HasSubstr("has counts and no samples"));
  }
}

TEST_F(SavedCountsTest, KeepTheHeaderAndTheStatisticsOfTheFile) {
  Write({});
  EXPECT_THAT(Report({"--header"}), HasSubstr("page-faults"));
  EXPECT_THAT(Report({"--header"}), HasSubstr("# "));
  EXPECT_THAT(Report({"--header-only"}), Not(HasSubstr("48")));
}

}  // namespace
}  // namespace prof::tools
