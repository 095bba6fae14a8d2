// Turns the words of `prof record` into RecordOptions.
#include "record_arguments.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "command.h"
#include "target_option.h"

#include "prof/perf/event_spec.h"

namespace prof::tools {
namespace {

constexpr const char* kExamples = R"(Events:
  cycles LLC-load-misses cpu-clock page-faults    hardware, caches, kernel
  sched:sched_switch 'block:*'                    tracepoints
  cpu/event=0x3c,umask=0x1/ r1a8                  of a PMU, raw
  mem:0x601040/8:w                                accesses of an address
  '{cycles,instructions}'                         a group, counted together
Modifiers follow a colon: cycles:u (user), :k (kernel), :pp (precise).

Examples:
  prof record -g ./app --its-option      a command, with call graphs
  prof record -F 99 -g -p 1234           a process, until Ctrl-C
  prof record -a -g -- sleep 30          the whole system for 30 seconds
  prof record -e page-faults -g ./app    who touches memory first
  prof record -o - ./app | prof report -i -

Options end at the first word that is none, or at --; with -p, -t, -a, -C the
command is only the timer. `prof report` shows the result.)";

// What CLI11 fills; texts are interpreted afterwards.
struct RawArguments {
  std::vector<std::string> events, filters;
  TargetTexts target;
  std::string frequency, call_graph, ring, readers;
  std::string period, duration;
  bool call_graph_flag = false, no_inherit = false, no_symbols = false, no_join = false,
       no_embed_source = false, compress = false;
  bool cpu_wide = false, no_cpu_wide = false;
};

Result<double> ParseSeconds(const std::string& text) {
  double seconds = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !(seconds > 0) ||
      seconds > 1e9) {
    return Fail(ErrorKind::kUsage, "--duration: '" + text + "' is not a positive number of seconds",
                "prof record -a --duration 2.5");
  }
  return seconds;
}

// Pages, or a size such as 512K, 8M.
Result<std::uint64_t> ParseRingPages(std::string text) {
  std::uint64_t unit = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'B':
        unit = 1;
        break;
      case 'K':
        unit = 1024;
        break;
      case 'M':
        unit = 1024 * 1024;
        break;
      case 'G':
        unit = 1024 * 1024 * 1024;
        break;
      default:
        break;
    }
  }
  if (unit != 0) text.pop_back();
  PROF_TRY_ASSIGN(const std::uint64_t value, ParseUnsigned(text, "-m"));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t pages = unit == 0 ? value : (value * unit + page - 1) / page;
  if (pages > (std::uint64_t{1} << 18))
    return Fail(ErrorKind::kUsage, "-m: a ring of more than 1 GB");
  return pages;
}

// N | cpu
Status ParseReaders(const std::string& text, collect::ReaderChoice& readers) {
  if (text == "cpu") {
    readers.pinned = true;
    return {};
  }
  constexpr std::uint64_t kMostReaders = 4096;
  const auto count = ParseUnsigned(text, "--readers");
  if (!count || *count > kMostReaders) {
    return Fail(ErrorKind::kUsage, "--readers: '" + text + "' is neither 1 to 4096 nor cpu",
                "prof record --readers 2 -g ./app");
  }
  readers.count = static_cast<std::uint32_t>(*count);
  return {};
}

