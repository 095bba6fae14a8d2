// prof annotate: reads a profile, chooses a function, shows its lines and instructions.
#include "annotate_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "annotate_options.h"
#include "command.h"
#include "pager.h"
#include "profile_input.h"

#include "prof/analysis/annotate.h"
#include "prof/analysis/annotate_compare.h"
#include "prof/analysis/profile.h"
#include "prof/report/annotate_json.h"
#include "prof/report/annotate_text.h"
#include "prof/symbols/symbolizer.h"

namespace prof::tools {
namespace {

// One recording and what the command asked of it.
struct Side {
  std::string path;
  analysis::Profile profile;
  report::FileFacts file;
  analysis::AnnotateScope scope;
  analysis::FunctionChoice choice;
};

// Code that the profile does not have, from the binaries of this machine whose build IDs are right.
class LocalCode {
 public:
  explicit LocalCode(symbols::SymbolizerOptions options)
      : files_{.ask_server = options.debuginfod.has_value()}, symbolizer_(std::move(options)) {}

  const model::ModuleCode* Read(const model::Module& module, model::FileAddr start,
                                std::uint64_t size, const std::string& name) {
    // Static functions are called what the symbol table calls them once they were resolved.
    symbolizer_.Resolve(module, std::span(&start, 1), files_);
    const symbols::FunctionRange range{start, size, name};
    return &*codes_.emplace_back(std::make_unique<model::ModuleCode>(
        symbolizer_.ReadCode(module, std::span(&range, 1), files_)));
  }

