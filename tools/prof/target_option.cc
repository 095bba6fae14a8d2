// Parses the target of record and stat.
#include "target_option.h"

#include <sys/types.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "command.h"

#include "prof/perf/event_open.h"

namespace prof::tools {
namespace {

constexpr std::uint64_t kMostUnsigned = std::uint64_t{1} << 62;  // the kernel refuses 2^63

Result<std::vector<pid_t>> ParseIds(const std::string& text, const std::string& what) {
  std::vector<pid_t> ids;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    PROF_TRY_ASSIGN(const std::uint64_t id, ParseUnsigned(text.substr(begin, end - begin), what));
    if (id > std::numeric_limits<pid_t>::max())
      return Fail(ErrorKind::kUsage, what + ": " + std::to_string(id) + " is too large for an id");
    ids.push_back(static_cast<pid_t>(id));
    begin = end + 1;
  }
  return ids;
}

}  // namespace

Result<std::uint64_t> ParseUnsigned(const std::string& text, const std::string& what) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range || value > kMostUnsigned)
    return Fail(ErrorKind::kUsage, what + ": " + text + " is too large");
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value == 0) {
    return Fail(ErrorKind::kUsage, what + ": '" + text + "' is not a positive number");
  }
  return value;
}

Result<double> ParsePositive(const std::string& text, const std::string& what, bool percent) {
  std::string_view number = text;
  if (percent && number.ends_with('%')) number.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !(value > 0) || value > 1e9)
    return Fail(ErrorKind::kUsage, what + ": '" + text + "' is not a positive number");
  return value;
}

Result<std::vector<std::string>> CommandWords(const CLI::App& app) {
  std::vector<std::string> command = app.remaining();
  if (!command.empty() && command.front() == "--") {
    command.erase(command.begin());
  } else if (!command.empty() && command.front().starts_with('-')) {
    return Fail(ErrorKind::kUsage, "unknown option " + command.front(),
                NearestOptionHint(app, command.front()));
  }
  return command;
}

Result<collect::RecordTarget> ParseTarget(const TargetTexts& texts,
                                          std::vector<std::string> command, const Error& nothing) {
  collect::RecordTarget target;
  target.command = std::move(command);
  const int kinds = (texts.pids.empty() ? 0 : 1) + (texts.tids.empty() ? 0 : 1) +
                    (texts.system || !texts.cpus.empty() ? 1 : 0);
  if (kinds > 1) return Fail(ErrorKind::kUsage, "-p, -t and -a/-C exclude each other");
  if (!texts.pids.empty()) {
    target.kind = model::TargetKind::kProcesses;
    PROF_TRY_ASSIGN(target.pids, ParseIds(texts.pids, "-p"));
  } else if (!texts.tids.empty()) {
    target.kind = model::TargetKind::kThreads;
    PROF_TRY_ASSIGN(target.tids, ParseIds(texts.tids, "-t"));
  } else if (!texts.cpus.empty()) {
    target.kind = model::TargetKind::kCpus;
    PROF_TRY_ASSIGN(target.cpus, perf::ParseCpuList(texts.cpus));
  } else if (texts.system) {
    target.kind = model::TargetKind::kSystem;
  } else if (target.command.empty()) {
    return std::unexpected(nothing);
  }
  return target;
}

}  // namespace prof::tools