// auto | fp | dwarf[,SIZE]
Status ParseCallGraph(const std::string& text, collect::RecordOptions& options) {
  const auto comma = text.find(',');
  const std::string mode = text.substr(0, comma);
  if (mode == "fp" && comma == std::string::npos) {
    options.call_graph = model::CallGraphMode::kFramePointers;
  } else if (mode == "auto" && comma == std::string::npos) {
    options.call_graph = model::CallGraphMode::kAuto;
  } else if (mode == "dwarf") {
    options.call_graph = model::CallGraphMode::kDwarf;
    if (comma == std::string::npos) return {};
    PROF_TRY_ASSIGN(const std::uint64_t bytes,
                    ParseUnsigned(text.substr(comma + 1), "--call-graph dwarf"));
    if (bytes > 65'528)
      return Fail(ErrorKind::kUsage,
                  "--call-graph dwarf: the kernel copies at most 65528 bytes of stack");
    if (bytes % 8 != 0)
      return Fail(ErrorKind::kUsage, "--call-graph dwarf: the size must be a multiple of 8");
    options.dump_bytes = static_cast<std::uint32_t>(bytes);
  } else if (mode == "lbr") {
    return Fail(ErrorKind::kUsage, "--call-graph: lbr (branch records of the CPU) is not available",
                "-g unwinds code without frame pointers, too");
  } else {
    return Fail(ErrorKind::kUsage,
                "--call-graph: '" + text + "' is none of auto, fp, dwarf, dwarf,SIZE");
  }
  return {};
}

void BindTarget(CLI::App& app, RawArguments& raw, RecordArguments& result) {
  constexpr const char* kGroup = "Target (a command, or one of -p, -t, -a, -C)";
  auto& options = result.options;
  const auto add = [&](CLI::Option* option, const char* value = "") {
    option->group(kGroup)->option_text(value);
    return option;
  };
  add(app.add_option("-p,--pid", raw.target.pids,
                     "attach to processes: all their threads and\nchildren, later ones too"),
      "PID[,PID]");
  add(app.add_option("-t,--tid", raw.target.tids, "attach to single threads"), "TID[,TID]");
  add(app.add_flag("-a,--all-cpus", raw.target.system, "the whole system"));
  add(app.add_option("-C,--cpu", raw.target.cpus, "everything that runs on these CPUs (0-3,8)"),
      "LIST");
  add(app.add_flag("-i,--no-inherit", raw.no_inherit,
                   "not the children and threads that start later"));
  add(app.add_option("-D,--delay", options.delay_ms, "sampling starts MS milliseconds later")
          ->check(CLI::Range(0, 1'000'000'000)),
      "MS");
  add(app.add_option("--duration", raw.duration, "stop after SECONDS; the target goes on"),
      "SECONDS");
  add(app.add_flag("--cpu-wide", raw.cpu_wide,
                   "sample a command by events on whole CPUs\n(default where permitted)"));
  add(app.add_flag("--no-cpu-wide", raw.no_cpu_wide,
                   "sample a command by events that its tasks inherit"));
}

void BindEvents(CLI::App& app, RawArguments& raw, RecordArguments& result) {
  constexpr const char* kGroup = "Events";
  const auto add = [&](CLI::Option* option, const char* value = "") {
    option->group(kGroup)->option_text(value);
    return option;
  };
  add(app.add_option("-e,--event", raw.events,
                     "what to sample, see below (default cycles, or\ncpu-clock without a PMU); "
                     "repeatable"),
      "EVENT[,EVENT]")
      ->allow_extra_args(false);
  add(app.add_option("--filter", raw.filters,
                     "the kernel's filter for the tracepoints of the\n"
                     "-e before it"),
      "EXPR")
      ->allow_extra_args(false);
  add(app.add_option("-F,--freq", raw.frequency, "samples per second and CPU (default 997)"),
      "HZ|max");
  add(app.add_option("-c,--count", raw.period, "one sample every N events, not by frequency"), "N");
  add(app.add_flag("--all-user", result.options.all_user, "user space only"));
  add(app.add_flag("--all-kernel", result.options.all_kernel, "kernel only"));
}

void BindStacks(CLI::App& app, RawArguments& raw, RecordArguments& result) {
  constexpr const char* kGroup = "Call graphs";
  app.add_flag("-g", raw.call_graph_flag, "record call graphs: --call-graph auto")->group(kGroup);
  app.add_option("--call-graph", raw.call_graph,
                 "auto: unwound while recording, needs no frame\n"
                 "pointers; dwarf: that with SIZE bytes of stack;\n"
                 "fp: the kernel follows frame pointers")
      ->group(kGroup)
      ->option_text("auto|fp|dwarf[,SIZE]");
  app.add_option("--max-stack", result.options.max_stack, "frames kept of a stack (default 1024)")
      ->check(CLI::Range(1, 1 << 20))
      ->group(kGroup)
      ->option_text("N");
  app.add_flag("--no-join", raw.no_join,
               "leave stacks longer than SIZE cut: do not complete\n"
               "them from earlier samples of the same thread")
      ->group(kGroup);
}

void BindOutput(CLI::App& app, RawArguments& raw, RecordArguments& result) {
  constexpr const char* kGroup = "Output";
  const auto add = [&](CLI::Option* option, const char* value = "") {
    option->group(kGroup)->option_text(value);
    return option;
  };
  add(app.add_option("-o,--output", result.output,
                     "file to write (default prof.data; an old one\nbecomes prof.data.old); - is "
                     "standard output"),
      "FILE");
  add(app.add_flag("-z", raw.compress, "compress the file (the default)"));
  add(app.add_option("--compression-level", result.compression_level,
                     "of zstd, 0 to 19; 0: none (default 1)")
          ->check(CLI::Range(0, 19)),
      "N");
  add(app.add_flag("--no-symbols", raw.no_symbols,
                   "leave symbols to prof report, which then needs\nthe same binaries"));
  add(app.add_flag("--no-embed-source", raw.no_embed_source,
                   "leave the source text of hot lines (at most 64 KB)\nout of the file"));
  BindDebuginfod(app, kGroup, result.debuginfod);
  add(app.add_option("-m,--mmap-pages", raw.ring, "size of each ring buffer: pages, or 512K, 8M"),
      "PAGES|SIZE");
  add(app.add_option("--readers", raw.readers,
                     "threads that read rings and unwind (default: one\nper 32 CPUs); cpu: one "
                     "pinned to each CPU, woken\nby every sample"),
      "N|cpu");
  add(app.add_flag("-q,--quiet", result.quiet, "print nothing but errors"));
  add(app.add_flag("-v,--verbose", result.verbose,
                   "say how events, rings and stack copies are set up"));
  app.get_option("--help")->description("print this help")->group(kGroup);
}

void Bind(CLI::App& app, RawArguments& raw, RecordArguments& result) {
  BindTarget(app, raw, result);
  BindEvents(app, raw, result);
  BindStacks(app, raw, result);
  BindOutput(app, raw, result);
  app.footer(kExamples);
  app.prefix_command();
  StyleHelp(app, {"prof record [OPTIONS] COMMAND [ARGS]",
                  "prof record [OPTIONS] -p PID | -t TID | -a | -C LIST [COMMAND [ARGS]]"});
}

// Parses each -e and gives it the --filter that follows it.
Status ParseEventOptions(const CLI::App& app, const RawArguments& raw, const HostFs& fs,
                         collect::RecordOptions& options) {
  const CLI::Option* event_option = app.get_option("--event");
  const CLI::Option* filter_option = app.get_option("--filter");
  std::size_t next_event = 0, next_filter = 0, first_of_last = 0;
  for (const CLI::Option* option : app.parse_order()) {
    if (option == event_option && next_event < raw.events.size()) {
      first_of_last = options.events.size();
      PROF_TRY_ASSIGN(auto events, perf::ParseEvents(raw.events[next_event++], fs,
                                                     static_cast<int>(options.events.size())));
      std::ranges::move(events, std::back_inserter(options.events));
    } else if (option == filter_option && next_filter < raw.filters.size()) {
      const std::string& filter = raw.filters[next_filter++];
      bool used = false;
      for (std::size_t i = first_of_last; i < options.events.size(); ++i) {
        if (!options.events[i].tracepoint) continue;
        options.events[i].filter = filter;
        used = true;
      }
      if (!used)
        return Fail(ErrorKind::kUsage, "--filter must follow the -e of a tracepoint",
                    "prof record -e sched:sched_switch --filter 'prev_pid > 0' ...");
    }
  }
  return {};
}

Status Interpret(const CLI::App& app, const RawArguments& raw, const HostFs& fs,
                 RecordArguments& result) {
  auto& options = result.options;
  PROF_TRY_ASSIGN(std::vector<std::string> command, CommandWords(app));
  // `-g fp ./app` is a habit from other tools; no program bears these names.
  static constexpr std::string_view kStackModes[] = {"auto", "fp", "dwarf", "lbr"};
  if (raw.call_graph_flag && !command.empty() &&
      std::ranges::find(kStackModes,
                        std::string_view(command.front()).substr(0, command.front().find(','))) !=
          std::end(kStackModes)) {
    return Fail(ErrorKind::kUsage, "-g takes no argument: '" + command.front() + "'",
                "prof record --call-graph " + command.front() + " ...");
  }
  const Error nothing{ErrorKind::kUsage,
                      "nothing to record: no command, and none of -p, -t, -a, -C",
                      "prof record -g ./app"};
  PROF_TRY_ASSIGN(options.target, ParseTarget(raw.target, std::move(command), nothing));
  PROF_TRY(ParseEventOptions(app, raw, fs, options));
  if (!raw.frequency.empty() && !raw.period.empty())
    return Fail(ErrorKind::kUsage, "-F and -c exclude each other");
  if (raw.frequency == "max") {
    options.max_frequency = true;
  } else if (!raw.frequency.empty()) {
    PROF_TRY_ASSIGN(options.frequency_hz, ParseUnsigned(raw.frequency, "-F"));
  }
  if (app.get_option("--count")->count() != 0) {
    PROF_TRY_ASSIGN(options.period, ParseUnsigned(raw.period, "-c"));
  }
  if (raw.call_graph_flag) options.call_graph = model::CallGraphMode::kAuto;
  if (!raw.call_graph.empty()) PROF_TRY(ParseCallGraph(raw.call_graph, options));
  if (options.all_user && options.all_kernel)
    return Fail(ErrorKind::kUsage, "--all-user and --all-kernel exclude each other");
  if (!raw.ring.empty()) {
    PROF_TRY_ASSIGN(options.ring_pages, ParseRingPages(raw.ring));
  }
  if (app.get_option("--readers")->count() != 0)
    PROF_TRY(ParseReaders(raw.readers, options.readers));
  if (app.get_option("--duration")->count() != 0) {
    PROF_TRY_ASSIGN(options.duration_s, ParseSeconds(raw.duration));
  }
  options.inherit = !raw.no_inherit;
  options.join = !raw.no_join;
  if (raw.compress && result.compression_level == 0)
    return Fail(ErrorKind::kUsage, "-z and --compression-level 0 exclude each other");
  if (raw.cpu_wide && raw.no_cpu_wide)
    return Fail(ErrorKind::kUsage, "--cpu-wide and --no-cpu-wide exclude each other");
  if (raw.cpu_wide || raw.no_cpu_wide) options.cpu_wide = raw.cpu_wide;
  if (result.output.empty())
    return Fail(ErrorKind::kUsage, "-o: the file name is empty", "-o prof.data");
  result.symbols = !raw.no_symbols;
  result.embed_source = !raw.no_embed_source;
  if (result.debuginfod.wanted && !result.symbols)
    return Fail(ErrorKind::kUsage, "--debuginfod and --no-symbols exclude each other",
                "prof report --debuginfod asks later");
  options.command_output_to_stderr = result.output == "-";
  return {};
}

}  // namespace

RecordParse ParseRecordArguments(const std::vector<std::string>& args, const HostFs& fs) {
  CLI::App app("Sample a command, processes, threads or the whole system into a profile file.",
               "prof record");
  RawArguments raw;
  RecordArguments result;
  Bind(app, raw, result);
  if (const auto status = ParseArguments(app, "record", args)) return {std::nullopt, *status};
  if (const Status status = Interpret(app, raw, fs, result); !status)
    return {std::nullopt, PrintError("record", status.error())};
  result.options.command_line = {"prof", "record"};
  result.options.command_line.insert(result.options.command_line.end(), args.begin(), args.end());
  return {std::move(result), 0};
}

}  // namespace prof::tools
