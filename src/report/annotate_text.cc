// Puts the annotation of a function together, and lists what a query matched.
#include "prof/report/annotate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/annotate_code.h"
#include "report/annotate_head.h"
#include "report/annotate_places.h"
#include "report/annotate_shares.h"
#include "report/annotate_source.h"
#include "report/head_text.h"
#include "report/table_text.h"
#include "report/text_fit.h"

#include "prof/report/text_report.h"

namespace prof::report {
namespace {

using analysis::AnnotatedFunction;
using analysis::FunctionMatch;

constexpr std::size_t kMostMatches = 20;
constexpr std::size_t kLeastName = 12;
constexpr std::size_t kWidestModule = 24;

// The larger of both, per event: children have self in them, whatever the profile says.
analysis::Amounts WithCallees(const AnnotatedFunction& function) {
  analysis::Amounts whole = function.children;
  whole.resize(function.events.size());
  for (std::size_t event = 0; event < whole.size(); ++event) {
    const analysis::Amount self = AmountAt(function.self, event);
    whole[event].weight = std::max(whole[event].weight, self.weight);
    whole[event].samples = std::max(whole[event].samples, self.samples);
  }
  return whole;
}

// What the head says of the code: where all of it came from, or why there is none for a view that
// wants it. Copies that differ in that say it themselves.
std::vector<std::string> Origins(const AnnotatedFunction& function, bool wanted) {
  std::vector<std::string> origins;
  if (!wanted || (HasInstructions(function) && !HasOneOrigin(function))) return origins;
  for (const analysis::CodeCopy& copy : function.copies) {
    std::string origin = OriginSentence(copy);
    if (!origin.empty() && std::ranges::find(origins, origin) == origins.end())
      origins.push_back(std::move(origin));
  }
  return origins;
}

AnnotateTextOptions Fitted(const AnnotateTextOptions& options) {
  AnnotateTextOptions fitted = options;
  if (fitted.width > 0) fitted.width = std::max(fitted.width, kMinWidth);
  return fitted;
}

// Functions with their shares of all samples of the first event, by which they are in order.
std::string RenderMatches(const std::vector<FunctionMatch>& matches,
                          const analysis::FunctionChoice& choice,
                          const AnnotateTextOptions& options) {
  const std::vector<analysis::AnnotatedEvent> events(1);
  AnnotateTextOptions unlimited = options;
  unlimited.percent_limit = 0;
  const ShareColumns shares(events, choice.total, unlimited);
  const std::size_t shown = std::min(matches.size(), kMostMatches);
  std::size_t module = DisplayWidth("Module");
  for (std::size_t i = 0; i < shown; ++i)
    module = std::max(module, DisplayWidth(matches[i].module));
  module = std::min(module, kWidestModule);
  const int number = shares.Width(0);
  const std::vector<int> widths = {number, std::max(number, 8), -static_cast<int>(module), -8};
  const std::size_t used = 6 + static_cast<std::size_t>(widths[0] + widths[1]) + module + 2;
  const auto width = static_cast<std::size_t>(options.width);
  const std::size_t room = width == 0 ? 0 : std::max(kLeastName, width - std::min(width, used));

  std::string text;
  if (!options.quiet) text = RenderHeadings({"Self", "Children", "Module", "Function"}, widths, "");
  for (std::size_t i = 0; i < shown; ++i) {
    const FunctionMatch& match = matches[i];
    const std::string note = match.only_inlined ? " (only inlined)" : "";
    const std::string name = Printable(match.name);
    text +=
        JoinCells({shares.At(match.self, 0),
                   shares.At(match.children, 0),
                   {FitName(Printable(match.module), module)},
                   {(room == 0 ? name : FitName(name, room - std::min(room, note.size()))) + note}},
                  widths, "");
  }
  if (matches.size() > shown)
    text += Comment(fmt::format("and {} more", matches.size() - shown), options.width);
  return text;
}

}  // namespace

std::string RenderAnnotation(const AnnotatedFunction& function, const FileFacts& file,
                             const AnnotateTextOptions& options) {
  AnnotateTextOptions fitted = Fitted(options);
  const bool code_wanted = fitted.view != AnnotateView::kSourceOnly;
  const bool no_code = !HasInstructions(function);
  if (no_code) fitted.view = AnnotateView::kSourceOnly;
  const bool lines_only = fitted.view == AnnotateView::kSourceOnly;

  const SourcePlaces places(function, fitted);
  const ShareColumns shares =
      ShareColumns::Of(function, lines_only ? WithCallees(function) : function.self, fitted);
  std::string text;
  if (!fitted.quiet) {
    text += RenderAnnotationHead(function, file, places, Origins(function, code_wanted), fitted);
    text += RenderHotLines(function, places, shares, fitted);
    if (code_wanted) text += RenderCopies(function, shares, fitted);
  }
  if (lines_only) return text + RenderSourceLines(function, places, shares, fitted);
  for (std::size_t i = 0; i < function.copies.size(); ++i) {
    if (i > 0) text += '\n';
    text += RenderCopy(function, i, places, shares, fitted);
  }
  return text;
}

std::string RenderChoice(const analysis::FunctionChoice& choice,
                         const AnnotateTextOptions& options) {
  const AnnotateTextOptions fitted = Fitted(options);
  std::string text;
  if (choice.matches.empty()) {
    if (choice.nearest.empty())
      return fitted.quiet ? text : Comment("no function matches", fitted.width);
    if (!fitted.quiet)
      text = Comment("no function matches; the nearest names are", fitted.width) + "#\n";
    return text + RenderMatches(choice.nearest, choice, fitted);
  }
  if (choice.matches.size() == 1) return text;
  if (!fitted.quiet) {
    text = Comment(fmt::format("{} functions match", choice.matches.size()), fitted.width) + "#\n";
  }
  return text + RenderMatches(choice.matches, choice, fitted);
}

}  // namespace prof::report
