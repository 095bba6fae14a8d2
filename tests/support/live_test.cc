// Records workloads with the real prof and parses what it and its report print.
#include "support/live_test.h"

#include <linux/perf_event.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>

namespace prof::test {
namespace {

constexpr unsigned kNobody = 65534;

std::string Trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(Trimmed(field));
  return fields;
}

bool IsHeader(const std::vector<std::string>& fields) {
  return fields.size() > 1 &&
         (fields[0] == "Overhead" || fields[0] == "Children" || fields[0] == "Self");
}

// errno of opening a user-only cpu-clock on this process; 0 when the kernel allows it.
int TryOpen(bool as_user) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (as_user && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(EPERM);
    perf_event_attr attr = {};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = 1'000'000;
    attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
    ::_exit(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0 ? 0
                                                                                        : errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINVAL;
}

}  // namespace

std::optional<RecordSummary> ParseSummary(const std::string& err) {
  static const std::regex form(
      R"(\[ prof record: wrote [0-9.]+ MB .*\((\d+) samples?\), (?:at least )?(\d+) lost(?:, ([0-9.]+) % complete stacks(?: \([0-9.]+ % joined\))?)?, ([0-9.]+) s \])");
  std::smatch match;
  if (!std::regex_search(err, match, form)) return std::nullopt;
  RecordSummary summary;
  summary.samples = std::stoull(match[1]);
  summary.lost = std::stoull(match[2]);
  if (match[3].matched) summary.complete_percent = std::stod(match[3]);
  summary.seconds = std::stod(match[4]);
  return summary;
}

double ReportRow::percent() const {
  for (const char* title : {"Overhead", "Children", "Self"}) {
    if (columns.contains(title)) return Number(title);
  }
  return 0;
}

double ReportRow::Number(const std::string& title) const {
  const auto at = columns.find(title);
  return at == columns.end() ? 0 : std::atof(at->second.c_str());
}

bool ReportRow::IsFunction(const std::string& name) const {
  const auto at = columns.find("Symbol");
  if (at == columns.end() || at->second.size() < 4) return false;
  const std::string symbol = at->second.substr(4);
  return symbol == name || symbol.starts_with(name + "(") || symbol.starts_with(name + " ");
}

ReportRows ParseRows(const std::string& report) {
  static const std::regex event_line(R"(of event '([^']+)')");
  ReportRows rows;
  std::vector<std::string> titles;
  std::string event;
  std::istringstream stream(report);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("#")) {
      std::smatch match;
      if (std::regex_search(line, match, event_line)) event = match[1];
      if (const auto fields = Fields(line.substr(1)); IsHeader(fields)) titles = fields;
      continue;
    }
    const std::vector<std::string> fields = Fields(line);
    if (titles.empty() || fields.size() != titles.size()) continue;
    ReportRow row;
    row.event = event;
    for (std::size_t i = 0; i < fields.size(); ++i) row.columns[titles[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

double FunctionShare(const ReportRows& rows, const std::string& name) {
  double share = 0;
  for (const ReportRow& row : rows) share += row.IsFunction(name) ? row.percent() : 0;
  return share;
}

double HotShare(const ReportRows& rows) {
  const double hot = FunctionShare(rows, "hot_part"), cold = FunctionShare(rows, "cold_part");
  return hot + cold == 0 ? 0 : 100 * hot / (hot + cold);
}

double CommShare(const ReportRows& rows, const std::string& comm) {
  double share = 0;
  for (const ReportRow& row : rows) {
    const auto at = row.columns.find("Command");
    if (at != row.columns.end() && at->second == comm) share += row.percent();
  }
  return share;
}

ReportRows OfEvent(const ReportRows& rows, const std::string& event_prefix) {
  ReportRows result;
  for (const ReportRow& row : rows) {
    if (row.event.starts_with(event_prefix)) result.push_back(row);
  }
  return result;
}

std::string WhyNoSampling(bool as_user) {
  const int error = TryOpen(as_user);
  if (error == 0) return {};
  return std::string("perf_event_open: ") + std::strerror(error) +
         (as_user ? " (as uid 65534)" : "");
}

bool IsRoot() { return ::geteuid() == 0; }

void LiveTest::SetUp() {
  prof_ = PROF_BINARY;
  workloads_ = PROF_WORKLOADS;
  ::chmod(folder_.path().c_str(), 0777);
  if (const std::string reason = WhyNoSampling(false); !reason.empty()) GTEST_SKIP() << reason;
}

void LiveTest::BecomeUser() {
  if (!IsRoot()) return;  // an ordinary user already
  as_user_ = true;
  // The build folder may lie below a folder that only its owner may enter.
  namespace fs = std::filesystem;
  const std::string copies = File("programs");
  fs::create_directory(copies);
  fs::copy(prof_, copies + "/prof");
  prof_ = copies + "/prof";
  for (const auto& entry : fs::directory_iterator(workloads_)) {
    const std::string name = entry.path().filename();
    const bool program = ::access(entry.path().c_str(), X_OK) == 0;
    if (entry.is_regular_file() && program) fs::copy(entry.path(), fs::path(copies) / name);
  }
  workloads_ = copies;
}

RunOptions LiveTest::Options() const {
  RunOptions options;
  options.as_user = as_user_;
  options.folder = folder_.path();
  options.environment = {{"PROF", prof_}, {"DATA", Data()}, {"WORKLOADS", workloads_}};
  return options;
}

std::vector<std::string> LiveTest::RecordCommand(const std::vector<std::string>& args) const {
  std::vector<std::string> command = {prof_, "record", "-o", Data()};
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

RunResult LiveTest::Record(const std::vector<std::string>& args) const {
  return RunProgram(RecordCommand(args), Options());
}

RecordSummary LiveTest::MustRecord(const std::vector<std::string>& args) const {
  const RunResult result = Record(args);
  EXPECT_EQ(result.status, 0) << result.err;
  const auto summary = ParseSummary(result.err);
  EXPECT_TRUE(summary.has_value()) << "no summary line in: " << result.err;
  return summary.value_or(RecordSummary{});
}

RunResult LiveTest::Report(const std::vector<std::string>& args) const {
  std::vector<std::string> command = {prof_, "report", "-i", Data()};
  command.insert(command.end(), args.begin(), args.end());
  return RunProgram(command, Options());
}

ReportRows LiveTest::Rows(const std::string& keys, const std::vector<std::string>& args) const {
  std::vector<std::string> all = {"--no-children", "-g", "none", "-t", "|", "-s", keys};
  all.insert(all.end(), args.begin(), args.end());
  const RunResult result = Report(all);
  EXPECT_EQ(result.status, 0) << result.err;
  ReportRows rows = ParseRows(result.out);
  EXPECT_FALSE(rows.empty()) << "no rows in: " << result.out;
  return rows;
}

ReportRows LiveTest::ChildrenRows(const std::string& keys) const {
  const RunResult result = Report({"-g", "none", "-t", "|", "-s", keys});
  EXPECT_EQ(result.status, 0) << result.err;
  return ParseRows(result.out);
}

RunResult LiveTest::Shell(const std::string& script) const {
  return RunProgram({"sh", "-c", script}, Options());
}

void LiveTestAsBoth::SetUp() {
  LiveTest::SetUp();
  if (IsSkipped()) return;
  if (!is_user()) {
    if (!IsRoot()) GTEST_SKIP() << "not run by root";
    return;
  }
  if (const std::string reason = WhyNoSampling(IsRoot()); !reason.empty()) GTEST_SKIP() << reason;
  BecomeUser();
}

bool LiveTestAsBoth::is_user() const { return std::string(GetParam()) == "User"; }

}  // namespace prof::test
