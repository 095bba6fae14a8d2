// Finds the row of a frame by the sort keys of a table.
#include "analysis/row_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace prof::analysis {

RowTable::RowTable(const Profile& profile, const TableOptions& options,
                   const StackExpander& expander, const std::vector<SampleContext>& contexts)
    : profile_(profile),
      options_(options),
      expander_(expander),
      contexts_(contexts),
      function_names_(profile, options.names) {
  for (const ModuleState& state : profile.modules()) {
    dso_of_module_.push_back(names_.Intern(DsoText(state.module)));
  }
}

bool RowTable::Wants(SortKey key) const {
  return std::ranges::find(options_.sort, key) != options_.sort.end();
}

RowTable::FrameKey RowTable::MakeKey(const CodeLocation& location) {
  FrameKey key;
  const ModuleIndex module = location.function < profile_.functions().size()
                                 ? profile_.functions()[location.function].module
                                 : kNoIndex;
  if (Wants(SortKey::kSym)) key.function = location.function;
  if (Wants(SortKey::kDso) && module != kNoIndex) key.dso = dso_of_module_[module];
  const bool by_line = Wants(SortKey::kSrcLine);
  if ((by_line || Wants(SortKey::kSrcFile)) && location.file != kNoIndex) {
    std::string_view file = profile_.Name(location.file);
    key.file = names_.Intern(file.substr(file.rfind('/') + 1));
    if (by_line) key.line = location.line;
  }
  // Part of the key, so that a row by command alone does not depend on which sample came first:
  // there the level says nothing and stays '.'.
  const bool code = Wants(SortKey::kSym) || Wants(SortKey::kDso);
  key.kernel = code && module != kNoIndex && profile_.modules()[module].module.IsKernel();
  return key;
}

std::uint32_t RowTable::FindKey(FrameIndex frame) {
  if (frame >= key_of_frame_.size()) key_of_frame_.resize(expander_.frames().size(), kNoIndex);
  std::uint32_t& known = key_of_frame_[frame];
  if (known == kNoIndex) {
    const FrameKey key = MakeKey(expander_.frames()[frame].location);
    const std::uint64_t code = std::uint64_t{key.function} << 32 | key.dso;
    const std::uint64_t source =
        std::uint64_t{key.file} << 32 | key.line << 1 | (key.kernel ? 1 : 0);
    known = key_table_.FindOrInsert(MixHash(code, source), static_cast<std::uint32_t>(keys_.size()),
                                    [&](std::uint32_t index) { return keys_[index] == key; });
    if (known == keys_.size()) keys_.push_back(key);
  }
  return known;
}

RowIndex RowTable::FindRow(std::uint32_t context, std::uint32_t key) {
  const auto fresh = static_cast<RowIndex>(rows_.size());
  const RowIndex found =
      row_table_.FindOrInsert(MixHash(key, context), fresh, [&](std::uint32_t index) {
        return rows_[index].frame_key == key && rows_[index].context == context;
      });
  if (found == fresh) rows_.push_back({.context = context, .frame_key = key});
  return found;
}

// "123:name"; the name is the last one, of a process that of its main thread.
std::string RowTable::TaskText(std::uint32_t id, bool process) {
  if (id == kNoIndex) return "-1:[unknown]";
  auto& names = process ? process_names_ : thread_names_;
  if (names.empty()) {
    for (const ThreadInfo& thread : profile_.threads()) {
      const NameIndex name = thread.names.back().second;
      const std::uint32_t task = process ? thread.pid : thread.tid;
      if (thread.tid == task) {
        names.insert_or_assign(task, name);
      } else {
        names.try_emplace(task, name);
      }
    }
  }
  return fmt::format("{}:{}", id, profile_.Name(names.at(id)));
}

std::string RowTable::KeyText(SortKey key, const RowTotals& row, model::EventId event) {
  const SampleContext& context = contexts_[row.context];
  const FrameKey& frame = keys_[row.frame_key];
  switch (key) {
    case SortKey::kComm:
      return std::string(profile_.Name(context.comm));
    case SortKey::kPid:
      return TaskText(context.pid, true);
    case SortKey::kTid:
      return TaskText(context.tid, false);
    case SortKey::kDso:
      return frame.dso == kNoIndex ? "[unknown]" : std::string(names_.Text(frame.dso));
    case SortKey::kSym: {
      if (frame.function >= profile_.functions().size()) return "[unknown]";
      const Function& function = profile_.functions()[frame.function];
      return function.name == kNoIndex ? fmt::format("0x{:016x}", function.address.value)
                                       : function_names_.Of(frame.function);
    }
    case SortKey::kSrcLine:
      return frame.file == kNoIndex ? "??:0"
                                    : fmt::format("{}:{}", names_.Text(frame.file), frame.line);
    case SortKey::kSrcFile:
      return frame.file == kNoIndex ? "??" : std::string(names_.Text(frame.file));
    case SortKey::kCpu:
      return context.cpu == model::kUnknownCpu ? "???" : fmt::format("{:03}", context.cpu);
    case SortKey::kTime:
      return context.time_ns == model::kUnknownTime
                 ? "[unknown]"
                 : fmt::format("{}.{:06}", context.time_ns / 1'000'000'000,
                               context.time_ns % 1'000'000'000 / 1000);
    case SortKey::kEvent:
      return profile_.events()[event].name;
  }
  return {};
}

TableRow RowTable::Describe(RowIndex index, model::EventId event) {
  const RowTotals& row = rows_[index];
  TableRow result;
  for (const SortKey key : options_.sort) result.keys.push_back(KeyText(key, row, event));
  result.level = keys_[row.frame_key].kernel ? 'k' : '.';
  return result;
}

}  // namespace prof::analysis
