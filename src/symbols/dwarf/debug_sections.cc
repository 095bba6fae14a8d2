// Finds and unpacks debug sections.
#include "symbols/dwarf/debug_sections.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "symbols/dwarf/parallel.h"

namespace prof::symbols {
namespace {

constexpr std::array<std::string_view, kDebugSections> kNames = {
    "debug_info",     "debug_abbrev",      "debug_line",    "debug_line_str",
    "debug_str",      "debug_str_offsets", "debug_addr",    "debug_ranges",
    "debug_rnglists", "debug_aranges",     "debug_cu_index"};

// Below this the start of a thread costs more than it saves.
constexpr std::size_t kWorthThreads = 4 << 20;

const ElfSection* FindSection(const ElfFile& file, std::size_t kind, bool split) {
  const bool index = kind == static_cast<std::size_t>(DebugSection::kCuIndex);
  const std::string name = std::string(kNames[kind]) + (split && !index ? ".dwo" : "");
  const ElfSection* section = file.Find("." + name);
  return section != nullptr ? section : file.Find(".z" + name);
}

}  // namespace

Result<DebugSections> DebugSections::Load(const ElfFile& file, bool split) {
  if (file.is_big_endian()) {
    return Fail(ErrorKind::kBadData, file.name() + ": DWARF of a big-endian machine");
  }
  DebugSections sections;
  std::vector<std::pair<std::size_t, PackedSection>> packed;
  for (std::size_t kind = 0; kind < kDebugSections; ++kind) {
    const ElfSection* section = FindSection(file, kind, split);
    if (section == nullptr) continue;
    auto described = DescribeSection(file, *section);
    if (!described) {
      sections.problems_.push_back(described.error().message);
    } else if (described->packing == Packing::kNone) {
      sections.bytes_[kind] = described->bytes;
    } else {
      packed.emplace_back(kind, *described);
    }
  }
  // The largest first, so that no thread is left alone with it at the end.
  std::ranges::sort(packed, std::greater<>(), [](const auto& job) { return job.second.size; });
  const std::size_t total =
      std::accumulate(packed.begin(), packed.end(), std::size_t{0},
                      [](std::size_t sum, const auto& job) { return sum + job.second.size; });
  std::vector<std::optional<Result<OwnedBytes>>> results(packed.size());
  ForEachInParallel(packed.size(), total < kWorthThreads ? 1 : MaxThreads(),
                    [&](std::size_t i) { results[i] = Unpack(packed[i].second); });
  for (std::size_t i = 0; i < packed.size(); ++i) {
    Result<OwnedBytes>& result = *results[i];
    if (result) {
      sections.bytes_[packed[i].first] = {result->data.get(), result->size};
      sections.owned_.push_back(std::move(*result));
    } else {
      sections.problems_.push_back(file.name() + ": " + std::string(kNames[packed[i].first]) +
                                   ": " + result.error().message);
    }
  }
  if (sections[DebugSection::kInfo].empty() || sections[DebugSection::kAbbrev].empty()) {
    return Fail(ErrorKind::kBadData, sections.problems_.empty() ? file.name() + ": no DWARF"
                                                                : sections.problems_.front());
  }
  return sections;
}

}  // namespace prof::symbols
