// Source files by path, and their texts.
#include "analysis/annotate/source_table.h"

#include <algorithm>
#include <utility>

namespace prof::analysis {

std::uint32_t SourceTable::Of(std::string_view path) {
  const auto known = by_path_.find(path);
  if (known != by_path_.end()) return known->second;
  const auto file = static_cast<std::uint32_t>(paths_.size());
  paths_.emplace_back(path);
  by_path_.emplace(path, file);
  return file;
}

std::uint32_t SourceTable::Of(NameIndex name) {
  if (name == kNoIndex) return model::kNoFile;
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  return by_name_[name] = Of(profile_.Name(name));
}

std::vector<AnnotatedSource> SourceTable::Build() const {
  std::vector<AnnotatedSource> sources;
  for (const std::string& path : paths_) sources.push_back({.path = path, .text = {}});
  std::vector<bool> known(paths_.size());
  for (const model::SourceFile& file : profile_.sources()) {
    const auto found = by_path_.find(file.path);
    if (found == by_path_.end()) continue;
    AnnotatedSource& source = sources[found->second];
    // A file with much text comes in several records.
    source.text.insert(source.text.end(), file.text.begin(), file.text.end());
    if (known[found->second]) continue;
    known[found->second] = true;
    source.state = file.state;
    source.bytes = file.bytes;
    source.checksum = file.checksum;
    if (file.state == model::SourceState::kNewerThanProgram) {
      source.warning = "was newer than the program when it was recorded";
    }
  }
  for (AnnotatedSource& source : sources) {
    std::ranges::sort(source.text, {}, &model::SourceLines::first_line);
  }
  return sources;
}

const std::string* AnnotatedSource::Line(std::uint32_t line) const {
  const auto after = std::ranges::upper_bound(text, line, {}, &model::SourceLines::first_line);
  if (after == text.begin()) return nullptr;
  const model::SourceLines& piece = *std::prev(after);
  const std::size_t index = line - piece.first_line;
  return index < piece.text.size() ? &piece.text[index] : nullptr;
}

void AddSourceText(AnnotatedSource& source, const std::vector<std::string>& lines,
                   std::uint64_t bytes, std::uint32_t checksum) {
  const bool recorded = source.bytes != 0 || source.checksum != 0;
  const bool changed = recorded && (source.bytes != bytes || source.checksum != checksum);
  // What was recorded stays as it is: of a file that changed, lines beside it could be any others.
  if (changed && !source.text.empty()) return;
  if (changed) {
    source.warning += source.warning.empty() ? "" : ", ";
    source.warning += "changed since the recording";
  }
  const bool was_read = source.state == model::SourceState::kNewerThanProgram;
  if (!was_read) source.state = model::SourceState::kRead;
  std::vector<model::SourceLines> merged;
  std::uint64_t next = 1;  // the first line not there yet
  const auto fill_to = [&](std::uint64_t end) {
    const std::uint64_t stop = std::min<std::uint64_t>(end, lines.size() + 1);
    if (next >= stop) return;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(next - 1);
    const auto last = lines.begin() + static_cast<std::ptrdiff_t>(stop - 1);
    merged.push_back({.first_line = static_cast<std::uint32_t>(next), .text = {first, last}});
  };
  for (model::SourceLines& piece : source.text) {
    fill_to(piece.first_line);
    next = std::max(next, std::uint64_t{piece.first_line} + piece.text.size());
    merged.push_back(std::move(piece));
  }
  fill_to(lines.size() + 1);
  source.text = std::move(merged);
}

}  // namespace prof::analysis
