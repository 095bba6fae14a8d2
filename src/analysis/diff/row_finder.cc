// Finds rows by the sort keys of a diff.
#include "analysis/diff/row_finder.h"

#include <algorithm>
#include <string>

#include "analysis/diff/function_identity.h"
#include "analysis/function_text.h"

namespace prof::analysis::diff {
namespace {

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string RenamedIdentity(const model::Module& module, const std::vector<ModuleRename>& renames) {
  std::string identity = ModuleIdentity(module);
  for (const ModuleRename& rename : renames) {
    if (rename.old_name == identity || rename.old_name == module.path) {
      return std::string(BaseName(rename.new_name));
    }
  }
  return identity;
}

}  // namespace

ProfileKeys::ProfileKeys(const Profile& profile, const std::vector<ModuleRename>& renames,
                         KeyTable& keys)
    : profile_(profile),
      keys_(keys),
      tasks_(profile, keys),
      functions_(profile.functions().size() + 1, kNoIndex) {
  for (const ModuleState& state : profile.modules()) {
    modules_.push_back({.module = keys.Text(RenamedIdentity(state.module, renames)),
                        .kernel = state.module.IsKernel()});
  }
  modules_.push_back({.module = keys.Text("[unknown]")});
}

FunctionId ProfileKeys::Function(FunctionIndex index) {
  const auto functions = profile_.functions();
  FunctionId& id = functions_[std::min<std::size_t>(index, functions.size())];
  if (id != kNoIndex) return id;
  FunctionKey key = modules_.back();
  if (index < functions.size()) {
    const analysis::Function& function = functions[index];
    if (function.module < profile_.modules().size()) key = modules_[function.module];
    if (function.name != kNoIndex) {
      key.name = keys_.Text(FunctionIdentity(profile_.Name(function.name)));
    }
  }
  id = keys_.Function(key);
  return id;
}

RowFinder::RowFinder(const Profile& profile, const std::vector<SortKey>& sort,
                     ProfileKeys& profile_keys, KeyTable& keys, const StackExpander& expander,
                     const std::vector<SampleContext>& contexts)
    : profile_(profile),
      sort_(sort),
      profile_keys_(profile_keys),
      keys_(keys),
      expander_(expander),
      contexts_(contexts) {}

bool RowFinder::Wants(SortKey key) const { return std::ranges::find(sort_, key) != sort_.end(); }

RowKey RowFinder::CodeKey(const CodeLocation& location) {
  FunctionKey function = keys_.FunctionOf(profile_keys_.Function(location.function));
  if (!Wants(SortKey::kDso)) function.module = kNoIndex;
  if (!Wants(SortKey::kSym)) function.name = kNoIndex;
  // Of a row without code the level says nothing.
  if (!Wants(SortKey::kSym) && !Wants(SortKey::kDso)) function.kernel = false;
  RowKey key{.function = keys_.Function(function)};
  const bool by_line = Wants(SortKey::kSrcLine);
  if ((by_line || Wants(SortKey::kSrcFile)) && location.file != kNoIndex) {
    key.file = keys_.Text(BaseName(profile_.Name(location.file)));
    if (by_line) key.line = location.line;
  }
  return key;
}

std::uint32_t RowFinder::FindCode(FrameIndex frame) {
  if (frame >= code_of_frame_.size()) code_of_frame_.resize(expander_.frames().size(), kNoIndex);
  const RowKey key = CodeKey(expander_.frames()[frame].location);
  const auto fresh = static_cast<std::uint32_t>(codes_.size());
  const std::uint64_t source = std::uint64_t{key.file} << 32 | key.line;
  const std::uint32_t code =
      code_table_.FindOrInsert(MixHash(key.function, source), fresh,
                               [&](std::uint32_t index) { return codes_[index] == key; });
  if (code == fresh) {
    codes_.push_back(key);
    newest_.emplace_back();
  }
  code_of_frame_[frame] = code;
  return code;
}

std::uint32_t RowFinder::FindRow(std::uint32_t context_index, std::uint32_t code) {
  const SampleContext& context = contexts_[context_index];
  RowKey key = codes_[code];
  if (context.comm != kNoIndex) key.comm = keys_.Text(profile_.Name(context.comm));
  key.process = profile_keys_.tasks().Process(context.pid);
  key.thread = profile_keys_.tasks().Thread(context.tid);
  key.cpu = context.cpu;
  const RowId id = keys_.Row(key);
  if (id >= row_of_id_.size()) row_of_id_.resize(std::size_t{id} * 2 + 1, kNoIndex);
  if (row_of_id_[id] == kNoIndex) {
    row_of_id_[id] = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
  }
  return row_of_id_[id];
}

}  // namespace prof::analysis::diff
