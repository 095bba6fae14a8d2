// Names and describes the options of `prof stat`.
#include "stat_options.h"

#include "command.h"

namespace prof::tools {
namespace {

constexpr const char* kExamples = R"(Examples:
  prof stat ./app --its-option              counts and times of one run
  prof stat -e page-faults,instructions:u ./app
  prof stat -r 20 --table ./app             median, interval, outliers and why
  prof stat -r auto --warmup 1 ./app        until the median is known to 1 %
  prof stat --vs './old -n 5' -- ./new -n 5 is ./new faster, and by how much?
  prof stat --vs ./old --fail-if-slower 3 -- ./new || echo slower
  prof stat --metric 'fps=([0-9.]+) fps' --higher-is-better --vs ./old -- ./new
  prof stat --shell --prepare 'make clean' -r 5 'make -j8 >/dev/null'
  prof stat -a -A -I 1000                   every CPU, every second
  prof stat -x, -o counts.csv ./app         for programs; -j is JSON

Options end at the first word that is none, or at --. Results go to standard
error. The exit status is the command's; 1: --fail-if-slower; 125: prof's own
failure.)";

CLI::Option* In(CLI::Option* option, const char* group, const char* value = "") {
  return option->group(group)->option_text(value);
}

void BindTarget(CLI::App& app, StatTexts& texts) {
  constexpr const char* kGroup = "Target (a command, or one of -p, -t, -a, -C)";
  In(app.add_option("-p,--pid", texts.target.pids, "processes: all their threads and children"),
     kGroup, "PID[,PID]");
  In(app.add_option("-t,--tid", texts.target.tids, "single threads"), kGroup, "TID[,TID]");
  In(app.add_flag("-a,--all-cpus", texts.target.system, "the whole system"), kGroup);
  In(app.add_option("-C,--cpu", texts.target.cpus, "everything that runs on these CPUs (0-3,8)"),
     kGroup, "LIST");
  In(app.add_flag("-i,--no-inherit", texts.no_inherit,
                  "not the children and threads that start later"),
     kGroup);
  In(app.add_option("-D,--delay", texts.delay, "counting starts MS milliseconds later"), kGroup,
     "MS");
  In(app.add_option("--timeout", texts.timeout, "stop after MS milliseconds (10 at least)"), kGroup,
     "MS");
  In(app.add_flag("--shell", texts.shell, "run the command and those of --vs with sh -c"), kGroup);
}

void BindEvents(CLI::App& app, StatTexts& texts) {
  constexpr const char* kGroup = "Events";
  In(app.add_option("-e,--event", texts.events, "what to count (prof list names it); repeatable"),
     kGroup, "EVENT[,EVENT]")
      ->allow_extra_args(false);
  In(app.add_flag("-d,--detailed", texts.detailed,
                  "caches, too; -dd: and TLBs; -ddd: and prefetches")
         ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast),
     kGroup);
  In(app.add_option("-M,--metrics", texts.metrics, "the events of these metrics (ipc, cache, ...)"),
     kGroup, "NAME[,NAME]")
      ->allow_extra_args(false)
      ->delimiter(',');
  In(app.add_flag("--topdown", texts.topdown, "what the pipeline's slots were used for"), kGroup);
  In(app.add_flag("-g,--group", texts.group, "all events in one group, counted together"), kGroup);
  In(app.add_flag("-n,--null", texts.null, "no events: times and what disturbed the run"), kGroup);
  In(app.add_flag("--all-user", texts.all_user, "user space only"), kGroup);
  In(app.add_flag("--all-kernel", texts.all_kernel, "kernel only"), kGroup);
  In(app.add_flag("--no-scale", texts.no_scale, "counts as read, where events shared a counter"),
     kGroup);
}

void BindSplit(CLI::App& app, StatTexts& texts) {
  constexpr const char* kGroup = "One line for each (CPUs and what they are in: -a, -C)";
  In(app.add_flag("-A,--no-aggr", texts.no_aggregation, "CPU"), kGroup);
  In(app.add_flag("--per-core", texts.per_core, "core"), kGroup);
  In(app.add_flag("--per-socket", texts.per_socket, "socket"), kGroup);
  In(app.add_flag("--per-node", texts.per_node, "NUMA node"), kGroup);
  In(app.add_flag("--per-thread", texts.per_thread, "thread (-p, -t, -a)"), kGroup);
}

