// What prof list says can be sampled here is sampled by prof record, as root and as a user.
#include <nlohmann/json.hpp>

#include "support/live_test.h"

namespace prof::test {
namespace {

class List : public LiveTestAsBoth {
 protected:
  [[nodiscard]] nlohmann::json Listed(const std::vector<std::string>& words) const {
    std::vector<std::string> command{Prof(), "list", "--json"};
    command.insert(command.end(), words.begin(), words.end());
    const RunResult result = RunProgram(command, Options());
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
};

TEST_P(List, TellsWhichSoftwareEventsCanBeSampled) {
  const nlohmann::json list = Listed({"sw"});
  ASSERT_TRUE(list.is_object());
  EXPECT_GE(list["events"].size(), 10u);
  for (const auto& event : list["events"]) {
    const std::string name = event["name"];
    if (name == "bpf-output") continue;  // has samples only of BPF programs
    if (event["can_sample"] == false) {
      EXPECT_NE(event["reason"], "") << name;
      continue;
    }
    const RunResult result = Record({"-e", name, "true"});
    EXPECT_EQ(result.status, 0) << name << ": " << result.err;
  }
}

TEST_P(List, TellsWhichHardwareEventsCanBeSampled) {
  const nlohmann::json list = Listed({"hw"});
  ASSERT_TRUE(list.is_object());
  for (const auto& event : list["events"]) {
    const std::string name = event["name"];
    const RunResult result = Record({"-e", name, "true"});
    EXPECT_EQ(result.status == 0, event["can_sample"] == true) << name << ": " << result.err;
  }
}

TEST_P(List, TellsWhichTracepointsCanBeSampled) {
  const nlohmann::json list = Listed({"tracepoint"});
  ASSERT_TRUE(list.is_object());
  if (list["events"].empty()) {
    EXPECT_NE(Record({"-e", "sched:sched_switch", "true"}).status, 0);
    return;
  }
  for (std::size_t i = 0; i < list["events"].size(); i += 400) {
    const auto& event = list["events"][i];
    const std::string name = event["name"];
    const RunResult result = Record({"-e", name, "true"});
    EXPECT_EQ(result.status == 0, event["can_sample"] == true) << name << ": " << result.err;
  }
}

TEST_P(List, FailsOnAWordThatNothingMatches) {
  const RunResult result = RunProgram({Prof(), "list", "cycels"}, Options());
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "prof list: no event matches 'cycels'\nhint: did you mean 'cycles'?\n");
}

INSTANTIATE_TEST_SUITE_P(, List, testing::Values("Root", "User"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace prof::test
