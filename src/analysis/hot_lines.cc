// Chooses the source text that goes into a recording.
#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "prof/analysis/hot_code.h"

namespace prof::analysis {
namespace {

// The lines of a function's name and type are just above that of its first instruction.
constexpr std::uint32_t kHeading = 2;

// Shortens a line to `limit` bytes without cutting a UTF-8 character.
void CutLine(std::string& line, std::uint64_t limit) {
  if (line.size() <= limit) return;
  auto end = static_cast<std::size_t>(limit);
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  line.resize(end);
}

std::uint32_t Before(std::uint32_t line, std::uint32_t context) {
  return line > context ? line - context : 1;
}

}  // namespace

void HotLines::Add(const model::ModuleSymbols& symbols, std::span<const AddressHits> hits,
                   std::optional<std::int64_t> modified_s) {
  auto hit = hits.begin();
  for (const model::AddressSymbols& entry : symbols.addresses) {
    while (hit != hits.end() && hit->address < entry.address) ++hit;
    if (hit == hits.end()) break;
    if (hit->address != entry.address) continue;
    for (const model::SymbolFrame& frame : entry.frames) {
      if (frame.file.empty() || frame.line == 0) continue;
      File& file = files_[frame.file];
      // Of several programs with one header the newest is what the source is compared with.
      file.program_modified_s = std::max(file.program_modified_s, modified_s);
      Hits& line = file.lines[frame.line];
      line.self += hit->self;
      line.stacks += hit->stacks;
    }
  }
}

void HotLines::AddFunction(const model::FunctionCode& code, std::uint64_t self) {
  if (code.lines.empty()) return;
  // The function's own file is the one its first instruction comes from.
  const std::uint32_t file = code.lines.front().file;
  if (file >= code.files.size()) return;
  Extent extent{code.files[file], code.lines.front().line, code.lines.front().line, self};
  auto inlined = code.inlined.begin();
  for (const model::CodeLine& row : code.lines) {
    while (inlined != code.inlined.end() && (inlined->depth != 1 || inlined->end <= row.address))
      ++inlined;
    if (inlined != code.inlined.end() && inlined->begin <= row.address) continue;
    if (row.file != file || row.line == 0) continue;
    extent.first = extent.first == 0 ? row.line : std::min(extent.first, row.line);
    extent.last = std::max(extent.last, row.line);
  }
  if (extent.first != 0) extents_.push_back(std::move(extent));
}

// One run of EmbedSources().
class SourceEmbedder {
 public:
  SourceEmbedder(const HotLines& lines, const SourceLimits& limits)
      : hot_(lines), limits_(limits) {}

  std::vector<model::SourceFile> Run(const SourceReader& read, model::CodeSummary& summary) {
    RankFiles();
    for (Candidate& file : files_) Read(file, read);
    if (limits_.text) ChooseText();
    summary.source_wanted = limits_.text;
    summary.source_bytes = used_;
    std::vector<model::SourceFile> sources;
    for (Candidate& file : files_) {
      summary.source_lines_left_out += LeftOut(file);
      sources.push_back(Finish(file));
    }
    return sources;
  }

 private:
  struct Candidate {
    model::SourceFile source;
    const HotLines::File* hot = nullptr;
    std::vector<const HotLines::Extent*> extents;
    std::uint64_t self = 0;
    std::uint64_t stacks = 0;
    std::map<std::uint32_t, std::string> text;  // of the lines that may be chosen
    std::set<std::uint32_t> chosen;
  };
  struct Wish {
    Candidate* file = nullptr;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint64_t weight = 0;
  };

  void RankFiles() {
    for (const auto& [path, file] : hot_.files_) {
      Candidate candidate{.source = {.path = path, .text = {}}, .hot = &file};
      for (const auto& [line, hits] : file.lines) {
        candidate.self += hits.self;
        candidate.stacks += hits.stacks;
      }
      files_.push_back(std::move(candidate));
    }
    std::ranges::sort(files_, [](const Candidate& a, const Candidate& b) {
      return std::tuple(b.self, b.stacks, std::string_view(a.source.path)) <
             std::tuple(a.self, a.stacks, std::string_view(b.source.path));
    });
    if (files_.size() > limits_.files) files_.resize(static_cast<std::size_t>(limits_.files));
    std::map<std::string_view, Candidate*> by_path;
    for (Candidate& file : files_) by_path[file.source.path] = &file;
    for (const HotLines::Extent& extent : hot_.extents_) {
      if (const auto file = by_path.find(extent.path); file != by_path.end())
        file->second->extents.push_back(&extent);
    }
  }