void BindRepeats(CLI::App& app, StatTexts& texts) {
  constexpr const char* kGroup = "Repeats and comparisons";
  In(app.add_option("-r,--repeat", texts.repeats,
                    "run N times; 0: until Ctrl-C; auto: until the\nmedian (with --vs the ratio) "
                    "is precise"),
     kGroup, "N|0|auto");
  In(app.add_option("--precision", texts.precision,
                    "of -r auto: width of the 95 % interval (default 1%)"),
     kGroup, "P%");
  In(app.add_option("--max-time", texts.max_time,
                    "no new run after SECONDS (default 120 with auto)"),
     kGroup, "SECONDS");
  In(app.add_option("--warmup", texts.warmups, "runs before the first that counts"), kGroup, "N");
  In(app.add_option("--vs", texts.alternatives,
                    "compare with this command, runs interleaved;\nrepeatable; -r auto unless said "
                    "otherwise"),
     kGroup, "COMMAND")
      ->allow_extra_args(false);
  In(app.add_option("--metric", texts.patterns,
                    "a number that the command prints, to summarize\nand compare; repeatable"),
     kGroup, "[NAME=]REGEX")
      ->allow_extra_args(false);
  In(app.add_flag("--higher-is-better", texts.higher_is_better,
                  "of the --metric before it; else lower is"),
     kGroup);
  In(app.add_option("--fail-if-slower", texts.fail_if_slower,
                    "status 1 if the command is shown to be slower\nthan one of --vs by P % or "
                    "more"),
     kGroup, "P");
  In(app.add_option("--pre,--prepare", texts.prepare, "run with sh -c before each run"), kGroup,
     "COMMAND");
  In(app.add_option("--post", texts.post, "run with sh -c after each run"), kGroup, "COMMAND");
  In(app.add_flag("-S,--sync", texts.sync, "sync(2) before each run"), kGroup);
  In(app.add_flag("--ignore-failure", texts.ignore_failure, "go on when runs fail"), kGroup);
}

void BindOutput(CLI::App& app, StatTexts& texts) {
  constexpr const char* kGroup = "Output";
  In(app.add_option("-I,--interval-print", texts.interval,
                    "print every MS milliseconds (10 at least)"),
     kGroup, "MS");
  In(app.add_option("--interval-count", texts.interval_count, "stop after N intervals"), kGroup,
     "N");
  In(app.add_flag("--summary,!--no-summary", texts.summary, "totals after the intervals, too"),
     kGroup);
  In(app.add_option("-x,--field-separator", texts.separator, "CSV with perf's fields and more"),
     kGroup, "SEP");
  In(app.add_flag("-j,--json-output", texts.json, "JSON with perf's keys and more, one per line"),
     kGroup);
  In(app.add_option("-o,--output", texts.output, "to FILE instead of standard error"), kGroup,
     "FILE");
  In(app.add_flag("--append", texts.append, "to the end of the -o file"), kGroup);
  In(app.add_option("--log-fd", texts.log_fd, "to this open file descriptor"), kGroup, "N");
  In(app.add_option("--save", texts.save, "all readings to a prof file, for later comparisons"),
     kGroup, "FILE");
  In(app.add_flag("--table", texts.table, "every run on a line"), kGroup);
  In(app.add_flag("--metric-only", texts.metric_only, "derived metrics without the counts"),
     kGroup);
  In(app.add_flag("-B,--big-num,!--no-big-num", texts.big_numbers, "1,234,567 (the default)"),
     kGroup);
  In(app.add_flag("-q,--quiet", texts.quiet, "nothing but errors, -o and --save"), kGroup);
  In(app.add_flag("-v,--verbose", texts.verbose, "what is opened, and each run as it ends"),
     kGroup);
  In(app.get_option("--help")->description("print this help"), kGroup);
}

}  // namespace

void BindStatOptions(CLI::App& app, StatTexts& texts) {
  BindTarget(app, texts);
  BindEvents(app, texts);
  BindSplit(app, texts);
  BindRepeats(app, texts);
  BindOutput(app, texts);
  app.footer(kExamples);
  app.prefix_command();
  StyleHelp(app, {"prof stat [OPTIONS] COMMAND [ARGS]",
                  "prof stat [OPTIONS] --vs 'COMMAND_A' -- COMMAND_B [ARGS]",
                  "prof stat [OPTIONS] -p PID | -t TID | -a | -C LIST [COMMAND [ARGS]]"});
}

}  // namespace prof::tools
