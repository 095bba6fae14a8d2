// Parses the arguments of prof annotate.
#include "annotate_options.h"

#include <algorithm>
#include <utility>

#include "command.h"
#include "filter_option.h"
#include "names_option.h"

namespace prof::tools {
namespace {

using report::AnnotateView;

constexpr const char* kExamples = R"(Examples:
  prof annotate                            the hottest function
  prof annotate parse_row                  its source with instructions
  prof annotate --source-only parse_row    lines with self and children
  prof annotate 'reader.cc:120'            what was compiled from a line
  prof annotate --all 'push_back' -M intel every match, Intel syntax
  prof annotate -i before -i after parse_row
                                           two recordings side by side

A function is named as prof report shows it, by its linkage name, or by a
regular expression. docs/annotate.md explains what is shown.)";

// What CLI11 binds to before it is checked and translated.
struct RawOptions {
  std::vector<std::string> inputs, positional;
  std::string symbol, syntax = "att", percent_type = "local-period", names = "plain",
                      color = "auto";
  FilterTexts filters;
  bool stdio = false, stdio2 = false, group = false, modules = false, source_only = false,
       asm_only = false, source = true;
};

// "local-period" and its three relatives, in either order, as in perf.
Status ApplyPercentType(const std::string& text, report::AnnotateTextOptions& options) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string words[] = {text.substr(0, dash),
                               dash < text.size() ? text.substr(dash + 1) : std::string()};
  int bases = 0;
  int units = 0;
  for (const std::string& word : words) {
    if (word == "local" || word == "global") {
      options.base = word == "local" ? report::PercentBase::kLocal : report::PercentBase::kGlobal;
      ++bases;
    } else if (word == "period" || word == "hits") {
      options.unit = word == "period" ? report::PercentUnit::kPeriod : report::PercentUnit::kHits;
      ++units;
    }
  }
  if (bases == 1 && units == 1) return {};
  return Fail(ErrorKind::kUsage, "--percent-type: '" + text + "' is none of the four",
              "local-period (default), local-hits, global-period, global-hits");
}

Status ApplyView(const CLI::App& app, const RawOptions& raw, AnnotateArguments& arguments) {
  if (raw.source_only && (raw.asm_only || !raw.source)) {
    return Fail(ErrorKind::kUsage, "--source-only excludes --asm-only and --no-source");
  }
  if (raw.asm_only && app.count("--source") > 0 && raw.source) {
    return Fail(ErrorKind::kUsage, "--asm-only and --source exclude each other");
  }
  arguments.text.view = raw.source_only               ? AnnotateView::kSourceOnly
                        : raw.asm_only || !raw.source ? AnnotateView::kAsmOnly
                                                      : AnnotateView::kMixed;
  arguments.read_sources = raw.source;
  return {};
}

Status ApplyQuery(const RawOptions& raw, AnnotateArguments& arguments) {
  std::vector<std::string> queries = raw.positional;
  if (!raw.symbol.empty()) queries.push_back(raw.symbol);
  if (queries.size() > 1) {
    return Fail(ErrorKind::kUsage,
                "one function at a time: '" + queries[0] + "' and '" + queries[1] + "'",
                "prof annotate --all '" + queries[0] + "|" + queries[1] + "'");
  }
  if (!queries.empty()) arguments.query = queries.front();
  return {};
}

Status Translate(const CLI::App& app, const RawOptions& raw, AnnotateArguments& arguments) {
  PROF_TRY(ApplyQuery(raw, arguments));
  if (raw.inputs.size() > 2) {
    return Fail(ErrorKind::kUsage,
                "-i: two recordings can be compared, not " + std::to_string(raw.inputs.size()),
                "prof annotate -i before -i after FUNCTION");
  }
  if (!raw.inputs.empty()) arguments.inputs = raw.inputs;
  if (raw.inputs.size() == 2 && raw.inputs[0] == "-" && raw.inputs[1] == "-")
    return Fail(ErrorKind::kUsage, "-i: standard input can be read once");
  if (arguments.all && arguments.inputs.size() == 2)
    return Fail(ErrorKind::kUsage, "--all shows one recording; two are compared by one function");
  PROF_TRY(ApplyView(app, raw, arguments));
  PROF_TRY(ApplyPercentType(raw.percent_type, arguments.text));
  PROF_TRY(ApplyFilters(raw.filters, arguments.scope.filter, arguments.time, arguments.filters));
  if (arguments.text.show_samples && arguments.text.show_total_period)
    return Fail(ErrorKind::kUsage, "-n and --show-total-period exclude each other");
  arguments.disassembly.syntax =
      raw.syntax == "intel" ? disasm::Syntax::kIntel : disasm::Syntax::kAtt;
  arguments.scope.names = ParseNames(raw.names);
  arguments.color = ParseColor(raw.color);
  return {};
}

