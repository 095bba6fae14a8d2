// Turns the words of `prof stat` into StatArguments.
#include "stat_arguments.h"

#include <fcntl.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "command.h"
#include "metric_name.h"
#include "stat_options.h"
#include "stat_sides.h"

namespace prof::tools {
namespace {

using analysis::counts::Aggregation;
using model::TargetKind;

constexpr std::uint64_t kShortestMs = 10;
constexpr std::uint64_t kLongestMs = 1'000'000'000;
constexpr double kAutoSeconds = 120;

std::unexpected<Error> Refuse(std::string message, std::string hint = {}) {
  return Fail(ErrorKind::kUsage, std::move(message), std::move(hint));
}

Result<std::uint64_t> ParseMs(const std::string& text, const std::string& what,
                              std::uint64_t least) {
  PROF_TRY_ASSIGN(const std::uint64_t value, ParseUnsigned(text, what));
  if (value < least)
    return Refuse(what + ": " + text + " ms is too short, the least is " + std::to_string(least));
  if (value > kLongestMs) return Refuse(what + ": " + text + " is too large");
  return value;
}

bool IsIdentifier(std::string_view text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_word);
}

// [NAME=]REGEX
Result<collect::MetricSource> ParseMetric(const std::string& text,
                                          const std::vector<collect::MetricSource>& others) {
  const std::size_t equals = text.find('=');
  const bool named = equals != std::string::npos && IsIdentifier(text.substr(0, equals));
  const std::string regex = named ? text.substr(equals + 1) : text;
  if (regex.empty())
    return Refuse("--metric: the pattern is empty", "--metric 'fps=([0-9.]+) fps'");
  PROF_TRY_ASSIGN(TextPattern pattern, TextPattern::Compile(regex, "--metric"));
  std::string name = named ? text.substr(0, equals) : MetricNameOf(regex);
  const auto has_name = [&](const auto& other) { return other.definition.name == name; };
  if (name.empty() || (!named && std::ranges::any_of(others, has_name))) name = regex;
  return collect::MetricSource{.definition = {.id = static_cast<std::uint32_t>(others.size()),
                                              .name = std::move(name),
                                              .pattern = regex},
                               .pattern = std::move(pattern)};
}

Status ParseMetrics(const CLI::App& app, const StatTexts& texts,
                    std::vector<collect::MetricSource>& metrics) {
  std::size_t next = 0;
  for (const CLI::Option* option : app.parse_order()) {
    if (option == app.get_option("--metric") && next < texts.patterns.size()) {
      PROF_TRY_ASSIGN(collect::MetricSource metric, ParseMetric(texts.patterns[next], metrics));
      metrics.push_back(std::move(metric));
      ++next;
    } else if (option == app.get_option("--higher-is-better")) {
      if (metrics.empty())
        return Refuse("--higher-is-better must follow the --metric it is about",
                      "prof stat --metric 'fps=([0-9.]+) fps' --higher-is-better ./app");
      metrics.back().definition.higher_is_better = true;
    }
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (metrics[i].definition.name == metrics[j].definition.name)
        return Refuse("--metric: two are called '" + metrics[i].definition.name + "'",
                      "--metric NAME=REGEX names them");
    }
  }
  return {};
}

Status ParseRepeats(const StatTexts& texts, RepeatOptions& repeats) {
  const bool compares = !texts.alternatives.empty();
  if (texts.repeats == "auto" || (texts.repeats.empty() && compares)) {
    repeats.until = RepeatUntil::kPrecise;
    repeats.max_seconds = kAutoSeconds;
  } else if (texts.repeats == "0") {
    repeats.until = RepeatUntil::kForever;
  } else if (!texts.repeats.empty()) {
    const auto runs = ParseUnsigned(texts.repeats, "-r");
    if (!runs)
      return Refuse("-r: '" + texts.repeats + "' is neither a number of runs nor auto",
                    "-r 10; -r 0 repeats until Ctrl-C, -r auto until the median is precise");
    repeats.runs = *runs;
  }
  if (!texts.precision.empty()) {
    if (repeats.until != RepeatUntil::kPrecise)
      return Refuse("--precision is what -r auto aims at",
                    "prof stat -r auto --precision 0.5% ...");
    PROF_TRY_ASSIGN(const double percent, ParsePositive(texts.precision, "--precision", true));
    if (percent >= 100) return Refuse("--precision: " + texts.precision + " is 100 % or more");
    repeats.precision = percent / 100;
  }
  if (!texts.max_time.empty()) {
    if (repeats.IsSingle() && !compares)
      return Refuse("--max-time is for repeated runs; this is one",
                    "--timeout MS ends a run, -r auto --max-time S repeats it for so long");
    PROF_TRY_ASSIGN(repeats.max_seconds, ParsePositive(texts.max_time, "--max-time", false));
  }
  if (!texts.warmups.empty() && texts.warmups != "0") {
    PROF_TRY_ASSIGN(repeats.warmups, ParseUnsigned(texts.warmups, "--warmup"));
  }
  return {};
}

