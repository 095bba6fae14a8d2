// Writes the head of an annotation: sentences, the hot lines, the copies.
#include "report/annotate_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "report/head_text.h"
#include "report/number_text.h"
#include "report/stat_numbers.h"
#include "report/table_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::AnnotatedEvent;
using analysis::AnnotatedFunction;
using analysis::AnnotatedLine;
using analysis::CodeCopy;

constexpr std::size_t kWidestPlace = 40;  // of file:line in a pipe
constexpr std::size_t kMostCopies = 20;   // in their table; all have rows of their own below
constexpr std::size_t kLeastName = 20;
constexpr std::size_t kMostMissing = 3;  // source files named in one line

// Of the event's total.
double GlobalPercent(const analysis::Amount& part, const analysis::Amount& total,
                     PercentUnit unit) {
  return unit == PercentUnit::kHits
             ? 100 * Share(static_cast<double>(part.samples), static_cast<double>(total.samples))
             : 100 * Share(static_cast<double>(part.weight), static_cast<double>(total.weight));
}

const char* StateText(model::SourceState state) {
  switch (state) {
    case model::SourceState::kRead:
    case model::SourceState::kNewerThanProgram:
      return "its text is not in the profile";
    case model::SourceState::kMissing:
      return "not found";
    case model::SourceState::kUnreadable:
      return "could not be read";
  }
  return "";
}

// Files with samples whose text is not known: one line per reason.
std::vector<std::string> MissingSources(const AnnotatedFunction& function,
                                        const SourcePlaces& places) {
  std::set<std::uint32_t> wanted;
  for (const AnnotatedLine& line : function.lines) {
    if (HasSamples(line.self)) wanted.insert(line.file);
  }
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const std::uint32_t file : wanted) {
    if (file >= function.sources.size() || places.HasText(file)) continue;
    const bool noted = std::ranges::any_of(function.notes, [&](const std::string& note) {
      return note.find(function.sources[file].path) != std::string::npos;
    });
    if (!noted) by_reason[StateText(function.sources[file].state)].push_back(places.Path(file));
  }
  std::vector<std::string> lines;
  for (const auto& [reason, files] : by_reason) {
    std::string line = "source ";
    for (std::size_t i = 0; i < std::min(files.size(), kMostMissing); ++i)
      line += (i > 0 ? ", " : "") + files[i];
    if (files.size() > kMostMissing)
      line += fmt::format(" and {} more", files.size() - kMostMissing);
    lines.push_back(line + ": " + reason);
  }
  return lines;
}

