// Parses the arguments of prof report.
#include "report_options.h"

#include <algorithm>
#include <utility>

#include "call_graph_option.h"
#include "command.h"
#include "names_option.h"

namespace prof::tools {
namespace {

using analysis::SortKey;
using report::Column;
using report::Field;

constexpr const char* kExamples = R"(Examples:
  prof report                              who spends the time, with callees
  prof report --no-children -g caller      self time, callers first
  prof report -s dso,sym -g none           one table without call graphs
  prof report -c cc1plus --time 10%-20%    one command, the second tenth
  prof report -i - --json < prof.data      for programs

Keys: comm pid tid dso sym srcline srcfile cpu time event. docs/report.md
explains the head of a report: what the recording could not see.)";

struct KeyWord {
  std::string_view name;
  Field field;
};
constexpr KeyWord kKeyWords[] = {{"overhead", {Column::kOverhead, {}}},
                                 {"overhead_children", {Column::kOverheadChildren, {}}},
                                 {"sample", {Column::kSamples, {}}},
                                 {"period", {Column::kPeriod, {}}},
                                 {"comm", {Column::kKey, SortKey::kComm}},
                                 {"pid", {Column::kKey, SortKey::kPid}},
                                 {"tid", {Column::kKey, SortKey::kTid}},
                                 {"dso", {Column::kKey, SortKey::kDso}},
                                 {"sym", {Column::kKey, SortKey::kSym}},
                                 {"symbol", {Column::kKey, SortKey::kSym}},
                                 {"srcline", {Column::kKey, SortKey::kSrcLine}},
                                 {"srcfile", {Column::kKey, SortKey::kSrcFile}},
                                 {"cpu", {Column::kKey, SortKey::kCpu}},
                                 {"time", {Column::kKey, SortKey::kTime}},
                                 {"event", {Column::kKey, SortKey::kEvent}}};
constexpr const char* kKeyHint =
    "keys are overhead overhead_children sample period comm pid tid dso sym srcline srcfile cpu "
    "time event";

// What CLI11 binds to before it is checked and translated.
struct RawOptions {
  std::string call_graph, sort, fields, symbols;
  FilterTexts filters;
  std::string percentage = "absolute", names = "plain", color = "auto";
  std::vector<std::string> positional;
  std::string behind_g;  // the word after -g
  bool stdio = false, inverted = false, no_call_graph = false;
};

Result<std::vector<Field>> ParseKeys(std::string_view option, const std::string& text) {
  std::vector<Field> fields;
  for (const std::string& word : SplitList(text)) {
    const auto* key = std::ranges::find(kKeyWords, word, &KeyWord::name);
    if (key == std::end(kKeyWords)) {
      return Fail(ErrorKind::kUsage, std::string(option) + ": unknown key '" + word + "'",
                  kKeyHint);
    }
    if (std::ranges::find(fields, key->field) == fields.end()) fields.push_back(key->field);
  }
  return fields;
}

void AppendSortKeys(const std::vector<Field>& fields, std::vector<SortKey>& sort) {
  for (const Field& field : fields) {
    if (field.column == Column::kKey && std::ranges::find(sort, field.key) == sort.end())
      sort.push_back(field.key);
  }
}

// As in perf: -s names the keys ("+KEY" adds to the default ones), -F the columns and, without -s,
// the keys as well.
Status ApplyKeys(const RawOptions& raw, bool sort_given, bool fields_given,
                 ReportOptions& options) {
  if (sort_given) {
    const bool add = raw.sort.starts_with('+');
    PROF_TRY_ASSIGN(const std::vector<Field> keys,
                    ParseKeys("--sort", add ? raw.sort.substr(1) : raw.sort));
    if (!add) options.table.sort.clear();
    AppendSortKeys(keys, options.table.sort);
  }
  if (!fields_given) return {};
  PROF_TRY_ASSIGN(options.text.fields, ParseKeys("--fields", raw.fields));
  if (!sort_given) options.table.sort.clear();
  AppendSortKeys(options.text.fields, options.table.sort);
  const bool children = std::ranges::any_of(
      options.text.fields, [](const Field& f) { return f.column == Column::kOverheadChildren; });
  if (!children) options.table.children = false;  // rows go by the column that is shown
  return {};
}

void ApplySymbolFilters(const RawOptions& raw, ReportOptions& options) {
  options.table.filter.symbols = SplitList(raw.symbols);
  const std::pair<const char*, const std::string*> shown[] = {
      {"symbol", &raw.symbols},
      {"symbol contains", &options.table.filter.symbol_contains},
      {"parent", &options.table.parent_regex}};
  for (const auto& [name, value] : shown) {
    if (!value->empty()) options.filters.push_back(std::string(name) + ": " + *value);
  }
}

Status ApplyCallGraph(const RawOptions& raw, ReportOptions& options) {
  analysis::CallGraphOptions& graph = options.table.call_graph;
  PROF_TRY(ParseCallGraph(raw.call_graph, graph));
  if (raw.inverted) graph.order = analysis::CallGraphOrder::kCaller;
  if (raw.no_call_graph) graph.style = analysis::CallGraphStyle::kNone;
  options.text.call_graph = graph;
  return {};
}

Status Translate(const CLI::App& app, const RawOptions& raw, ReportOptions& options) {
  if (!raw.positional.empty() && raw.positional.front() == raw.behind_g) {
    return Fail(ErrorKind::kUsage, "-g: '" + raw.positional.front() + "' is no call graph",
                "-g graph,0.5,caller; or, for a file: prof report -g -i " + raw.behind_g);
  }
  if (!raw.positional.empty()) {
    return Fail(ErrorKind::kUsage, "unexpected argument '" + raw.positional.front() + "'",
                "prof report -i " + raw.positional.front() + " reads that file");
  }
  PROF_TRY(ApplyKeys(raw, app.count("--sort") > 0, app.count("--fields") > 0, options));
  PROF_TRY(ApplyFilters(raw.filters, options.table.filter, options.time, options.filters));
  ApplySymbolFilters(raw, options);
  PROF_TRY(ApplyCallGraph(raw, options));
  options.table.relative_percentage = raw.percentage == "relative";
  options.table.names = ParseNames(raw.names);
  options.color = ParseColor(raw.color);
  if (options.text.separator == "\\t") options.text.separator = "\t";
  return {};
}

void AddOutputOptions(CLI::App& app, RawOptions& raw, ReportOptions& options) {
  app.add_option("-i,--input", options.input,
                 "profile to read (default prof.data); - is standard\ninput")
      ->type_name("FILE");
  app.add_flag("--stdio", raw.stdio, "text (the default)");
  app.add_flag("--json", options.json, "the whole report as JSON");
  app.add_flag("--header", options.header, "say first what was recorded where");
  app.add_flag("--header-only", options.header_only, "say only what was recorded where");
  app.add_flag("--stats", options.stats, "number of records of each kind");
  app.add_flag("-q,--quiet", options.text.quiet,
               "rows only: no headings, nothing about the\nrecording");
  app.add_flag("-v,--verbose", options.verbose, "say what was read");
  BindColor(app, raw.color);
  app.add_option("-t,--field-separator", options.text.separator,
                 "fields separated by SEP, without padding")
      ->type_name("SEP");
  BindNames(app, raw.names);
}

void AddTableOptions(CLI::App& app, RawOptions& raw, ReportOptions& options) {
  app.add_option("-s,--sort", raw.sort,
                 "what rows are by (default comm,dso,sym);\n+KEY adds to that; keys below")
      ->type_name("KEYS");
  app.add_option("-F,--fields", raw.fields,
                 "columns in order: keys, and overhead,\noverhead_children, sample, period")
      ->type_name("KEYS");
  app.add_flag("--children,!--no-children", options.table.children,
               "add the time of callees to their callers (default\nwhen stacks were recorded)");
  app.add_flag("-n,--show-nr-samples", options.text.show_samples,
               "column with the number of samples");
  app.add_flag("--show-total-period", options.text.show_total_period,
               "column with the sum of periods");
  app.add_flag("-T,--threads", options.text.show_threads,
               "then list the threads and what each used");
  app.add_flag(
      "--ci", options.text.interval,
      "column with half the 95 % interval of a share\n(default on terminals of 100 columns)");
  app.add_option("--percent-limit", options.table.percent_limit, "leave out rows below this share")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  app.add_option("--percentage", raw.percentage,
                 "shares of the whole: absolute (default); of what\nfilters leave: relative")
      ->check(CLI::IsMember({"absolute", "relative"}))
      ->type_name("WHICH");
}

void AddCallGraphOptions(CLI::App& app, RawOptions& raw, ReportOptions& options) {
  app.add_option("-g,--call-graph", raw.call_graph,
                 "any of, by commas: graph flat fractal folded none;\n"
                 "the least share in percent (0.5), then the most\n"
                 "chains of a row; caller callee; function address;\n"
                 "percent period count. Alone: graph,0.5,caller")
      ->type_name("[SPEC]");
  app.add_flag("--no-call-graph", raw.no_call_graph, "as -g none");
  app.add_flag("-G,--inverted", raw.inverted, "call graphs from the outermost function");
  app.add_option("--max-stack", options.table.max_stack,
                 "look at this many frames, innermost first")
      ->type_name("N");
  app.add_flag("--inline,!--no-inline", options.table.inlines,
               "inlined functions are functions of their own\n(default)");
}

void AddFilterOptions(CLI::App& app, RawOptions& raw, ReportOptions& options) {
  BindFilters(app, "-c,--comms", "-C,--cpu", raw.filters);
  app.add_option("-S,--symbols", raw.symbols, "only these functions")->type_name("NAMES");
  app.add_option("--symbol-filter", options.table.filter.symbol_contains,
                 "only functions whose name contains this")
      ->type_name("TEXT");
  app.add_option("-p,--parent", options.table.parent_regex,
                 "only stacks with a caller that matches")
      ->type_name("REGEX");
  app.add_option("--ignore-callees", options.table.ignore_callees,
                 "fold the callees of matching functions into them")
      ->type_name("REGEX")
      ->expected(1);
  app.add_option("file", raw.positional)->group("");
}

}  // namespace

