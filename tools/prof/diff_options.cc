// Names and describes the options of `prof diff`.
#include "diff_options.h"

#include "command.h"
#include "names_option.h"

namespace prof::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  prof diff                              prof.data.old against prof.data
  prof diff before.data after.data -g    and under which callers it changed
  prof diff b1 b2 b3 b4 -- a1 a2 a3 a4   four runs of each side
  prof diff --runs 10 ./old in -- ./new in
                                         records 10 runs of each, interleaved
  prof diff --runs 10 --fail-if-slower 2 ./old -- ./new || echo slower
  prof stat -r 10 --save old.prof ./old; prof stat -r 10 --save new.prof ./new
  prof diff old.prof new.prof            what prof stat counted and timed
  prof diff --annotate parse_row old new one function, side by side
  prof diff -c delta old new             perf's table
  prof diff --folded old new > diff.txt  stacks with both amounts

Keys: comm pid tid dso sym srcline srcfile cpu. Threads and processes are those
of one name, numbered by when they began. With --runs options end at the first
word of the first command. The exit status is 0; 1: --fail-if-slower; 125: an
error. docs/diff.md explains what is shown.)";

void AddRows(CLI::App& app, DiffTexts& texts, DiffArguments& arguments) {
  app.add_option("-s,--sort", texts.sort,
                 "what rows are by (default dso,sym); +KEY adds to\nthat; keys below")
      ->type_name("KEYS");
  app.add_option("--by", texts.by,
                 "function (default), srcline, srcfile, dso, comm,\npid, tid or cpu: that alone")
      ->type_name("KEY");
  app.add_flag("--children", arguments.text.children,
               "rows with all that they called, judged and ordered\nby that; these do not add up");
  app.add_flag("-g", arguments.diff.callers, "callers of what changed; with --runs recorded, too");
  app.add_option("--percent-limit", arguments.text.min_percent,
                 "of -g: no callers with less of their row's change\n(default 5)")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  app.add_flag("--all", arguments.text.all_rows,
               "rows without a significant change, too, which\notherwise are one line");
  app.add_flag("-n,--show-nr-samples", arguments.text.samples, "columns with numbers of samples");
  app.add_flag("--percent", arguments.text.percent, "columns with the shares of each side's total");
  app.add_option("--percentage", texts.percentage,
                 "shares of the whole: absolute (default); of what\nfilters leave: relative")
      ->check(CLI::IsMember({"absolute", "relative"}))
      ->type_name("WHICH");
  app.add_flag("!--no-inline", arguments.diff.inlines,
               "inlined functions belong to what they are inlined\nin");
  BindNames(app, texts.names);
  app.add_option("--map", texts.maps, "program or library OLD is called NEW after;\nrepeatable")
      ->type_name("OLD=NEW")
      ->allow_extra_args(false);
}

void AddVerdict(CLI::App& app, DiffTexts& texts) {
  app.add_option("--alpha", texts.alpha,
                 "share of false rows among the significant ones,\nand of false verdicts (default "
                 "0.05)")
      ->type_name("P");
  app.add_option("--fail-if-slower", texts.slower,
                 "status 1 if after is shown to be slower, and its\nmean is by P % or more")
      ->type_name("P");
}

void AddRuns(CLI::App& app, bool runs, DiffTexts& texts) {
  app.add_option("--runs", texts.runs,
                 "record N runs of each of two commands, A B B A;\ntheir standard input is empty")
      ->type_name("N");
  app.add_option("--warmup", texts.warmups,
                 "runs of each before the first that counts\n(default 1)")
      ->type_name("N");
  app.add_option(runs ? "-F,--freq" : "--freq", texts.frequency,
                 runs ? "samples per second and CPU (default 997)"
                      : "samples per second and CPU (default 997); with\n--runs -F, too")
      ->type_name("HZ|max");
  app.add_option("--count", texts.period, "one sample every N events, not by frequency")
      ->type_name("N");
  app.add_option("--call-graph", texts.call_graph, "record call graphs so (-g: auto)")
      ->type_name("auto|fp|dwarf[,SIZE]");
  app.add_option("--record", texts.record, "other options of prof record, as in a shell")
      ->type_name("OPTIONS");
  app.add_option("--keep", texts.keep,
                 "leave the recordings in folder DIR:\nbefore.1.data, after.1.data, ...")
      ->type_name("DIR");
  app.add_flag("--show-output", texts.show_output,
               "let the commands print; else that of a run is shown\nwhen it fails");
  app.add_flag("--ignore-failure", texts.ignore_failure, "go on when runs fail");
}