// The address of the instruction that has most of each line, by the first event.
std::map<std::pair<std::uint32_t, std::uint32_t>, model::FileAddr> HottestInstructions(
    const AnnotatedFunction& function, const ShareColumns& shares) {
  struct Hottest {
    double value = 0;
    model::FileAddr address;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Hottest> hottest;
  for (const CodeCopy& copy : function.copies) {
    for (const analysis::AnnotatedInstruction& instruction : copy.instructions) {
      if (!HasSamples(instruction.self) || instruction.position >= copy.positions.size()) continue;
      const analysis::Position& position = copy.positions[instruction.position];
      if (position.empty()) continue;
      const double value = shares.Value(instruction.self, 0);
      const auto [at, added] = hottest.try_emplace({position.back().file, position.back().line},
                                                   Hottest{value, instruction.code.address});
      if (!added && value > at->second.value) at->second = {value, instruction.code.address};
    }
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, model::FileAddr> addresses;
  for (const auto& [line, one] : hottest) addresses.emplace(line, one.address);
  return addresses;
}

std::vector<const AnnotatedLine*> HottestLines(const AnnotatedFunction& function,
                                               const ShareColumns& shares, std::size_t most) {
  std::vector<const AnnotatedLine*> lines;
  for (const AnnotatedLine& line : function.lines) {
    if (HasSamples(line.self)) lines.push_back(&line);
  }
  std::ranges::sort(lines, [&](const AnnotatedLine* a, const AnnotatedLine* b) {
    for (std::size_t event = 0; event < shares.count(); ++event) {
      const double left = shares.Value(a->self, event);
      const double right = shares.Value(b->self, event);
      if (left != right) return left > right;
    }
    return a < b;  // all are in one vector: the order of the source
  });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

// Cuts the last two columns, place and text, so that lines of a terminal fit.
void FitPlaces(std::vector<std::vector<Cell>>& rows, std::vector<int>& widths, int width) {
  const std::size_t place = widths.size() - 2;
  std::size_t widest = DisplayWidth("Line");
  for (const auto& row : rows) widest = std::max(widest, DisplayWidth(row[place].text));
  std::size_t used = 2;
  for (std::size_t i = 0; i < place; ++i) used += 2 + static_cast<std::size_t>(widths[i]);
  const std::size_t all = static_cast<std::size_t>(width) - std::min<std::size_t>(used, width);
  widest = std::min(widest, width == 0 ? kWidestPlace : std::max<std::size_t>(all * 2 / 5, 8));
  widths[place] = -static_cast<int>(widest);
  widths[place + 1] = -static_cast<int>(DisplayWidth("Source"));
  for (auto& row : rows) {
    if (width == 0) continue;
    row[place].text = FitName(row[place].text, widest);
    row[place + 1].text = CutText(row[place + 1].text, all - std::min(all, widest + 2));
  }
}

std::string WithMark(std::string line, bool marked) {
  if (marked && !line.empty()) line[0] = '>';
  return line;
}

}  // namespace

std::string FunctionTitle(const AnnotatedFunction& function, int width) {
  std::string name = Printable(function.name);
  const std::string behind = Printable(" in " + function.module);
  if (width > 0) {
    const std::size_t used = DisplayWidth(behind) + 4;
    const auto all = static_cast<std::size_t>(width);
    name = FitName(name, std::max(kLeastName, all - std::min(all, used)));
  }
  return Comment(name + behind, width);
}

std::string BaseSentence(const AnnotateTextOptions& options) {
  const bool local = options.base == PercentBase::kLocal;
  const bool callees = options.view == AnnotateView::kSourceOnly;
  const char* of = !local    ? "of all samples"
                   : callees ? "of the function with its callees"
                             : "of the function itself";
  return fmt::format("percent {}, by {} (--percent-type {}-{})", of,
                     options.unit == PercentUnit::kHits ? "number of samples" : "period",
                     local ? "local" : "global",
                     options.unit == PercentUnit::kHits ? "hits" : "period");
}

std::string EventSentence(const AnnotatedFunction& function, std::size_t event, PercentUnit unit) {
  const AnnotatedEvent& of = function.events[event];
  const analysis::Amount self = AmountAt(function.self, event);
  const analysis::Amount children = AmountAt(function.children, event);
  std::string text =
      fmt::format("{} of {} samples of {}, {} of all", GroupDigits(std::to_string(self.samples)),
                  GroupDigits(std::to_string(of.total.samples)), of.desc.name,
                  PercentText(GlobalPercent(self, of.total, unit)));
  if (children != self)
    text += fmt::format("; {} with callees", PercentText(GlobalPercent(children, of.total, unit)));
  return text;
}

std::vector<std::string> SkidSentences(const std::vector<AnnotatedEvent>& events) {
  std::vector<std::string> sentences;
  std::set<std::string> said;
  for (const AnnotatedEvent& event : events) {
    if (event.skid.empty() || !said.insert(event.skid).second) continue;
    const bool same = std::ranges::all_of(
        events, [&](const AnnotatedEvent& other) { return other.skid == event.skid; });
    sentences.push_back("addresses: " + (same ? "" : event.desc.name + ": ") + event.skid);
  }
  return sentences;
}

bool HasInstructions(const AnnotatedFunction& function) {
  return std::ranges::any_of(function.copies,
                             [](const CodeCopy& copy) { return !copy.instructions.empty(); });
}

std::string OriginSentence(const CodeCopy& copy) {
  if (copy.origin.empty()) return {};
  return (copy.instructions.empty() ? "no code: " : "code: ") + Printable(copy.origin);
}

bool HasOneOrigin(const AnnotatedFunction& function) {
  return std::ranges::all_of(function.copies, [&](const CodeCopy& copy) {
    return OriginSentence(copy) == OriginSentence(function.copies.front());
  });
}

std::string CopyName(const CodeCopy& copy) {
  return copy.inlined ? "inlined into " + Printable(copy.name) : Printable(copy.name);
}

std::string RenderAnnotationHead(const AnnotatedFunction& function, const FileFacts& file,
                                 const SourcePlaces& places,
                                 const std::vector<std::string>& origins,
                                 const AnnotateTextOptions& options) {
  std::string text = FunctionTitle(function, options.width);
  const auto add = [&](const std::string& line) {
    text += Comment(Printable(line), options.width);
  };
  for (std::size_t i = 0; i < function.events.size(); ++i) {
    add(EventSentence(function, i, options.unit));
    const model::EventDesc& event = function.events[i].desc;
    if (event.replaces.empty()) continue;
    const std::string why =
        event.replaced_because.empty() ? "" : " (" + event.replaced_because + ")";
    add(event.name + " instead of " + event.replaces + why);
  }
  for (const std::string& line : SkidSentences(function.events)) add(line);
  if (!options.show_samples && !options.show_total_period) add(BaseSentence(options));
  for (const std::string& line : FileLines(file)) add(line);
  for (const std::string& line : origins) add(line);
  for (std::uint32_t i = 0; i < function.sources.size(); ++i) {
    if (!function.sources[i].warning.empty())
      add("source " + places.Path(i) + ": " + function.sources[i].warning);
  }
  for (const std::string& line : MissingSources(function, places)) add(line);
  for (const std::string& note : function.notes) add("note: " + note);
  return text + "#\n";
}

std::string RenderHotLines(const AnnotatedFunction& function, const SourcePlaces& places,
                           const ShareColumns& shares, const AnnotateTextOptions& options) {
  const std::vector<const AnnotatedLine*> lines = HottestLines(function, shares, options.hot_lines);
  // That all is on no known line has been said.
  if (lines.empty() || (lines.size() == 1 && lines.front()->file == model::kNoFile)) return {};
  const auto addresses = HottestInstructions(function, shares);
  const bool jumps = options.view != AnnotateView::kSourceOnly && !addresses.empty();

  std::vector<std::string> titles = shares.Titles();
  std::vector<int> widths = shares.Widths();
  if (jumps) titles.emplace_back("At");
  titles.insert(titles.end(), {"Line", "Source"});
  std::vector<std::vector<Cell>> rows;
  std::size_t widest = 2;
  for (const AnnotatedLine* line : lines) {
    std::vector<Cell>& row = rows.emplace_back(shares.All(line->self));
    if (jumps) {
      const auto at = addresses.find({line->file, line->line});
      row.push_back({at == addresses.end() ? "" : fmt::format("{:x}:", at->second.value)});
      widest = std::max(widest, row.back().text.size());
    }
    const bool known = line->file != model::kNoFile;
    row.push_back({known ? places.Place(line->file, line->line) : "(no line known)"});
    std::string source = places.Text(line->file, line->line).value_or("");
    source.erase(0, std::min(source.find_first_not_of(' '), source.size()));
    row.push_back({std::move(source)});
  }
  if (jumps) widths.push_back(static_cast<int>(widest));
  widths.resize(titles.size());
  FitPlaces(rows, widths, options.width);

  std::string text =
      Comment(jumps ? fmt::format("Hot lines; search for an address, {}, to go to its line",
                                  rows.front()[shares.count()].text)
                    : "Hot lines",
              options.width);
  text += "#\n" + RenderHeadings(titles, widths, "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text +=
        WithMark(JoinCells(rows[i], widths, ""), places.IsMarked(lines[i]->file, lines[i]->line));
  }
  return text + "#\n";
}

std::string RenderCopies(const AnnotatedFunction& function, const ShareColumns& shares,
                         const AnnotateTextOptions& options) {
  if (function.copies.size() < 2) return {};
  std::vector<std::string> titles = shares.Titles();
  std::vector<int> widths = shares.Widths();
  std::vector<std::vector<Cell>> rows;
  std::size_t used = 0;
  for (const int width : widths) used += 2 + static_cast<std::size_t>(width);
  std::size_t widest = DisplayWidth("Address");
  analysis::Amounts rest(shares.count());
  for (const CodeCopy& copy : function.copies) {
    if (rows.size() == kMostCopies) {
      AddAmounts(rest, copy.self);
      continue;
    }
    std::vector<Cell>& row = rows.emplace_back(shares.All(copy.self));
    row.push_back({fmt::format("{:x}", copy.start.value)});
    widest = std::max(widest, row.back().text.size());
    row.push_back({std::to_string(copy.size)});
    row.push_back({CopyName(copy)});
  }
  if (function.copies.size() > rows.size()) {
    const std::string more = fmt::format("{} more", function.copies.size() - rows.size());
    std::vector<Cell>& row = rows.emplace_back(shares.All(rest));
    row.insert(row.end(), {{}, {}, {more}});
  }
  std::vector<Cell>& total = rows.emplace_back(shares.All(function.self));
  total.insert(total.end(), {{}, {}, {"total"}});
  titles.insert(titles.end(), {"Address", "Bytes", "Copy"});
  constexpr int kBytesColumns = 7;
  widths.insert(widths.end(), {static_cast<int>(widest), kBytesColumns, -4});
  used += 2 + widest + 2 + kBytesColumns + 2;
  std::string text =
      Comment(fmt::format("{} copies of the function", function.copies.size()), options.width);
  text += "#\n" + RenderHeadings(titles, widths, "");
  for (auto& row : rows) {
    const auto width = static_cast<std::size_t>(options.width);
    if (width > 0) row.back().text = FitName(row.back().text, width - std::min(width, used));
    text += JoinCells(row, widths, "");
  }
  return text + "#\n";
}

}  // namespace prof::report