Status ParseSplit(const StatTexts& texts, StatArguments& result) {
  struct Choice {
    bool wanted;
    const char* option;
    Aggregation aggregation;
    collect::CountSplit split;
  };
  const Choice choices[] = {
      {texts.no_aggregation, "-A", Aggregation::kCpu, collect::CountSplit::kCpu},
      {texts.per_core, "--per-core", Aggregation::kCore, collect::CountSplit::kCpu},
      {texts.per_socket, "--per-socket", Aggregation::kSocket, collect::CountSplit::kCpu},
      {texts.per_node, "--per-node", Aggregation::kNode, collect::CountSplit::kCpu},
      {texts.per_thread, "--per-thread", Aggregation::kThread, collect::CountSplit::kThread}};
  const TargetKind kind = result.count.target.kind;
  const char* chosen = nullptr;
  for (const Choice& choice : choices) {
    if (!choice.wanted) continue;
    if (chosen != nullptr)
      return Refuse(std::string(chosen) + " and " + choice.option + " exclude each other");
    chosen = choice.option;
    const bool by_cpu = choice.split == collect::CountSplit::kCpu;
    if (by_cpu && kind != TargetKind::kSystem && kind != TargetKind::kCpus)
      return Refuse(std::string(chosen) + " needs CPUs as the target: -a or -C LIST",
                    "prof stat -a " + std::string(chosen) + " sleep 1");
    if (!by_cpu && (kind == TargetKind::kCommand || kind == TargetKind::kCpus))
      return Refuse("--per-thread needs -p, -t or -a", "prof stat --per-thread -p PID sleep 1");
    result.aggregation = choice.aggregation;
    result.count.split = choice.split;
  }
  return {};
}

Status ParseTimes(const StatTexts& texts, const RepeatOptions& repeats,
                  collect::CountOptions& count) {
  if (!texts.delay.empty()) {
    PROF_TRY_ASSIGN(count.delay_ms, ParseMs(texts.delay, "-D", 1));
  }
  if (!texts.timeout.empty()) {
    PROF_TRY_ASSIGN(const std::uint64_t timeout, ParseMs(texts.timeout, "--timeout", kShortestMs));
    count.timeout_s = static_cast<double>(timeout) / 1e3;
  }
  if (!texts.interval.empty()) {
    PROF_TRY_ASSIGN(count.interval_ms, ParseMs(texts.interval, "-I", kShortestMs));
    if (!repeats.IsSingle() || !texts.alternatives.empty())
      return Refuse("-I prints a run as it goes, and cannot be used with repeated runs",
                    "-r N --table prints one line per run");
  }
  if (!texts.interval_count.empty()) {
    if (texts.interval.empty())
      return Refuse("--interval-count needs -I", "prof stat -I 1000 --interval-count 5 -a");
    PROF_TRY_ASSIGN(count.interval_count, ParseUnsigned(texts.interval_count, "--interval-count"));
  }
  return {};
}

Status ParseOutput(const CLI::App& app, const StatTexts& texts, StatArguments& result) {
  const bool csv = app.get_option("--field-separator")->count() != 0;
  if (csv && texts.json) return Refuse("-x and -j exclude each other");
  if (texts.metric_only && (csv || texts.json) && !texts.alternatives.empty())
    return Refuse(
        "--metric-only leaves nothing but metrics in -x and -j, and no comparison of --vs",
        "without it the lines of -x and -j have fields of metrics");
  if (csv && texts.separator.empty()) return Refuse("-x: the separator is empty", "-x,");
  result.separator = texts.separator == "\\t" ? "\t" : texts.separator;
  if (result.separator.find_first_of("\"\r\n") != std::string::npos)
    return Refuse("-x: quotes and line ends cannot separate fields", "-x, or -x '\\t'");
  result.format = csv ? StatFormat::kCsv : texts.json ? StatFormat::kJson : StatFormat::kText;
  if (app.get_option("--output")->count() != 0 && texts.output.empty())
    return Refuse("-o: the file name is empty", "-o stat.txt");
  if (app.get_option("--save")->count() != 0 && texts.save.empty())
    return Refuse("--save: the file name is empty", "--save old.prof");
  if (texts.append && texts.output.empty())
    return Refuse("--append needs the -o file it appends to");
  if (!texts.log_fd.empty()) {
    if (!texts.output.empty()) return Refuse("-o and --log-fd exclude each other");
    const auto fd = ParseUnsigned(texts.log_fd, "--log-fd");
    if (!fd || *fd > 1'000'000 || ::fcntl(static_cast<int>(*fd), F_GETFD) < 0)
      return Refuse("--log-fd: '" + texts.log_fd + "' is not an open file descriptor",
                    "prof stat --log-fd 3 ./app 3>stat.txt");
    result.log_fd = static_cast<int>(*fd);
  }
  result.output = texts.output;
  result.append = texts.append;
  result.save = texts.save;
  result.quiet = texts.quiet;
  result.verbose = texts.verbose;
  result.style.big_numbers = texts.big_numbers;
  result.style.table = texts.table;
  result.style.metric_only = texts.metric_only;
  result.interval_summary = texts.summary;
  return {};
}