void AddView(CLI::App& app, RawOptions& raw, AnnotateArguments& arguments) {
  app.add_option("-s,--symbol", raw.symbol, "the function, as the argument")->type_name("SYMBOL");
  app.add_flag("--source-only", raw.source_only,
               "source lines with self and children, no\ninstructions");
  app.add_flag("--asm-only", raw.asm_only, "instructions alone");
  app.add_flag("--source,!--no-source", raw.source,
               "source lines between the instructions (default)");
  app.add_flag("--all", arguments.all, "every function that matches, not only the hottest");
  app.add_option("-M,--disassembler-style", raw.syntax, "att (default) or intel")
      ->check(CLI::IsMember({"att", "intel"}))
      ->type_name("STYLE");
  app.add_flag("--asm-raw", arguments.text.raw_bytes, "the bytes of each instruction, too");
  app.add_flag("-l,--print-line", arguments.text.line_numbers,
               "file and line beside each instruction");
  app.add_flag("-P,--full-paths", arguments.text.full_paths, "paths whole, not only file names");
  BindNames(app, raw.names);
  app.add_option("--hot-lines", arguments.text.hot_lines,
                 "lines in the table at the head (default 10)")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
}

void AddNumbers(CLI::App& app, RawOptions& raw, AnnotateArguments& arguments) {
  app.add_flag("-n,--show-nr-samples", arguments.text.show_samples,
               "numbers of samples instead of percent");
  app.add_flag("--show-total-period", arguments.text.show_total_period,
               "sums of periods instead of percent");
  app.add_option("--percent-type", raw.percent_type,
                 "local-period (default), local-hits, global-period\nor global-hits: of the "
                 "function or of all samples,\nby what the event counts or by samples")
      ->type_name("TYPE");
  app.add_option("--percent-limit", arguments.text.percent_limit,
                 "no numbers on lines and instructions below this")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  app.add_flag("--group", raw.group, "columns for all events (the default)");
}

void AddInput(CLI::App& app, RawOptions& raw, AnnotateArguments& arguments) {
  app.add_option("-i,--input", raw.inputs,
                 "profile to read (default prof.data), - is standard\ninput; twice: before and "
                 "after, compared")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--source-path", arguments.source.folders,
                 "look for sources below this folder first; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--prefix", arguments.source.prefix, "put in front of the paths of sources")
      ->type_name("DIR");
  app.add_option("--prefix-strip", arguments.source.strip_folders,
                 "take N leading folders off these paths first")
      ->type_name("N");
  app.add_option("-k,--vmlinux", arguments.vmlinux, "the kernel's ELF file with its code")
      ->type_name("FILE");
  app.add_option("--kallsyms", arguments.kallsyms,
                 "the kernel's symbols, instead of /proc/kallsyms")
      ->type_name("FILE");
  app.add_option("--symfs", arguments.symfs, "look for programs and libraries below this folder")
      ->type_name("DIR");
  app.add_option("--objdump", arguments.disassembly.objdump,
                 "disassembler of machines other than x86")
      ->type_name("PATH");
  app.add_flag("--skip-missing", arguments.skip_missing, "with --all: no functions without code");
  app.add_flag("-m,--modules", raw.modules, "kernel modules, too (the default)");
}

void AddOutput(CLI::App& app, RawOptions& raw, AnnotateArguments& arguments) {
  app.add_flag("--stdio", raw.stdio, "text (the default)");
  app.add_flag("--stdio2", raw.stdio2, "text (the default)");
  app.add_flag("--json", arguments.json, "everything as JSON");
  app.add_flag("-q,--quiet", arguments.text.quiet, "rows only: nothing about the recording");
  app.add_flag("-v,--verbose", arguments.verbose, "say what was read");
  BindColor(app, raw.color);
  app.add_flag("!--no-pager", arguments.pager,
               "never through $PROF_PAGER, $PAGER or less, which a\nterminal gets");
}

}  // namespace

std::expected<AnnotateArguments, int> ParseAnnotateOptions(const std::vector<std::string>& args) {
  AnnotateArguments arguments;
  RawOptions raw;
  CLI::App app("Shows one function line by line and instruction by instruction.", "prof annotate");
  AddSection(app, "What is shown", [&] { AddView(app, raw, arguments); });
  AddSection(app, "Numbers", [&] { AddNumbers(app, raw, arguments); });
  AddSection(app, "Which samples (lists are separated by commas)",
             [&] { BindFilters(app, "-c,--comm", "-C,--cpu", raw.filters); });
  AddSection(app, "Input", [&] { AddInput(app, raw, arguments); });
  BindDebuginfod(app, "Input", arguments.debuginfod);
  AddSection(app, "Output", [&] { AddOutput(app, raw, arguments); });
  app.get_option("--help")->description("print this help")->group("Output");
  app.add_option("function", raw.positional)->group("");
  app.footer(kExamples);
  StyleHelp(app, {"prof annotate [OPTIONS] [FUNCTION | REGEX | FILE:LINE]"});
  for (CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool repeatable = name == "--input" || name == "--source-path" || name == "function";
    if (!repeatable && name != "--help")
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  if (const auto status = ParseArguments(app, "annotate", args)) return std::unexpected(*status);
  if (const Status status = Translate(app, raw, arguments); !status)
    return std::unexpected(PrintError("annotate", status.error()));
  return arguments;
}

}  // namespace prof::tools