  void Read(Candidate& file, const SourceReader& read) {
    ReadText text = read(file.source.path);
    file.source.state = text.state;
    if (text.state != model::SourceState::kRead) return;
    file.source.bytes = text.bytes;
    file.source.checksum = text.checksum;
    const auto program = file.hot->program_modified_s;
    if (program && text.modified_s > *program)
      file.source.state = model::SourceState::kNewerThanProgram;
    if (!limits_.text) return;
    // Only what may be chosen stays in memory.
    const auto keep = [&](std::uint32_t first, std::uint32_t last) {
      const auto end = std::min<std::size_t>(last, text.lines.size());
      for (std::size_t line = first; line <= end; ++line) {
        std::string& content = text.lines[line - 1];
        CutLine(content, limits_.line_bytes);
        file.text.try_emplace(static_cast<std::uint32_t>(line), content);
      }
    };
    for (const auto& [line, hits] : file.hot->lines)
      keep(Before(line, limits_.context), line + limits_.context);
    for (const HotLines::Extent* extent : file.extents)
      keep(Before(extent->first, kHeading), extent->last);
  }

  void ChooseText() {
    std::vector<Wish> ran;
    std::vector<Wish> called;
    for (Candidate& file : files_) {
      for (const auto& [line, hits] : file.hot->lines) {
        auto& wishes = hits.self > 0 ? ran : called;
        wishes.push_back({&file, Before(line, limits_.context), line + limits_.context,
                          hits.self > 0 ? hits.self : hits.stacks});
      }
    }
    std::vector<Wish> whole;
    for (Candidate& file : files_) {
      for (const HotLines::Extent* extent : file.extents)
        whole.push_back({&file, Before(extent->first, kHeading), extent->last, extent->self});
    }
    for (std::vector<Wish>* wishes : {&ran, &whole, &called}) {
      std::ranges::sort(*wishes, [](const Wish& a, const Wish& b) {
        return std::tuple(b.weight, std::string_view(a.file->source.path), a.first) <
               std::tuple(a.weight, std::string_view(b.file->source.path), b.first);
      });
      for (const Wish& wish : *wishes) Grant(wish);
    }
  }

  // All of it or nothing: half a neighbourhood helps nobody.
  void Grant(const Wish& wish) {
    const auto begin = wish.file->text.lower_bound(wish.first);
    const auto end = wish.file->text.upper_bound(wish.last);
    std::uint64_t cost = 0;
    for (auto line = begin; line != end; ++line) {
      if (!wish.file->chosen.contains(line->first)) cost += line->second.size() + 1;
    }
    if (used_ + cost > limits_.text_bytes) return;
    used_ += cost;
    for (auto line = begin; line != end; ++line) wish.file->chosen.insert(line->first);
  }

  // Lines with samples that exist and found no room.
  [[nodiscard]] static std::uint64_t LeftOut(const Candidate& file) {
    std::uint64_t count = 0;
    for (const auto& [line, hits] : file.hot->lines)
      count += file.text.contains(line) && !file.chosen.contains(line) ? 1 : 0;
    return count;
  }

  static model::SourceFile Finish(Candidate& file) {
    std::uint32_t next = 0;
    for (const std::uint32_t line : file.chosen) {
      auto& pieces = file.source.text;
      if (pieces.empty() || line != next) pieces.push_back({.first_line = line, .text = {}});
      pieces.back().text.push_back(std::move(file.text[line]));
      next = line + 1;
    }
    return std::move(file.source);
  }

  const HotLines& hot_;
  const SourceLimits& limits_;
  std::vector<Candidate> files_;
  std::uint64_t used_ = 0;
};

std::vector<model::SourceFile> EmbedSources(const HotLines& lines, const SourceReader& read,
                                            const SourceLimits& limits,
                                            model::CodeSummary& summary) {
  return SourceEmbedder(lines, limits).Run(read, summary);
}

}  // namespace prof::analysis
