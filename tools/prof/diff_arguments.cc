// Turns the words of `prof diff` into DiffArguments.
#include "diff_arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "command.h"
#include "diff_options.h"
#include "names_option.h"
#include "stat_sides.h"
#include "target_option.h"

namespace prof::tools {
namespace {

using analysis::SortKey;

std::unexpected<Error> Refuse(std::string message, std::string hint = {}) {
  return Fail(ErrorKind::kUsage, std::move(message), std::move(hint));
}

Result<SortKey> ParseKey(std::string_view option, const std::string& word) {
  static constexpr std::pair<std::string_view, SortKey> kKeys[] = {
      {"comm", SortKey::kComm},       {"pid", SortKey::kPid},         {"tid", SortKey::kTid},
      {"dso", SortKey::kDso},         {"sym", SortKey::kSym},         {"symbol", SortKey::kSym},
      {"srcline", SortKey::kSrcLine}, {"srcfile", SortKey::kSrcFile}, {"cpu", SortKey::kCpu}};
  for (const auto& [name, key] : kKeys) {
    if (word == name) return key;
  }
  return Refuse(std::string(option) + ": unknown key '" + word + "'",
                "keys are comm pid tid dso sym srcline srcfile cpu");
}

// "KEYS", or "+KEYS" to add to the default ones.
Status ApplySort(const DiffTexts& texts, std::vector<SortKey>& keys) {
  if (texts.sort.empty()) return {};
  const bool add = texts.sort.starts_with('+');
  const std::vector<std::string> words = SplitList(add ? texts.sort.substr(1) : texts.sort);
  if (words.empty()) return Refuse("--sort: no key in '" + texts.sort + "'", "-s dso,sym");
  if (!add) keys.clear();
  for (const std::string& word : words) {
    PROF_TRY_ASSIGN(const SortKey key, ParseKey("--sort", word));
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return {};
}

Status ApplyBy(const DiffTexts& texts, std::vector<SortKey>& keys) {
  if (texts.by.empty() || texts.by == "function") return {};
  PROF_TRY_ASSIGN(const SortKey key, ParseKey("--by", texts.by));
  keys = key == SortKey::kSym ? std::vector{SortKey::kDso, SortKey::kSym} : std::vector{key};
  return {};
}

// -c delta | delta-abs | ratio | wdiff:BEFORE,AFTER
Status ApplyCompute(const std::string& text, report::PerfDiffOptions& perf) {
  using report::PerfCompute;
  static constexpr std::pair<std::string_view, PerfCompute> kComputes[] = {
      {"delta", PerfCompute::kDelta},
      {"delta-abs", PerfCompute::kDeltaAbs},
      {"ratio", PerfCompute::kRatio}};
  for (const auto& [name, compute] : kComputes) {
    if (text != name) continue;
    perf.compute = compute;
    return {};
  }
  constexpr std::string_view kWeighted = "wdiff:";
  if (text.starts_with(kWeighted)) {
    const std::vector<std::string> weights = SplitList(text.substr(kWeighted.size()));
    const auto parse = [](std::string_view word, std::int64_t& value) {
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      return error == std::errc() && end == word.data() + word.size() && value != 0;
    };
    perf.compute = PerfCompute::kWeightedDiff;
    if (weights.size() == 2 && parse(weights[0], perf.weight_before) &&
        parse(weights[1], perf.weight_after)) {
      return {};
    }
    return Refuse("-c: '" + text + "' does not have two weights", "-c wdiff:1,2");
  }
  if (text == "cycles")
    return Refuse("-c cycles needs branch records of the CPU, which prof record does not take");
  return Refuse("-c: '" + text + "' is no computation", "-c delta, delta-abs, ratio or wdiff:1,2");
}

Status ApplyOrder(const std::string& text, report::PerfDiffOptions& perf) {
  if (text != "0" && text != "1") {
    return Refuse("-o: '" + text + "' is no column of a comparison of two sides",
                  "-o 0: by the baseline; -o 1: by what is computed");
  }
  perf.order = text == "0" ? 0 : 1;
  return {};
}

Status ApplyMaps(const std::vector<std::string>& maps,
                 std::vector<analysis::diff::ModuleRename>& renames) {
  for (const std::string& map : maps) {
    const std::size_t equals = std::min(map.find('='), map.size());
    analysis::diff::ModuleRename rename{.old_name = map.substr(0, equals), .new_name = {}};
    if (equals < map.size()) rename.new_name = map.substr(equals + 1);
    if (rename.old_name.empty() || rename.new_name.empty())
      return Refuse("--map: '" + map + "' is not OLD=NEW", "--map app-1.0=app-1.1");
    renames.push_back(std::move(rename));
  }
  return {};
}

// "a,cpu/event=1,umask=2/,b": the commas between slashes belong to a name.
void AppendEvents(std::string_view text, std::vector<std::string>& events) {
  std::string name;
  bool in_slashes = false;
  const auto end_name = [&] {
    if (!name.empty()) events.push_back(std::exchange(name, {}));
  };
  for (const char c : text) {
    if (c == '/') in_slashes = !in_slashes;
    if (c == ',' && !in_slashes) {
      end_name();
    } else {
      name += c;
    }
  }
  end_name();
}

// perf's ':' separates the times of the two sides.
Status ApplyTimes(std::string text, DiffArguments& arguments) {
  if (text.empty()) return {};
  arguments.filters.push_back("time: " + text);
  const std::size_t colon = std::min(text.find(':'), text.size());
  PROF_TRY_ASSIGN(arguments.time_before, ParseTimeRange(text.substr(0, colon)));
  arguments.time_after = arguments.time_before;
  if (colon == text.size()) return {};
  PROF_TRY_ASSIGN(arguments.time_after, ParseTimeRange(text.substr(colon + 1)));
  return {};
}

Status ApplyFiltersOf(DiffTexts& texts, DiffArguments& arguments) {
  const std::string time = std::exchange(texts.filters.time, {});
  TimeRange none;
  analysis::diff::DiffOptions& diff = arguments.diff;
  PROF_TRY(ApplyFilters(texts.filters, diff.filter, none, arguments.filters));
  PROF_TRY(ApplyTimes(time, arguments));
  diff.filter.symbols = SplitList(texts.symbols);
  const std::pair<const char*, const std::string*> shown[] = {{"symbol", &texts.symbols},
                                                              {"parent", &diff.parent_regex}};
  for (const auto& [name, value] : shown) {
    if (!value->empty()) arguments.filters.push_back(std::string(name) + ": " + *value);
  }
  return {};
}

Status ApplyStatistics(const CLI::App& app, const DiffTexts& texts, DiffArguments& arguments) {
  if (app.count("--alpha") > 0) {
    PROF_TRY_ASSIGN(const double alpha, ParsePositive(texts.alpha, "--alpha", false));
    if (alpha > 0.5)
      return Refuse("--alpha: " + texts.alpha + " is above 0.5",
                    "--alpha 0.01; the default is 0.05");
    arguments.diff.alpha = alpha;
  }
  if (app.count("--fail-if-slower") > 0) {
    PROF_TRY_ASSIGN(arguments.fail_if_slower,
                    ParsePositive(texts.slower, "--fail-if-slower", true));
  }
  return {};
}

// The first option of perf's table that was given; empty: none.
std::string PerfOption(const CLI::App& app) {
  for (const char* option : {"--compute", "--order", "--period", "--formula", "--baseline-only"}) {
    if (app.count(option) > 0) return option;
  }
  return {};
}

// What is printed, of which there is one.
Status ApplyView(const CLI::App& app, const DiffTexts& texts, DiffArguments& arguments) {
  std::string chosen;
  const auto choose = [&](bool wanted, const std::string& option, DiffView view) -> Status {
    if (!wanted) return {};
    if (!chosen.empty()) return Refuse(chosen + " and " + option + " exclude each other");
    chosen = option;
    arguments.view = view;
    return {};
  };
  const bool annotates = app.count("--annotate") > 0;
  if (annotates && arguments.symbol.empty())
    return Refuse("--annotate: the name of the function is empty", "--annotate parse_row");
  arguments.json = texts.json;
  PROF_TRY(choose(annotates, "--annotate", DiffView::kAnnotate));
  PROF_TRY(choose(texts.json && !annotates, "--json", DiffView::kJson));
  PROF_TRY(choose(texts.folded, "--folded", DiffView::kFolded));
  const std::string perf_option = PerfOption(app);
  return choose(!perf_option.empty(), perf_option, DiffView::kPerf);
}

Status ApplyRuns(const CLI::App& app, DiffTexts& texts, DiffArguments& arguments) {
  DiffRuns runs{
      .keep = texts.keep, .show_output = texts.show_output, .ignore_failure = texts.ignore_failure};
  PROF_TRY_ASSIGN(runs.runs, ParseUnsigned(texts.runs, "--runs"));
  constexpr std::uint64_t kMostRuns = 10'000;
  if (runs.runs > kMostRuns) return Refuse("--runs: " + texts.runs + " is too large");
  if (texts.warmups == "0") {
    runs.warmups = 0;
  } else if (!texts.warmups.empty()) {
    PROF_TRY_ASSIGN(runs.warmups, ParseUnsigned(texts.warmups, "--warmup"));
  }
  if (app.count("--keep") > 0 && texts.keep.empty())
    return Refuse("--keep: the name of the folder is empty", "--keep recordings");
  const auto pass = [&runs](const char* option, const std::string& value) {
    if (!value.empty()) runs.record.insert(runs.record.end(), {option, value});
  };
  for (const std::string& event : texts.events) pass("-e", event);
  pass("-F", texts.frequency);
  pass("-c", texts.period);
  if (arguments.diff.callers && texts.call_graph.empty()) runs.record.emplace_back("-g");
  pass("--call-graph", texts.call_graph);
  if (!texts.record.empty()) {
    PROF_TRY_ASSIGN(const std::vector<std::string> words, SplitWords(texts.record, "--record"));
    std::ranges::copy(words, std::back_inserter(runs.record));
  }
  PROF_TRY_ASSIGN(const std::vector<std::string> command, CommandWords(app));
  PROF_TRY_ASSIGN(runs.commands, SplitCommands(command));
  arguments.runs = std::move(runs);
  return {};
}

Status ApplyFiles(const CLI::App& app, const DiffTexts& texts, DiffArguments& arguments) {
  for (const char* option : {"--warmup", "--freq", "--count", "--call-graph", "--record", "--keep",
                             "--show-output", "--ignore-failure"}) {
    if (app.count(option) == 0) continue;
    return Refuse(std::string(option) + " is about recordings that --runs makes",
                  "prof diff --runs 10 ./old -- ./new");
  }
  for (const std::string& event : texts.events) AppendEvents(event, arguments.diff.events);
  arguments.default_files = texts.operands.empty();
  PROF_TRY_ASSIGN(arguments.files, SplitFiles(texts.operands));
  return {};
}

Status CheckTogether(const DiffArguments& arguments) {
  if (arguments.view != DiffView::kAnnotate) return {};
  const auto same_times = [](const std::optional<TimePoint>& a, const std::optional<TimePoint>& b) {
    return a.has_value() == b.has_value() &&
           (!a || (a->percent == b->percent && a->value == b->value));
  };
  if (arguments.runs)
    return Refuse("--annotate shows two recordings, and --runs makes several",
                  "prof diff --runs 10 --keep DIR ./old -- ./new; prof diff --annotate SYMBOL "
                  "DIR/before.1.data DIR/after.1.data");
  if (arguments.files.before.size() > 1 || arguments.files.after.size() > 1) {
    const bool before = arguments.files.before.size() > 1;
    return Refuse(
        "--annotate shows one recording of each side; there are " +
            std::to_string((before ? arguments.files.before : arguments.files.after).size()) +
            " of " + (before ? "before" : "after"),
        "prof diff --annotate " + arguments.symbol + " " + arguments.files.before.front() + " " +
            arguments.files.after.front());
  }
  if (arguments.fail_if_slower)
    return Refuse("--annotate shows one function, and --fail-if-slower judges the whole");
  if (!same_times(arguments.time_before.begin, arguments.time_after.begin) ||
      !same_times(arguments.time_before.end, arguments.time_after.end)) {
    return Refuse("--annotate takes one --time for both sides", "--time 10%-20%");
  }
  return {};
}

Status Translate(const CLI::App& app, DiffTexts& texts, DiffArguments& arguments) {
  analysis::diff::DiffOptions& diff = arguments.diff;
  if (!texts.sort.empty() && !texts.by.empty())
    return Refuse("--sort and --by exclude each other", "-s dso,srcline; --by srcline");
  PROF_TRY(ApplySort(texts, diff.keys));
  PROF_TRY(ApplyBy(texts, diff.keys));
  PROF_TRY(ApplyFiltersOf(texts, arguments));
  PROF_TRY(ApplyStatistics(app, texts, arguments));
  PROF_TRY(ApplyMaps(texts.maps, diff.renames));
  if (app.count("--compute") > 0) PROF_TRY(ApplyCompute(texts.compute, arguments.perf));
  if (app.count("--order") > 0) PROF_TRY(ApplyOrder(texts.order, arguments.perf));
  PROF_TRY(ApplyView(app, texts, arguments));
  PROF_TRY(app.count("--runs") > 0 ? ApplyRuns(app, texts, arguments)
                                   : ApplyFiles(app, texts, arguments));
  diff.names = ParseNames(texts.names);
  diff.tree =
      arguments.view == DiffView::kFolded || (arguments.view == DiffView::kJson && diff.callers);
  arguments.color = ParseColor(texts.color);
  if (arguments.text.separator == "\\t") arguments.text.separator = "\t";
  arguments.text.callers = diff.callers;
  arguments.text.relative_percentage = texts.percentage == "relative";
  arguments.perf.relative_percentage = arguments.text.relative_percentage;
  diff.children = arguments.text.children || arguments.view == DiffView::kJson;
  // perf has a row for whatever was sampled.
  if (arguments.view == DiffView::kPerf) diff.fewest_samples = 1;
  arguments.perf.separator = arguments.text.separator;
  arguments.perf.quiet = arguments.text.quiet;
  return CheckTogether(arguments);
}

// Whether -F and -e are those of prof record.
bool WantsRuns(const std::vector<std::string>& args) {
  return std::ranges::any_of(
      args, [](const std::string& arg) { return arg == "--runs" || arg.starts_with("--runs="); });
}

// CLI11 drops "--", which separates the sides here. A path with a slash at its end is no file, so
// nobody means this one.
constexpr const char* kSeparatorWord = "/--/";

std::vector<std::string> HideSeparators(std::vector<std::string> args) {
  std::ranges::replace(args, std::string("--"), std::string(kSeparatorWord));
  return args;
}

Status ShowSeparators(const std::vector<std::string>& args, std::vector<std::string>& operands) {
  const auto given = std::ranges::count(args, "--");
  if (std::ranges::count(operands, kSeparatorWord) != given)
    return Refuse("-- stands where the value of an option is expected");
  std::ranges::replace(operands, std::string(kSeparatorWord), std::string("--"));
  return {};
}

}  // namespace

std::expected<DiffArguments, int> ParseDiffArguments(const std::vector<std::string>& args) {
  DiffArguments arguments;
  DiffTexts texts;
  const bool runs = WantsRuns(args);
  CLI::App app("Says whether what was recorded is faster, by how much, and which functions did it.",
               "prof diff");
  BindDiffOptions(app, runs, texts, arguments);
  if (const auto status = ParseArguments(app, "diff", runs ? args : HideSeparators(args)))
    return std::unexpected(*status);
  const Status status = [&]() -> Status {
    if (!runs) PROF_TRY(ShowSeparators(args, texts.operands));
    if (runs && app.count("--runs") == 0) {
      return Refuse("options end at the first word of a command, and --runs comes behind it",
                    "prof diff --runs 10 ./old -- ./new");
    }
    return Translate(app, texts, arguments);
  }();
  if (!status) return std::unexpected(PrintError("diff", status.error()));
  return arguments;
}

}  // namespace prof::tools
