// Groups functions by name and adds up what they have on stacks.
#include "analysis/annotate/function_groups.h"

#include <algorithm>

#include "analysis/annotate/amounts.h"
#include "analysis/annotate/stack_presence.h"
#include "analysis/clone_suffix.h"
#include "analysis/function_text.h"
#include "analysis/sample_filter.h"

namespace prof::analysis {

std::string CopyKey(std::string_view linkage_name, NameStyle style) {
  const NameStyle told_apart = style == NameStyle::kShort ? style : NameStyle::kFull;
  return std::string(WithoutCloneSuffix(LinkageText(linkage_name, told_apart)));
}

FunctionGroups::FunctionGroups(const Profile& profile, const ScopedSamples& samples,
                               const AnnotateScope& scope)
    : profile_(profile), samples_(samples), scope_(scope) {
  Group();
  Count();
}

void FunctionGroups::Group() {
  SampleFilter modules;
  modules.dsos = scope_.filter.dsos;
  LeafFilter wanted(profile_, modules, scope_.names);
  const auto functions = profile_.functions();
  group_of_.reserve(functions.size());
  for (FunctionIndex index = 0; index < functions.size(); ++index) {
    const Function& function = functions[index];
    const auto fresh = static_cast<GroupIndex>(groups_.size());
    GroupIndex group = fresh;
    const bool named = function.name != kNoIndex;
    std::string key = named ? CopyKey(profile_.Name(function.name), scope_.names)
                            : DisplayName(profile_, index, NameStyle::kFull);
    if (named) group = by_name_.try_emplace({function.module, key}, fresh).first->second;
    if (group == fresh) {
      const bool folded = named && scope_.names == NameStyle::kShort;
      if (folded) key = CopyKey(profile_.Name(function.name), NameStyle::kFull);
      groups_.push_back({.module = function.module,
                         .full = std::move(key),
                         .named = named,
                         .wanted = wanted.Keeps({.function = index}),
                         .functions = {},
                         .self = samples_.Zero(),
                         .children = {}});
    }
    groups_[group].functions.push_back(index);
    group_of_.push_back(group);
  }
}

void FunctionGroups::Count() {
  FrameKeys keys;
  std::vector<GroupIndex> on_frame;
  for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
    on_frame.clear();
    const NodeIndex node = samples_.NodeOf(frame);
    if (node != kNoIndex) {
      for (const CodeLocation& location : profile_.Locations(node)) {
        if (const GroupIndex group = Of(location.function); group != kNoIndex) {
          on_frame.push_back(group);
        }
      }
    }
    const Amounts& self = samples_.Self(frame);
    // The outermost one is the machine function.
    if (!on_frame.empty() && !IsZero(self)) groups_[on_frame.back()].has_code = true;
    std::ranges::sort(on_frame);
    const auto repeated = std::ranges::unique(on_frame);
    on_frame.erase(repeated.begin(), repeated.end());
    for (const GroupIndex group : on_frame) AddTo(groups_[group].self, self);
    keys.Append(on_frame);
  }
  std::vector<Amounts> children =
      CountOnStacks(profile_, samples_, keys, static_cast<std::uint32_t>(groups_.size()));
  for (GroupIndex group = 0; group < groups_.size(); ++group) {
    groups_[group].children = std::move(children[group]);
    groups_[group].sampled = !IsZero(groups_[group].children);
  }
}

GroupIndex FunctionGroups::Find(ModuleIndex module, std::string_view linkage_name) const {
  const auto found = by_name_.find(std::pair(module, CopyKey(linkage_name, scope_.names)));
  return found == by_name_.end() ? kNoIndex : found->second;
}

std::string FunctionGroups::Name(GroupIndex group) const {
  const std::string name = DisplayName(profile_, groups_[group].functions.front(), scope_.names);
  return std::string(WithoutCloneSuffix(name));
}

}  // namespace prof::analysis
