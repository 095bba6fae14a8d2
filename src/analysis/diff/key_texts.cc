// Writes keys.
#include "analysis/diff/key_texts.h"

#include <fmt/format.h>

#include "prof/symbols/demangle.h"

namespace prof::analysis::diff {
namespace {

std::string Styled(std::string_view identity, NameStyle style) {
  switch (style) {
    case NameStyle::kFull:
      return std::string(identity);
    case NameStyle::kPlain:
      return symbols::StripSignature(identity);
    case NameStyle::kShort:
      return symbols::FoldName(identity);
  }
  return std::string(identity);
}

}  // namespace

KeyTexts::KeyTexts(const KeyTable& keys, NameStyle style) : keys_(keys), style_(style) {
  for (TaskId id = 0; id < keys.tasks(); ++id) {
    const TaskKey& task = keys.TaskOf(id);
    if (task.number < 2) continue;
    if (task.name >= several_.size()) several_.resize(std::size_t{task.name} + 1);
    several_[task.name] = true;
  }
}

const std::string& KeyTexts::FunctionName(TextId name, bool full) {
  const auto [known, fresh] = (full ? full_ : shown_).try_emplace(name);
  if (fresh) known->second = Styled(keys_.TextOf(name), full ? NameStyle::kFull : style_);
  return known->second;
}

std::string KeyTexts::TaskName(TaskId id) const {
  if (id == kNoIndex) return "[unknown]";
  const TaskKey& task = keys_.TaskOf(id);
  const bool numbered = task.name < several_.size() && several_[task.name];
  return numbered ? fmt::format("{} #{}", keys_.TextOf(task.name), task.number)
                  : std::string(keys_.TextOf(task.name));
}

std::string KeyTexts::Text(SortKey key, const RowKey& row, bool full) {
  const FunctionKey& function = keys_.FunctionOf(row.function);
  switch (key) {
    case SortKey::kComm:
      return row.comm == kNoIndex ? "[unknown]" : std::string(keys_.TextOf(row.comm));
    case SortKey::kPid:
      return TaskName(row.process);
    case SortKey::kTid:
      return TaskName(row.thread);
    case SortKey::kDso:
      return function.module == kNoIndex ? "[unknown]" : std::string(keys_.TextOf(function.module));
    case SortKey::kSym:
      return function.name == kNoIndex ? "[unknown]" : FunctionName(function.name, full);
    case SortKey::kSrcLine:
      return row.file == kNoIndex ? "??:0" : fmt::format("{}:{}", keys_.TextOf(row.file), row.line);
    case SortKey::kSrcFile:
      return row.file == kNoIndex ? "??" : std::string(keys_.TextOf(row.file));
    case SortKey::kCpu:
      return row.cpu == model::kUnknownCpu ? "???" : fmt::format("{:03}", row.cpu);
    case SortKey::kTime:
    case SortKey::kEvent:
      break;  // never keys of a diff
  }
  return {};
}

std::vector<std::string> KeyTexts::Row(const RowKey& row, const std::vector<SortKey>& sort,
                                       bool full) {
  std::vector<std::string> texts;
  texts.reserve(sort.size());
  for (const SortKey key : sort) texts.push_back(Text(key, row, full));
  return texts;
}

std::string KeyTexts::Frame(FunctionId id) {
  const FunctionKey& function = keys_.FunctionOf(id);
  if (function.name != kNoIndex) return FunctionName(function.name, false);
  const std::string module(keys_.TextOf(function.module));
  return module.starts_with('[') ? module : "[" + module + "]";
}

}  // namespace prof::analysis::diff
