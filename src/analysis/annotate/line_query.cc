// "file:line" against the lines of sampled addresses and the line tables of recorded code.
#include <algorithm>
#include <charconv>
#include <limits>

#include "analysis/annotate/code_chains.h"
#include "analysis/annotate/function_query.h"

namespace prof::analysis {
namespace {

class LineSearch {
 public:
  LineSearch(const Profile& profile, const ScopedSamples& samples, const FunctionGroups& groups,
             const LineQuery& query)
      : profile_(profile), samples_(samples), groups_(groups), query_(query) {}

  LineMatches Run() {
    SearchSamples();
    SearchCode();
    LineMatches result;
    result.file = file_;
    const bool any = std::ranges::any_of(seen_, &Seen::exact);
    for (GroupIndex group = 0; group < seen_.size(); ++group) {
      const Seen& seen = seen_[group];
      if (seen.first == 0) continue;
      result.in_file.push_back(group);
      const bool around = seen.first < query_.line && query_.line < seen.last;
      if (any ? seen.exact : around) result.matches.push_back({groups_.Name(group), {group}});
    }
    return result;
  }

 private:
  // Lines of the wanted file in a group's own code; first 0: none.
  struct Seen {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool exact = false;
  };

  void See(GroupIndex group, std::uint32_t line) {
    Seen& seen = seen_[group];
    seen.first = seen.first == 0 ? line : std::min(seen.first, line);
    seen.last = std::max(seen.last, line);
    if (line == query_.line) seen.exact = true;
  }

  bool IsWanted(std::string_view path) {
    if (!PathEndsWith(path, query_.file)) return false;
    if (file_.empty()) file_ = path;
    return true;
  }

  void SearchSamples() {
    std::vector<signed char> wanted;  // by name: -1 not asked yet
    for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
      const NodeIndex node = samples_.NodeOf(frame);
      if (node == kNoIndex) continue;
      for (const CodeLocation& location : profile_.Locations(node)) {
        if (location.file == kNoIndex || location.line == 0) continue;
        if (location.file >= wanted.size()) wanted.resize(location.file + 1, -1);
        signed char& known = wanted[location.file];
        if (known < 0) known = IsWanted(profile_.Name(location.file)) ? 1 : 0;
        const GroupIndex group = groups_.Of(location.function);
        if (known == 1 && group != kNoIndex && groups_.Eligible(group)) See(group, location.line);
      }
    }
  }

  void SearchCode() {
    for (const model::ModuleCode& code : profile_.code()) {
      const auto module = std::ranges::find(profile_.modules(), code.module, &ModuleState::module);
      if (module == profile_.modules().end()) continue;
      const auto index = static_cast<ModuleIndex>(module - profile_.modules().begin());
      for (const model::FunctionCode& function : code.functions) SearchFunction(index, function);
    }
  }

  void SearchFunction(ModuleIndex module, const model::FunctionCode& code) {
    std::vector<bool> wanted;
    for (const std::string& file : code.files) wanted.push_back(IsWanted(file));
    if (std::ranges::find(wanted, true) == wanted.end()) return;
    std::vector<model::FileAddr> places;
    for (const model::CodeLine& row : code.lines) places.push_back(row.address);
    for (const model::InlinedRange& range : code.inlined) places.push_back(range.begin);
    std::ranges::sort(places);
    CodeChains chains(code);
    for (const model::FileAddr place : places) {
      if (!chains.MoveTo(place)) continue;
      for (std::size_t level = 0; level < chains.chain().size(); ++level) {
        const ChainStep& step = chains.chain()[level];
        if (step.file < wanted.size() && wanted[step.file]) {
          SeeNearest(module, chains.chain().subspan(level), step.line);
        }
      }
    }
  }

  // An inlined function without samples of its own shows up in the one it was inlined into.
  void SeeNearest(ModuleIndex module, std::span<const ChainStep> steps, std::uint32_t line) {
    for (const ChainStep& step : steps) {
      const GroupIndex group = Find(module, step.name);
      if (group == kNoIndex || !groups_.Eligible(group)) continue;
      See(group, line);
      return;
    }
  }

  GroupIndex Find(ModuleIndex module, std::string_view name) {
    const auto known = by_name_.find({module, name});
    if (known != by_name_.end()) return known->second;
    return by_name_[{module, name}] = groups_.Find(module, name);
  }

  const Profile& profile_;
  const ScopedSamples& samples_;
  const FunctionGroups& groups_;
  const LineQuery& query_;
  std::string file_;
  std::vector<Seen> seen_ = std::vector<Seen>(groups_.all().size());
  std::map<std::pair<ModuleIndex, std::string_view>, GroupIndex> by_name_;
};

// "a.cc:15:3", as compilers write a place, is "a.cc:15".
std::string WithoutColumn(const std::string& query) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view text = query;
  const std::size_t last = text.rfind(':');
  const std::size_t middle =
      last == 0 || last == std::string::npos ? last : text.rfind(':', last - 1);
  if (middle == std::string::npos || last == std::string::npos) return query;
  const bool both =
      is_number(text.substr(last + 1)) && is_number(text.substr(middle + 1, last - middle - 1));
  return both ? query.substr(0, last) : query;
}

}  // namespace

std::optional<LineQuery> ParseLineQuery(const std::string& place) {
  const std::string query = WithoutColumn(place);
  const std::size_t colon = query.rfind(':');
  if (colon == std::string::npos || colon == 0 || query[colon - 1] == ':') return std::nullopt;
  LineQuery parsed{.file = query.substr(0, colon)};
  const char* end = query.data() + query.size();
  const auto [stop, error] = std::from_chars(query.data() + colon + 1, end, parsed.line);
  if (error != std::errc() || stop != end || parsed.line == 0) return std::nullopt;
  while (parsed.file.starts_with("./")) parsed.file.erase(0, 2);
  if (parsed.file.empty()) return std::nullopt;
  return parsed;
}

bool PathEndsWith(std::string_view path, std::string_view end) {
  if (end.empty() || !path.ends_with(end)) return false;
  return path.size() == end.size() || end.front() == '/' ||
         path[path.size() - end.size() - 1] == '/';
}

LineMatches MatchLine(const Profile& profile, const ScopedSamples& samples,
                      const FunctionGroups& groups, const LineQuery& query) {
  return LineSearch(profile, samples, groups, query).Run();
}

}  // namespace prof::analysis
