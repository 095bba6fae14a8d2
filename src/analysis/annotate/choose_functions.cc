// Which functions a query means.
#include <algorithm>
#include <map>
#include <optional>

#include "analysis/annotate/amounts.h"
#include "analysis/annotate/function_query.h"
#include "analysis/annotate/stack_presence.h"
#include "analysis/function_text.h"

#include "prof/analysis/annotate.h"
#include "prof/base/near_names.h"
#include "prof/symbols/demangle.h"

namespace prof::analysis {
namespace {

constexpr std::size_t kMostNearest = 5;

class Chooser {
 public:
  Chooser(const Profile& profile, const std::string& query, const AnnotateScope& scope,
          const ScopedSamples& samples)
      : profile_(profile),
        query_(query),
        scope_(scope),
        samples_(samples),
        groups_(profile, samples, scope) {}

  Result<FunctionChoice> Run() {
    choice_.events = samples_.events();
    choice_.total = samples_.total();
    PROF_TRY(Choose());
    const auto hotter = [](const FunctionMatch& a, const FunctionMatch& b) {
      const int self = CompareAmounts(a.self, b.self);
      const int children = CompareAmounts(a.children, b.children);
      if (self != 0) return self > 0;
      if (children != 0) return children > 0;
      return std::tie(a.name, a.module, a.functions) < std::tie(b.name, b.module, b.functions);
    };
    std::ranges::sort(choice_.matches, hotter);
    return std::move(choice_);
  }

 private:
  Status Choose() {
    if (query_.empty()) {
      Add(MatchHottest(groups_));
      CountUnnamed();
      return {};
    }
    Add(MatchDisplayName(profile_, groups_, query_, scope_.names));
    if (choice_.matches.empty()) Add(MatchLinkageName(profile_, groups_, query_));
    std::vector<GroupIndex> in_file;
    if (choice_.matches.empty()) in_file = ChooseByLine();
    if (choice_.matches.empty()) {
      PROF_TRY_ASSIGN(const auto matches, MatchExpression(groups_, query_));
      Add(matches);
      if (!matches.empty()) choice_.line.reset();
      if (!matches.empty()) choice_.file.clear();
    }
    if (choice_.matches.empty()) AddNearest(in_file);
    return {};
  }

  void CountUnnamed() {
    choice_.unnamed = samples_.Zero();
    std::map<ModuleIndex, Amounts> by_module;
    for (const FunctionGroup& group : groups_.all()) {
      if (group.named || !group.has_code) continue;
      AddTo(choice_.unnamed, group.self);
      AddTo(by_module.try_emplace(group.module, samples_.Zero()).first->second, group.self);
    }
    const auto most = std::ranges::max_element(by_module, [](const auto& a, const auto& b) {
      return CompareAmounts(a.second, b.second) < 0;
    });
    if (most != by_module.end() && most->first < profile_.modules().size())
      choice_.unnamed_module = DsoText(profile_.modules()[most->first].module);
  }

  // Returns the functions of the file, where the file is known.
  std::vector<GroupIndex> ChooseByLine() {
    const auto parsed = ParseLineQuery(query_);
    if (!parsed) return {};
    LineMatches found = MatchLine(profile_, samples_, groups_, *parsed);
    if (!found.file.empty()) {
      choice_.line = parsed->line;
      choice_.file = found.file;
    }
    Add(found.matches);
    return std::move(found.in_file);
  }

  void Add(const std::vector<QueryMatch>& matches) {
    for (const QueryMatch& match : matches) choice_.matches.push_back(Describe(match));
  }

  FunctionMatch Describe(const QueryMatch& match) {
    const FunctionGroup& first = groups_.all()[match.groups.front()];
    FunctionMatch result;
    result.name = match.name;
    if (first.module < profile_.modules().size()) {
      result.module = DsoText(profile_.modules()[first.module].module);
    }
    result.self = first.self;
    result.children = first.children;
    result.only_inlined = std::ranges::none_of(
        match.groups, [&](GroupIndex group) { return groups_.all()[group].has_code; });
    for (const GroupIndex group : match.groups) {
      const auto& functions = groups_.all()[group].functions;
      result.functions.insert(result.functions.end(), functions.begin(), functions.end());
    }
    if (match.groups.size() > 1) CountTogether(result);
    return result;
  }

  // A stack may have several of the functions; it counts once.
  void CountTogether(FunctionMatch& match) {
    std::vector<bool> has(profile_.functions().size());
    for (const FunctionIndex function : match.functions) has[function] = true;
    FrameKeys keys;
    match.self = samples_.Zero();
    constexpr std::uint32_t kOnlyKey = 0;
    for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
      const NodeIndex node = samples_.NodeOf(frame);
      const bool found =
          node != kNoIndex && std::ranges::any_of(profile_.Locations(node), [&](const auto& place) {
            return place.function < has.size() && has[place.function];
          });
      if (found) AddTo(match.self, samples_.Self(frame));
      keys.Append(std::span(&kOnlyKey, found ? 1 : 0));
    }
    match.children = CountOnStacks(profile_, samples_, keys, 1).front();
  }

  // By whole names and by what stands behind namespaces.
  void AddNearest(std::vector<GroupIndex> near) {
    if (near.empty()) {
      std::map<std::string, std::vector<GroupIndex>> by_name;
      for (GroupIndex group = 0; group < groups_.all().size(); ++group) {
        if (!groups_.Eligible(group) || !groups_.all()[group].named) continue;
        const std::string name = symbols::StripSignature(groups_.all()[group].full);
        by_name[name].push_back(group);
        const std::size_t last = symbols::FoldName(name).rfind("::");
        if (last != std::string::npos) {
          by_name[symbols::FoldName(name).substr(last + 2)].push_back(group);
        }
      }
      std::vector<std::string> names;
      for (const auto& [name, groups] : by_name) names.push_back(name);
      for (const std::string& name : NearestNames(query_, std::move(names), 2 * kMostNearest)) {
        const auto& groups = by_name[name];
        near.insert(near.end(), groups.begin(), groups.end());
      }
    } else {
      std::ranges::sort(near, [&](GroupIndex a, GroupIndex b) {
        const int self = CompareAmounts(groups_.all()[a].self, groups_.all()[b].self);
        return self != 0 ? self > 0 : a < b;
      });
    }
    std::vector<GroupIndex> taken;
    for (const GroupIndex group : near) {
      if (taken.size() == kMostNearest) break;
      if (std::ranges::find(taken, group) != taken.end()) continue;
      taken.push_back(group);
      choice_.nearest.push_back(Describe({groups_.Name(group), {group}}));
    }
  }

  const Profile& profile_;
  const std::string& query_;
  const AnnotateScope& scope_;
  const ScopedSamples& samples_;
  FunctionGroups groups_;
  FunctionChoice choice_;
};

}  // namespace

Result<FunctionChoice> ChooseFunctions(const Profile& profile, const std::string& query,
                                       const AnnotateScope& scope) {
  PROF_TRY_ASSIGN(const ScopedSamples samples, ScopedSamples::Collect(profile, scope));
  return Chooser(profile, query, scope, samples).Run();
}

}  // namespace prof::analysis
