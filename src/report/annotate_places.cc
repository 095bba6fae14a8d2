// Names source places, and finds the text of lines.
#include "report/annotate_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "report/text_fit.h"

namespace prof::report {
namespace {

constexpr std::size_t kLeastName = 12;  // columns that a folded name keeps beside its place

// `path` from one component further to the left than its suffix of `length` bytes.
std::size_t OneMoreComponent(std::string_view path, std::size_t length) {
  if (length + 1 >= path.size()) return path.size();
  const std::size_t slash = path.rfind('/', path.size() - length - 2);
  return slash == std::string_view::npos ? path.size() : path.size() - slash - 1;
}

// What a function is called, folded, without the class and namespaces it is in.
std::string BareName(const std::string& name) {
  std::string bare = FitName(name, FoldedWidth(name));
  const std::size_t scope = bare.rfind("::");
  return scope == std::string::npos ? bare : bare.substr(scope + 2);
}

// The first of `rests` beside which a folded name has room, and as much of the name as fits.
std::string FitCall(const std::string& name, const std::vector<std::string>& rests,
                    std::size_t width) {
  if (width == 0) return name + rests.front();
  const std::size_t least = std::min(FoldedWidth(name), width / 2);
  const std::string* chosen = &rests.back();
  for (const std::string& rest : rests) {
    if (DisplayWidth(rest) + least > width) continue;
    chosen = &rest;
    break;
  }
  const std::size_t used = DisplayWidth(*chosen);
  const std::size_t room = std::max(kLeastName, width > used ? width - used : 0);
  // What a function is called says more than the class and namespace it is in.
  std::string fitted = FitName(name, std::max(room, FoldedWidth(name)));
  while (DisplayWidth(fitted) > room && fitted.find("::") != std::string::npos)
    fitted.erase(0, fitted.find("::") + 2);
  return CutText(FitName(fitted, room) + *chosen, width);
}

}  // namespace

std::vector<std::string> ShortPaths(const std::vector<std::string_view>& paths) {
  std::vector<std::size_t> lengths;
  lengths.reserve(paths.size());
  for (const std::string_view path : paths) lengths.push_back(OneMoreComponent(path, 0));
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string_view, std::set<std::string_view>> meanings;
    for (std::size_t i = 0; i < paths.size(); ++i)
      meanings[paths[i].substr(paths[i].size() - lengths[i])].insert(paths[i]);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (meanings[paths[i].substr(paths[i].size() - lengths[i])].size() < 2) continue;
      const std::size_t longer = OneMoreComponent(paths[i], lengths[i]);
      changed |= longer != lengths[i];
      lengths[i] = longer;
    }
  }
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i)
    names.emplace_back(paths[i].substr(paths[i].size() - lengths[i]));
  return names;
}

SourcePlaces::SourcePlaces(const analysis::AnnotatedFunction& function,
                           const AnnotateTextOptions& options)
    : function_(function), options_(options) {
  std::vector<std::string_view> paths;
  for (const analysis::AnnotatedSource& source : function.sources) paths.push_back(source.path);
  if (options.full_paths) {
    paths_.assign(paths.begin(), paths.end());
  } else {
    paths_ = ShortPaths(paths);
  }
  for (std::string& path : paths_) path = path.empty() ? "??" : Printable(path);
  if (!function.lines.empty()) main_file_ = function.lines.front().file;
}

const std::string& SourcePlaces::Path(std::uint32_t file) const {
  static const std::string kUnknown = "??";
  return file < paths_.size() ? paths_[file] : kUnknown;
}

std::string SourcePlaces::Place(std::uint32_t file, std::uint32_t line) const {
  return line == 0 ? Path(file) : Path(file) + ":" + std::to_string(line);
}

std::optional<std::string> SourcePlaces::Text(std::uint32_t file, std::uint32_t line) const {
  if (file >= function_.sources.size()) return {};
  const std::vector<model::SourceLines>& runs = function_.sources[file].text;
  const auto behind = std::ranges::upper_bound(runs, line, {}, &model::SourceLines::first_line);
  if (behind == runs.begin()) return {};
  const model::SourceLines& run = *std::prev(behind);
  if (line - run.first_line >= run.text.size()) return {};
  std::string text = Printable(ExpandTabs(run.text[line - run.first_line]));
  // The '\r' of a file from elsewhere has become a '?'.
  if (run.text[line - run.first_line].ends_with('\r')) text.pop_back();
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool SourcePlaces::HasText(std::uint32_t file) const {
  return file < function_.sources.size() && !function_.sources[file].text.empty();
}

std::uint64_t SourcePlaces::LineCount(std::uint32_t file) const {
  if (!HasText(file)) return 0;
  const model::SourceLines& last = function_.sources[file].text.back();
  return last.first_line + last.text.size() - 1;
}

std::string SourcePlaces::Chain(const analysis::Position& position, std::size_t width) const {
  if (position.empty()) return "??";
  if (position.size() > 1) return Calls(position, position.size(), width);
  const std::string place = Place(position.front().file, position.front().line);
  return width == 0 ? place : CutText(place, width);
}

std::string SourcePlaces::Inlined(const analysis::Position& position, std::size_t width) const {
  return position.empty() ? "??"
                          : Calls(position, std::max<std::size_t>(position.size() - 1, 1), width);
}

// The innermost function, its place, and the call sites of the first `steps`; the last one of all
// has no name, as it is where the reader is.
std::string SourcePlaces::Calls(const analysis::Position& position, std::size_t steps,
                                std::size_t width) const {
  const analysis::InlineStep& inner = position.front();
  const std::string name = Printable(inner.name);
  const std::string place = " " + Place(inner.file, inner.line);
  std::string between;
  for (std::size_t i = 1; i + 1 < position.size() && i < steps; ++i) {
    const std::string function = Printable(position[i].name);
    between += (i == 1 ? "" : ", ") + Place(position[i].file, position[i].line) + " in " +
               (width == 0 ? function : FitName(function, FoldedWidth(function)));
  }
  const bool whole = steps == position.size() && steps > 1;
  std::string outer;
  if (whole) outer = Place(position.back().file, position.back().line);
  if (between.empty() && outer.empty()) return FitCall(name, {place}, width);
  const std::string here = ", inlined at ";
  const std::string all = here + between + (between.empty() || outer.empty() ? "" : ", ") + outer;
  if (!whole) return FitCall(name, {place + all, place}, width);
  const bool own = position.back().file == main_file_;
  const std::string last = own ? fmt::format(":{}", position.back().line) : outer;
  const bool room = DisplayWidth(BareName(name)) + DisplayWidth(place + here + last) <= width;
  return FitCall(name,
                 {place + all, place + here + (between.empty() ? "" : "..., ") + outer,
                  place + (room ? here : ", at ") + last},
                 width);
}

bool SourcePlaces::IsMarked(std::uint32_t file, std::uint32_t line) const {
  if (!options_.marked_line || *options_.marked_line != line) return false;
  if (options_.marked_file.empty()) return file == main_file_;
  return file < function_.sources.size() &&
         function_.sources[file].path.ends_with(options_.marked_file);
}

}  // namespace prof::report