void AddFilters(CLI::App& app, DiffTexts& texts, DiffArguments& arguments) {
  BindFilters(app, "-C,--comms,--comm", "--cpu", texts.filters);
  app.get_option("--time")->description(
      "A,B (seconds from its beginning) or 10%-20%, of\neach recording; BEFORE:AFTER where they "
      "differ");
  app.add_option("-S,--symbols", texts.symbols, "only these functions")->type_name("NAMES");
  app.add_option("--parent", arguments.diff.parent_regex, "only stacks with a caller that matches")
      ->type_name("REGEX");
  app.add_option(
         "-e,--event", texts.events,
         "only these events (default: all that every run\nhas); with --runs what to sample; "
         "repeatable")
      ->type_name("EVENT[,EVENT]")
      ->allow_extra_args(false);
}

void AddPerf(CLI::App& app, bool runs, DiffTexts& texts, DiffArguments& arguments) {
  app.add_option("-c,--compute", texts.compute,
                 "delta, delta-abs (default), ratio or\nwdiff:BEFORE,AFTER (weights)")
      ->type_name("HOW");
  app.add_option("-o,--order", texts.order, "by the baseline (0) or what is computed (1)")
      ->type_name("N");
  app.add_flag("-p,--period", arguments.perf.period, "periods of both sides");
  app.add_flag(runs ? "--formula" : "-F,--formula", arguments.perf.formula,
               "how the column came about");
  app.add_flag("-b,--baseline-only", arguments.perf.baseline_only,
               "only rows that are in the baseline");
}

void AddOutput(CLI::App& app, DiffTexts& texts, DiffArguments& arguments) {
  app.add_option("--annotate", arguments.symbol,
                 "that function of both, as prof annotate with two\ninputs shows it")
      ->type_name("FUNCTION");
  app.add_flag("--json", texts.json, "everything as JSON; with -g the call tree, too");
  app.add_flag("--folded", texts.folded,
               "stacks with the amounts before and after, for\ndifferential flame graphs");
  app.add_flag("--stdio", texts.stdio, "text (the default)");
  app.add_option("-t,--field-separator", arguments.text.separator,
                 "fields separated by SEP, without padding")
      ->type_name("SEP");
  app.add_flag("-q,--quiet", arguments.text.quiet, "rows only; no progress");
  app.add_flag("-v,--verbose", arguments.verbose, "say what was recorded and read");
  BindColor(app, texts.color);
  app.add_flag("!--no-pager", arguments.pager,
               "never through $PROF_PAGER, $PAGER or less, which a\nterminal gets");
}

}  // namespace

void BindDiffOptions(CLI::App& app, bool runs, DiffTexts& texts, DiffArguments& arguments) {
  AddSection(app, "Rows and columns", [&] { AddRows(app, texts, arguments); });
  AddSection(app, "Verdict", [&] { AddVerdict(app, texts); });
  AddSection(app, "Recording (before the commands)", [&] { AddRuns(app, runs, texts); });
  AddSection(app, "Which samples (lists are separated by commas)",
             [&] { AddFilters(app, texts, arguments); });
  AddSection(app, "perf's table instead of ours (any of these)",
             [&] { AddPerf(app, runs, texts, arguments); });
  AddSection(app, "Output", [&] { AddOutput(app, texts, arguments); });
  BindDebuginfod(app, "Output", arguments.debuginfod);
  app.get_option("--help")->description("print this help")->group("Output");
  if (runs) {
    app.prefix_command();
  } else {
    app.add_option("file", texts.operands)->group("");
  }
  app.footer(kExamples);
  StyleHelp(app, {"prof diff [OPTIONS] [BEFORE AFTER]", "prof diff [OPTIONS] BEFORE... -- AFTER...",
                  "prof diff --runs N [OPTIONS] COMMAND_A [ARGS] -- COMMAND_B [ARGS]"});
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool repeatable = name == "--event" || name == "--map" || name == "file";
    if (!repeatable && name != "--help")
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

}  // namespace prof::tools