Status ParseEventChoice(const CLI::App& app, const StatTexts& texts, StatArguments& result) {
  if (texts.all_user && texts.all_kernel)
    return Refuse("--all-user and --all-kernel exclude each other");
  EventChoice& events = result.events;
  events.texts = texts.events;
  events.metrics = texts.metrics;
  if (texts.topdown) events.metrics.emplace_back("topdown");
  events.detail = static_cast<int>(app.get_option("--detailed")->count());
  events.none = texts.null;
  events.one_group = texts.group;
  events.all_user = texts.all_user;
  events.all_kernel = texts.all_kernel;
  const TargetKind kind = result.count.target.kind;
  events.whole_cpus = kind == TargetKind::kSystem || kind == TargetKind::kCpus;
  if (events.none && (!events.texts.empty() || !events.metrics.empty() || events.detail != 0))
    return Refuse("-n counts no events, and excludes -e, -d, -M and --topdown");
  return {};
}

// What makes no sense together.
Status CheckTogether(const StatTexts& texts, const StatArguments& result) {
  const auto& target = result.count.target;
  const bool attached = target.kind != TargetKind::kCommand;
  if (attached && !texts.alternatives.empty())
    return Refuse("--vs compares commands, and excludes -p, -t, -a and -C");
  if (attached && !texts.patterns.empty())
    return Refuse("--metric reads a command's output, and excludes -p, -t, -a and -C");
  if (!result.repeats.IsSingle() && attached && target.command.empty() && !result.count.timeout_s)
    return Refuse("-r needs something that ends a run: a command, or --timeout",
                  "prof stat -r 5 -a sleep 1");
  if (result.repeats.warmups != 0 && attached)
    return Refuse("--warmup is about commands, and excludes -p, -t, -a and -C");
  if (!texts.fail_if_slower.empty() && texts.alternatives.empty())
    return Refuse("--fail-if-slower needs --vs, the command to compare with",
                  "prof stat --vs ./old --fail-if-slower 3 -- ./new");
  if (texts.shell && target.command.empty())
    return Refuse("--shell needs a command to run", "prof stat --shell 'gzip -c file | wc -c'");
  return {};
}

Status Interpret(const CLI::App& app, const StatTexts& texts, StatArguments& result) {
  PROF_TRY_ASSIGN(std::vector<std::string> command, CommandWords(app));
  const Error nothing{
      ErrorKind::kUsage,
      texts.alternatives.empty() ? "nothing to count: no command, and none of -p, -t, -a, -C"
                                 : "nothing to compare with: no command besides that of --vs",
      texts.alternatives.empty() ? "prof stat ./app" : "prof stat --vs ./old -- ./new"};
  auto& count = result.count;
  PROF_TRY_ASSIGN(count.target, ParseTarget(texts.target, std::move(command), nothing));
  PROF_TRY_ASSIGN(count.sides, MakeSides(count.target.command, texts.alternatives, texts.shell));
  count.target.command = count.sides.front().command;
  if (count.target.kind != TargetKind::kCommand)  // what is measured is not the command
    count.sides.front().text = texts.target.pids + texts.target.tids + texts.target.cpus;
  PROF_TRY(ParseEventChoice(app, texts, result));
  PROF_TRY(ParseSplit(texts, result));
  PROF_TRY(ParseRepeats(texts, result.repeats));
  PROF_TRY(ParseTimes(texts, result.repeats, count));
  PROF_TRY(ParseMetrics(app, texts, count.metrics));
  PROF_TRY(ParseOutput(app, texts, result));
  PROF_TRY(CheckTogether(texts, result));
  if (!texts.fail_if_slower.empty()) {
    PROF_TRY_ASSIGN(result.fail_if_slower,
                    ParsePositive(texts.fail_if_slower, "--fail-if-slower", true));
  }
  count.inherit = !texts.no_inherit;
  result.scale = !texts.no_scale;
  result.prepare = texts.prepare;
  result.post = texts.post;
  result.sync = texts.sync;
  result.ignore_failure = texts.ignore_failure;
  return {};
}

}  // namespace

StatParse ParseStatArguments(const std::vector<std::string>& args) {
  CLI::App app("Count events and time of a command, repeat it, compare it with others.",
               "prof stat");
  StatTexts texts;
  StatArguments result;
  BindStatOptions(app, texts);
  if (const auto status = ParseArguments(app, "stat", args)) return {std::nullopt, *status};
  if (const Status status = Interpret(app, texts, result); !status)
    return {std::nullopt, PrintError("stat", status.error())};
  result.count.command_line = {"prof", "stat"};
  result.count.command_line.insert(result.count.command_line.end(), args.begin(), args.end());
  return {std::move(result), 0};
}

}  // namespace prof::tools
