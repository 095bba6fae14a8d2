// Names and expressions against the functions of a profile.
#include "analysis/annotate/function_query.h"

#include <algorithm>

#include "analysis/annotate/amounts.h"
#include "analysis/clone_suffix.h"

#include "prof/base/text_pattern.h"
#include "prof/symbols/demangle.h"

namespace prof::analysis {
namespace {

// `name` is `end`, or ends with it behind namespaces or classes.
bool NameEndsWith(std::string_view name, std::string_view end) {
  if (!name.ends_with(end)) return false;
  return name.size() == end.size() || name.substr(0, name.size() - end.size()).ends_with("::");
}

// "std::vector<...>::push_back" as "std::vector::push_back".
std::string WithoutFolded(std::string text) {
  constexpr std::string_view kFolded = "<...>";
  for (std::size_t at; (at = text.find(kFolded)) != std::string::npos;) {
    text.erase(at, kFolded.size());
  }
  return text;
}

std::string WithoutTemplateArguments(const std::string& full) {
  return WithoutFolded(symbols::FoldName(full));
}

template <class Matches>
std::vector<QueryMatch> Each(const FunctionGroups& groups, Matches matches) {
  std::vector<QueryMatch> found;
  for (GroupIndex group = 0; group < groups.all().size(); ++group) {
    if (groups.Eligible(group) && matches(groups.all()[group])) {
      found.push_back({groups.Name(group), {group}});
    }
  }
  return found;
}

// The instances of a template in one module are one function of the source.
std::vector<QueryMatch> MatchTemplate(const FunctionGroups& groups, const std::string& query) {
  std::map<std::pair<ModuleIndex, std::string>, QueryMatch> by_name;
  for (GroupIndex group = 0; group < groups.all().size(); ++group) {
    const FunctionGroup& candidate = groups.all()[group];
    if (!groups.Eligible(group) || candidate.full.find('<') == std::string::npos) continue;
    std::string name = WithoutTemplateArguments(candidate.full);
    if (!NameEndsWith(name, query)) continue;
    QueryMatch& match = by_name[{candidate.module, std::move(name)}];
    match.groups.push_back(group);
    match.name = match.groups.size() == 1 ? groups.Name(group) : symbols::FoldName(candidate.full);
  }
  std::vector<QueryMatch> found;
  for (auto& [name, match] : by_name) found.push_back(std::move(match));
  return found;
}

}  // namespace

std::vector<QueryMatch> MatchHottest(const FunctionGroups& groups) {
  const FunctionGroup* hottest = nullptr;
  for (GroupIndex group = 0; group < groups.all().size(); ++group) {
    const FunctionGroup& candidate = groups.all()[group];
    if (!groups.Eligible(group) || !candidate.has_code) continue;
    const bool hotter =
        hottest == nullptr || (candidate.named && !hottest->named) ||
        (candidate.named == hottest->named && CompareAmounts(candidate.self, hottest->self) > 0);
    if (hotter) hottest = &candidate;
  }
  if (hottest == nullptr) return {};
  const auto group = static_cast<GroupIndex>(hottest - groups.all().data());
  return {{groups.Name(group), {group}}};
}

std::vector<QueryMatch> MatchDisplayName(const Profile& profile, const FunctionGroups& groups,
                                         const std::string& query, NameStyle style) {
  const bool of_clone = WithoutCloneSuffix(query).size() != query.size();
  auto found = Each(groups, [&](const FunctionGroup& group) {
    if (query == group.full || query == symbols::StripSignature(group.full)) return true;
    if (style == NameStyle::kShort && query == symbols::FoldName(group.full)) return true;
    return of_clone && std::ranges::any_of(group.functions, [&](FunctionIndex function) {
             const std::string full = DisplayName(profile, function, NameStyle::kFull);
             return query == full || query == symbols::StripSignature(full);
           });
  });
  if (!found.empty()) return found;
  found = Each(groups, [&](const FunctionGroup& group) {
    return NameEndsWith(group.full, query) ||
           NameEndsWith(symbols::StripSignature(group.full), query);
  });
  const std::string folded = WithoutFolded(query);
  return found.empty() && !folded.empty() ? MatchTemplate(groups, folded) : found;
}

std::vector<QueryMatch> MatchLinkageName(const Profile& profile, const FunctionGroups& groups,
                                         const std::string& query) {
  return Each(groups, [&](const FunctionGroup& group) {
    return std::ranges::any_of(group.functions, [&](FunctionIndex function) {
      const std::string_view name = profile.Name(profile.functions()[function].name);
      return query == name || query == WithoutCloneSuffix(name);
    });
  });
}

Result<std::vector<QueryMatch>> MatchExpression(const FunctionGroups& groups,
                                                const std::string& query) {
  PROF_TRY_ASSIGN(const TextPattern pattern, TextPattern::Compile(query, "function"));
  return Each(groups, [&](const FunctionGroup& group) {
    return pattern.Matches(group.full) || pattern.Matches(symbols::StripSignature(group.full));
  });
}

}  // namespace prof::analysis