std::expected<ReportOptions, int> ParseReportOptions(const std::vector<std::string>& args) {
  ReportOptions options;
  RawOptions raw;
  CLI::App app("Shows who spends the time: tables and call graphs of a profile.", "prof report");
  AddSection(app, "Rows and columns", [&] { AddTableOptions(app, raw, options); });
  AddSection(app, "Call graphs", [&] { AddCallGraphOptions(app, raw, options); });
  AddSection(app, "Filters (lists are separated by commas)",
             [&] { AddFilterOptions(app, raw, options); });
  AddSection(app, "Input and output", [&] { AddOutputOptions(app, raw, options); });
  BindDebuginfod(app, "Input and output", options.debuginfod);
  app.get_option("--help")->description("print this help")->group("Input and output");
  app.footer(kExamples);
  StyleHelp(app, {"prof report [OPTIONS]"});
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (name != "--ignore-callees" && name != "file" && name != "--help") {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  app.get_option("--ignore-callees")->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (const auto g = std::ranges::find(args, "-g"); g != args.end() && g + 1 != args.end())
    raw.behind_g = *(g + 1);
  if (const auto status = ParseArguments(app, "report", AttachCallGraphArguments(args)))
    return std::unexpected(*status);
  if (const Status status = Translate(app, raw, options); !status) {
    return std::unexpected(PrintError("report", status.error()));
  }
  return options;
}

}  // namespace prof::tools
