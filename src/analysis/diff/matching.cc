// Pairs modules, then functions.
#include "analysis/diff/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/diff/function_identity.h"

namespace prof::analysis::diff {
namespace {

// Both sides' candidates for one name; a pair of them is a guess worth making when there is one of
// each.
template <class Id>
struct Candidates {
  std::vector<Id> before;
  std::vector<Id> after;

  [[nodiscard]] bool IsPair() const {
    return before.size() == 1 && after.size() == 1 && before.front() != after.front();
  }
};

constexpr std::size_t kNamedPairs = 3;

// "paired by guess: f(int) with f(long), g() with g(int) and 3 more".
std::string GuessNote(const char* what, std::vector<std::string> pairs) {
  std::ranges::sort(pairs);
  std::string text;
  for (std::size_t at = 0; at < std::min(pairs.size(), kNamedPairs); ++at) {
    text += (at == 0 ? "" : ", ") + pairs[at];
  }
  if (pairs.size() > kNamedPairs) text += fmt::format(" and {} more", pairs.size() - kNamedPairs);
  return fmt::format("{}: {}", what, text);
}

}  // namespace

void SeenKeys::Add(Side side, FunctionId function) {
  if (function == kNoIndex) return;
  const auto at = static_cast<std::size_t>(side);
  if (!functions_[at].insert(function).second) return;
  const TextId module = keys_.FunctionOf(function).module;
  if (module != kNoIndex) modules_[at].insert(module);
}

Matching::Matching(const SeenKeys& seen, const std::array<std::string, 2>& programs,
                   const std::vector<ModuleRename>& renames, KeyTable& keys)
    : keys_(keys) {
  for (const ModuleRename& rename : renames) RenameTasks(rename.old_name, rename.new_name);
  MatchVersions(seen);
  MatchPrograms(seen, programs);
  MatchFunctions(seen);
}

// A library of another version. Where a side has several versions loaded, none can be told to be
// the other's.
void Matching::MatchVersions(const SeenKeys& seen) {
  std::map<std::string_view, Candidates<TextId>> by_stem;
  for (const TextId module : seen.modules(Side::kBefore)) {
    by_stem[WithoutSoVersion(keys_.TextOf(module))].before.push_back(module);
  }
  for (const TextId module : seen.modules(Side::kAfter)) {
    by_stem[WithoutSoVersion(keys_.TextOf(module))].after.push_back(module);
  }
  std::vector<std::string> pairs;
  for (const auto& [stem, candidates] : by_stem) {
    if (!candidates.IsPair()) continue;
    const TextId before = candidates.before.front();
    const TextId after = candidates.after.front();
    modules_[before] = after;
    pairs.push_back(fmt::format("{} with {}", keys_.TextOf(before), keys_.TextOf(after)));
  }
  if (!pairs.empty()) {
    notes_.push_back(GuessNote("libraries of other versions are compared", std::move(pairs)));
  }
}

// Two builds of a program are often told apart by its name (./app.old, ./app.new). They are the
// same program when at least half of the functions seen in one are seen in the other.
void Matching::MatchPrograms(const SeenKeys& seen, const std::array<std::string, 2>& programs) {
  if (programs[0].empty() || programs[1].empty() || programs[0] == programs[1]) return;
  std::array<std::unordered_set<TextId>, 2> names;
  for (std::size_t side = 0; side < 2; ++side) {
    const TextId program = keys_.Text(programs[side]);
    const TextId other = keys_.Text(programs[1 - side]);
    if (modules_.contains(program) || modules_.contains(other)) return;
    if (seen.modules(static_cast<Side>(side)).contains(other)) return;
    for (const FunctionId id : seen.functions(static_cast<Side>(side))) {
      const FunctionKey& key = keys_.FunctionOf(id);
      if (key.module == program && key.name != kNoIndex) names[side].insert(key.name);
    }
  }
  const auto common = static_cast<std::size_t>(
      std::ranges::count_if(names[0], [&](TextId name) { return names[1].contains(name); }));
  if (common == 0 || common * 2 < std::min(names[0].size(), names[1].size())) return;
  modules_[keys_.Text(programs[0])] = keys_.Text(programs[1]);
  RenameTasks(programs[0], programs[1]);
  notes_.push_back(fmt::format("{} is compared with {}: they were launched and share functions",
                               programs[0], programs[1]));
}

// The kernel calls a task by its program's base name, of which it keeps 15 bytes.
void Matching::RenameTasks(const std::string& before, const std::string& after) {
  constexpr std::size_t kCommBytes = 15;
  const auto comm = [&](const std::string& path) {
    return keys_.Text(path.substr(path.rfind('/') + 1).substr(0, kCommBytes));
  };
  comms_.try_emplace(comm(before), comm(after));
}

TaskId Matching::TaskAfter(TaskId before) {
  if (before == kNoIndex) return before;
  const TaskKey task = keys_.TaskOf(before);
  const auto renamed = comms_.find(task.name);
  return renamed == comms_.end() ? before
                                 : keys_.Task({.name = renamed->second, .number = task.number});
}

void Matching::MatchFunctions(const SeenKeys& seen) {
  using Place = std::pair<TextId, std::string>;  // module, name without parameters
  std::map<Place, Candidates<FunctionId>> by_name;
  const auto add = [&](FunctionId id, std::vector<FunctionId> Candidates<FunctionId>::*side) {
    const FunctionKey key = keys_.FunctionOf(id);
    if (key.name == kNoIndex) return;
    (by_name[{key.module, WithoutParameters(keys_.TextOf(key.name))}].*side).push_back(id);
  };
  for (const FunctionId id : seen.functions(Side::kBefore)) {
    FunctionKey key = keys_.FunctionOf(id);
    const auto module = modules_.find(key.module);
    if (module != modules_.end()) key.module = module->second;
    const FunctionId after = keys_.Function(key);
    if (after != id) functions_[id] = after;
    add(after, &Candidates<FunctionId>::before);
  }
  for (const FunctionId id : seen.functions(Side::kAfter)) {
    add(id, &Candidates<FunctionId>::after);
  }
  std::unordered_map<FunctionId, FunctionId> guesses;
  std::vector<std::string> pairs;
  for (const auto& [place, candidates] : by_name) {
    if (!candidates.IsPair()) continue;
    const FunctionId before = candidates.before.front();
    const FunctionId after = candidates.after.front();
    guesses[before] = after;
    pairs.push_back(fmt::format("{} with {}", keys_.TextOf(keys_.FunctionOf(before).name),
                                keys_.TextOf(keys_.FunctionOf(after).name)));
  }
  if (guesses.empty()) return;
  for (const FunctionId id : seen.functions(Side::kBefore)) {
    const auto guess = guesses.find(FunctionAfter(id));
    if (guess != guesses.end()) functions_[id] = guess->second;
  }
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  notes_.push_back(GuessNote("functions with other parameters are compared", std::move(pairs)));
}

FunctionId Matching::FunctionAfter(FunctionId before) const {
  const auto found = functions_.find(before);
  return found == functions_.end() ? before : found->second;
}

RowId Matching::Row(Side side, RowId row) {
  if (side == Side::kAfter) return row;
  RowKey key = keys_.RowOf(row);
  key.function = FunctionAfter(key.function);
  if (const auto comm = comms_.find(key.comm); comm != comms_.end()) key.comm = comm->second;
  key.process = TaskAfter(key.process);
  key.thread = TaskAfter(key.thread);
  const RowId after = keys_.Row(key);
  if (after != row) before_of_row_[after] = row;
  return after;
}

RowId Matching::RowBefore(RowId after) const {
  const auto found = before_of_row_.find(after);
  return found == before_of_row_.end() ? after : found->second;
}

}  // namespace prof::analysis::diff
