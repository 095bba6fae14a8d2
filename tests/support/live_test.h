// The fixture of the live tests: records workloads with the real prof on the real kernel and reads
// the report back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/run_process.h"
#include "support/temp_dir.h"

namespace prof::test {

// What `prof record` says at its end:
// [ prof record: wrote 0.21 MB prof.data (12345 samples), 0 lost, 99.2 % complete stacks, 5.0 s ]
struct RecordSummary {
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::optional<double> complete_percent;  // nothing without call graphs
  double seconds = 0;
};
std::optional<RecordSummary> ParseSummary(const std::string& err);

// One row of `prof report -t '|'`: the texts under the column titles, and which event's section it
// is from.
struct ReportRow {
  std::string event;
  std::map<std::string, std::string> columns;
  [[nodiscard]] double percent() const;  // of the first column: Overhead or Children
  [[nodiscard]] double Number(const std::string& title) const;
  // "[.] hot_part(int)" is hot_part.
  [[nodiscard]] bool IsFunction(const std::string& name) const;
};
using ReportRows = std::vector<ReportRow>;
ReportRows ParseRows(const std::string& report);

double FunctionShare(const ReportRows& rows, const std::string& name);
// hot_part's share of the time that the workload `split` spent in its two parts. What a machine
// adds around them (a VM whose memory is touched for the first time, say) has nothing to do with
// prof.
double HotShare(const ReportRows& rows);
double CommShare(const ReportRows& rows, const std::string& comm);
ReportRows OfEvent(const ReportRows& rows, const std::string& event_prefix);

// Why this kernel lets us (or uid 65534) sample nothing at all; empty when it does.
std::string WhyNoSampling(bool as_user);
bool IsRoot();

class LiveTest : public ::testing::Test {
 protected:
  void SetUp() override;

  // Record and Report below run as uid 65534 from now on, with copies of the programs it can reach.
  void BecomeUser();

  [[nodiscard]] std::string Prof() const { return prof_; }
  [[nodiscard]] std::string Workload(const std::string& name) const {
    return workloads_ + "/" + name;
  }
  [[nodiscard]] std::string File(const std::string& name) const { return folder_.File(name); }
  [[nodiscard]] std::string Data() const { return File("prof.data"); }
  [[nodiscard]] RunOptions Options() const;

  // prof record -o Data() ARGS...
  [[nodiscard]] std::vector<std::string> RecordCommand(const std::vector<std::string>& args) const;
  RunResult Record(const std::vector<std::string>& args) const;
  // Records, and fails the test unless prof exits 0 with a summary, which it returns.
  RecordSummary MustRecord(const std::vector<std::string>& args) const;
  // prof report -i Data() ARGS...
  RunResult Report(const std::vector<std::string>& args) const;
  // The table by `keys`, without call graphs; self shares.
  ReportRows Rows(const std::string& keys, const std::vector<std::string>& args = {}) const;
  // The table by `keys` with callers charged for their callees.
  ReportRows ChildrenRows(const std::string& keys) const;
  RunResult Shell(const std::string& script) const;  // sh -c, with $PROF, $DATA and $WORKLOADS

 private:
  TempDir folder_;
  std::string prof_;
  std::string workloads_;
  bool as_user_ = false;
};

// A live test that runs once as root and once as an ordinary user.
class LiveTestAsBoth : public LiveTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override;
  [[nodiscard]] bool is_user() const;
};

}  // namespace prof::test