 private:
  symbols::ModuleFiles files_;
  symbols::Symbolizer symbolizer_;
  std::vector<std::unique_ptr<model::ModuleCode>> codes_;
};

SymbolSource SourceOf(const AnnotateArguments& arguments) {
  return {.command = "annotate",
          .debuginfod = arguments.debuginfod,
          .quiet = arguments.text.quiet,
          .vmlinux = arguments.vmlinux,
          .kallsyms = arguments.kallsyms,
          .symfs = arguments.symfs};
}

Result<Side> Load(const std::string& path, const AnnotateArguments& arguments) {
  analysis::ProfileBuilder builder;
  PROF_TRY_ASSIGN(const store::ReadSummary summary, ReplayInput(path, builder));
  Side side{.path = path,
            .profile = builder.Build(),
            .file = FactsOf(path, summary),
            .scope = arguments.scope};
  if (side.profile.samples().empty()) {
    return Fail(ErrorKind::kBadData, side.file.name + " has no samples",
                "prof report -i " + path + " says why");
  }
  PROF_TRY(ResolveSymbols(side.profile, SourceOf(arguments)));
  const auto [begin, end] = SpanOf(side.profile);
  const auto [from, to] = ResolveTimeRange(arguments.time, begin, end);
  side.scope.filter.time_begin_ns = from;
  side.scope.filter.time_end_ns = to;
  if (arguments.verbose) {
    std::fprintf(stderr, "prof annotate: %s: %zu samples, code of %zu modules, %zu sources\n",
                 side.file.name.c_str(), side.profile.samples().size(), side.profile.code().size(),
                 side.profile.sources().size());
  }
  return side;
}

double ShareOf(const analysis::FunctionMatch& match, const analysis::FunctionChoice& choice) {
  if (choice.total.empty() || choice.total.front().weight == 0) return 0;
  return 100.0 * static_cast<double>(match.self.front().weight) /
         static_cast<double>(choice.total.front().weight);
}

std::string Joined(const std::vector<std::string>& filters) {
  std::string text;
  for (const std::string& filter : filters) text += (text.empty() ? "" : "; ") + filter;
  return text;
}

// Why a query found nothing, with what may have been meant.
Error NothingFound(const Side& side, const AnnotateArguments& arguments) {
  Error error{ErrorKind::kNotFound, {}, {}};
  if (arguments.query.empty()) {
    error.message = "no function in " + side.file.name + " has samples";
  } else if (side.choice.line) {
    error.message = fmt::format("no code of line {} of {} has samples in {}", *side.choice.line,
                                side.choice.file, side.file.name);
  } else {
    error.message =
        "no function with samples in " + side.file.name + " matches '" + arguments.query + "'";
  }
  if (!arguments.filters.empty())
    error.message += " (restricted to " + Joined(arguments.filters) + ")";
  for (const analysis::FunctionMatch& match : side.choice.nearest) {
    error.hint += fmt::format("{}'{}' ({:.1f} %)", error.hint.empty() ? "did you mean " : ", ",
                              match.name, ShareOf(match, side.choice));
  }
  if (error.hint.empty()) {
    error.hint = "prof report -i " + side.path + " -s comm,dso,sym lists what has samples";
  }
  return error;
}

Status Choose(Side& side, const std::string& query, const AnnotateArguments& arguments) {
  PROF_TRY_ASSIGN(side.choice, analysis::ChooseFunctions(side.profile, query, side.scope));
  if (side.choice.matches.empty()) return std::unexpected(NothingFound(side, arguments));
  return {};
}

// Text of sources that the recording has none of, and whether the others changed since.
void ReadSources(analysis::AnnotatedFunction& function, const AnnotateArguments& arguments) {
  if (!arguments.read_sources) return;
  for (analysis::AnnotatedSource& source : function.sources) {
    if (const auto found = symbols::ReadSource(arguments.source, source.path))
      analysis::AddSourceText(source, found->lines, found->bytes, found->checksum);
  }
}

// The hottest function is the hottest of those with a name.
void NoteUnnamed(analysis::AnnotatedFunction& function, const analysis::FunctionChoice& choice) {
  if (choice.unnamed.empty() || choice.total.front().weight == 0) return;
  const std::uint64_t unnamed = choice.unnamed.front().weight;
  if (unnamed <= function.self.front().weight) return;
  function.notes.push_back(fmt::format(
      "{:.1f} % of all samples are in code without symbols, most of it in {}: an unstripped build "
      "or "
      "its debug package gives it names",
      100.0 * static_cast<double>(unnamed) / static_cast<double>(choice.total.front().weight),
      choice.unnamed_module));
}

Result<analysis::AnnotatedFunction> AnnotateOne(const Side& side,
                                                const analysis::FunctionMatch& match,
                                                const AnnotateArguments& arguments) {
  std::unique_ptr<LocalCode> local;  // made when something is missing
  Status failure;
  analysis::AnnotateOptions options{
      .scope = side.scope,
      .disassembly = arguments.disassembly,
      .instructions = arguments.text.view != report::AnnotateView::kSourceOnly};
  options.missing_code = [&](const model::Module& module, model::FileAddr start, std::uint64_t size,
                             const std::string& name) -> const model::ModuleCode* {
    if (local == nullptr) {
      auto source = LocalSymbols(side.profile, SourceOf(arguments));
      if (!source) {
        failure = std::unexpected(source.error());
        return nullptr;
      }
      local = std::make_unique<LocalCode>(std::move(*source));
    }
    return local->Read(module, start, size, name);
  };
  PROF_TRY_ASSIGN(auto function, analysis::Annotate(side.profile, match, options));
  PROF_TRY(failure);
  ReadSources(function, arguments);
  if (!arguments.filters.empty())
    function.notes.push_back("restricted to " + Joined(arguments.filters));
  NoteUnnamed(function, side.choice);
  return function;
}

bool HasCode(const analysis::AnnotatedFunction& function) {
  return std::ranges::any_of(function.copies,
                             [](const auto& copy) { return !copy.instructions.empty(); });
}

Result<std::string> ShowOne(const AnnotateArguments& arguments,
                            const report::AnnotateTextOptions& text_options) {
  PROF_TRY_ASSIGN(Side side, Load(arguments.inputs.front(), arguments));
  PROF_TRY(Choose(side, arguments.query, arguments));
  const auto& matches = side.choice.matches;
  const bool choice_is_shown = matches.size() > 1 && !arguments.query.empty();
  std::vector<analysis::AnnotatedFunction> functions;
  for (const analysis::FunctionMatch& match : matches) {
    PROF_TRY_ASSIGN(auto function, AnnotateOne(side, match, arguments));
    if (!arguments.all || !arguments.skip_missing || HasCode(function))
      functions.push_back(std::move(function));
    if (!arguments.all) break;
  }
  if (arguments.json) return report::RenderAnnotationJson(side.choice, functions, side.file);
  report::AnnotateTextOptions options = text_options;
  options.marked_line = side.choice.line;
  options.marked_file = side.choice.file;
  std::string text;
  if (choice_is_shown && !options.quiet) text += report::RenderChoice(side.choice, options);
  for (const analysis::AnnotatedFunction& function : functions)
    text += report::RenderAnnotation(function, side.file, options);
  return text;
}

// The hottest function of `after` that `before` has as well; each side's own hottest where a query
// matches no name that both have (a function that was renamed).
Result<std::pair<const analysis::FunctionMatch*, const analysis::FunctionMatch*>> Pair(
    const Side& before, const Side& after) {
  for (const analysis::FunctionMatch& match : after.choice.matches) {
    const auto same =
        std::ranges::find(before.choice.matches, match.name, &analysis::FunctionMatch::name);
    if (same != before.choice.matches.end()) return std::pair(&*same, &match);
  }
  if (before.choice.matches.size() == 1 && after.choice.matches.size() == 1)
    return std::pair(&before.choice.matches.front(), &after.choice.matches.front());
  return Fail(ErrorKind::kNotFound,
              fmt::format("no function with samples in both matches: '{}' in {}, '{}' in {}",
                          before.choice.matches.front().name, before.file.name,
                          after.choice.matches.front().name, after.file.name),
              "name one that both have: prof annotate -i before -i after FUNCTION");
}

Result<std::string> ShowTwo(const AnnotateArguments& arguments,
                            const report::AnnotateTextOptions& text_options) {
  PROF_TRY_ASSIGN(Side before, Load(arguments.inputs[0], arguments));
  PROF_TRY_ASSIGN(Side after, Load(arguments.inputs[1], arguments));
  PROF_TRY(Choose(after, arguments.query, arguments));
  // Without a query, before is asked for the hottest function of after.
  AnnotateArguments same = arguments;
  if (same.query.empty()) same.query = after.choice.matches.front().name;
  PROF_TRY(Choose(before, same.query, same));
  PROF_TRY_ASSIGN(const auto pair, Pair(before, after));
  PROF_TRY_ASSIGN(auto old_function, AnnotateOne(before, *pair.first, arguments));
  PROF_TRY_ASSIGN(auto new_function, AnnotateOne(after, *pair.second, arguments));
  PROF_TRY_ASSIGN(const auto comparison,
                  analysis::CompareAnnotations(std::move(old_function), std::move(new_function)));
  if (arguments.json) return report::RenderComparisonJson(comparison, before.file, after.file);
  return report::RenderComparison(comparison, before.file, after.file, text_options);
}

}  // namespace

Status ShowAnnotation(const AnnotateArguments& arguments) {
  report::AnnotateTextOptions options = arguments.text;
  options.color = WantsColor(arguments.color);
  if (WritesToTerminal()) options.width = TerminalWidth();
  PROF_TRY_ASSIGN(const std::string text, arguments.inputs.size() == 2
                                              ? ShowTwo(arguments, options)
                                              : ShowOne(arguments, options));
  return arguments.pager && !arguments.json ? ShowOutput(text, "annotation")
                                            : WriteOutput(text, "annotation");
}

int AnnotateMain(const std::vector<std::string>& args) {
  const auto arguments = ParseAnnotateOptions(args);
  if (!arguments) return arguments.error();
  if (const Status status = ShowAnnotation(*arguments); !status)
    return PrintError("annotate", status.error());
  return 0;
}

}  // namespace prof::tools
