// Resolves addresses to inline chains.
#include "symbols/dwarf/dwarf_index.h"

#include <utility>

#include "symbols/dwarf/function_names.h"
#include "symbols/dwarf/function_walk.h"
#include "symbols/dwarf/line_table.h"
#include "symbols/dwarf/parallel.h"
#include "symbols/dwarf/producer.h"
#include "symbols/dwarf/unit_finder.h"

namespace prof::symbols {
namespace {

// What is known about the addresses of one unit before functions have names.
struct UnitFindings {
  UnitFunctions functions;
  std::unique_ptr<LineTable> lines;
  std::vector<SourceLine> positions;
  LearnedNames learned;
};

UnitFindings Examine(const UnitAddresses& unit, const Unit& functions_of,
                     std::span<const std::string_view> symbols) {
  UnitFindings findings{.functions = WalkUnit(functions_of, unit.addresses),
                        .lines = std::make_unique<LineTable>(*unit.unit)};
  findings.positions = findings.lines->Find(unit.addresses);
  const auto& chains = findings.functions.chains;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (chains[i].entries.empty()) continue;
    findings.learned.Learn(chains[i].entries.front(), symbols[unit.wanted[i]]);
  }
  return findings;
}

std::vector<model::SymbolFrame> MakeFrames(const FunctionChain& chain, SourceLine position,
                                           const LineTable& lines, FunctionNames& names) {
  std::vector<model::SymbolFrame> frames;
  frames.reserve(chain.entries.size());
  for (std::size_t i = chain.entries.size(); i-- > 0;) {
    const Entry& entry = chain.entries[i];
    frames.push_back({names.Of(entry), std::move(position.file), position.line, i != 0});
    if (i == 0) break;
    const LineRow call = CallPosition(entry);
    position = {lines.FileName(call.file), call.line};
  }
  if (frames.empty() && position.line != 0) {
    frames.push_back({{}, std::move(position.file), position.line, false});
  }
  return frames;
}

}  // namespace

Result<std::unique_ptr<DwarfIndex>> DwarfIndex::Open(const ElfFile& file,
                                                     DwarfCompanions companions) {
  const ElfFile* alternate = companions.alternate;
  std::unique_ptr<DwarfIndex> index(
      new DwarfIndex({std::move(companions.open), std::move(companions.programs)}));
  if (alternate != nullptr) {
    auto opened = DwarfFile::Open(*alternate, DwarfFile::Kind::kLinked, nullptr);
    if (opened) index->alternate_ = std::move(*opened);
  }
  PROF_TRY_ASSIGN(index->file_,
                  DwarfFile::Open(file, DwarfFile::Kind::kLinked, index->alternate_.get()));
  return index;
}

std::vector<DwarfLocation> DwarfIndex::Lookup(std::span<const model::FileAddr> wanted,
                                              std::span<const std::string_view> symbols) {
  std::vector<DwarfLocation> locations(wanted.size());
  const std::vector<UnitAddresses> units = FindUnits(*file_, wanted);
  std::vector<const Unit*> functions_of;
  std::uint64_t bytes = 0;
  for (const UnitAddresses& unit : units) {
    functions_of.push_back(&FunctionsOf(*unit.unit));
    bytes += unit.unit->header().end - unit.unit->header().offset;
  }
  const std::size_t threads = ThreadsForDwarf(bytes);
  std::vector<UnitFindings> findings(units.size());
  ForEachInParallel(units.size(), threads, [&](std::size_t i) {
    findings[i] = Examine(units[i], *functions_of[i], symbols);
  });
  LearnedNames learned;  // from all units first, so that the order of units does not matter
  for (std::size_t i = 0; i < units.size(); ++i) {
    UnitFindings& unit = findings[i];
    if (unit.functions.malformed || unit.lines->malformed()) malformed_units_.insert(units[i].unit);
    learned.Merge(std::move(unit.learned));
  }
  ForEachInParallel(units.size(), threads, [&](std::size_t u) {
    FunctionNames names(learned);
    const auto& chains = findings[u].functions.chains;
    const bool unoptimized = SaysUnoptimized(*functions_of[u]);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      DwarfLocation& location = locations[units[u].wanted[i]];
      location.function_start = chains[i].begin;
      location.function_size = chains[i].end - chains[i].begin;
      location.unoptimized = unoptimized;
      location.frames =
          MakeFrames(chains[i], std::move(findings[u].positions[i]), *findings[u].lines, names);
    }
  });
  learned_ = std::move(learned);
  return locations;
}

const Unit& DwarfIndex::FunctionsOf(const Unit& unit) {
  const Unit* split = unit.root().split_name.empty() ? nullptr : split_units_.Find(unit);
  return split == nullptr ? unit : *split;
}

std::string DwarfIndex::Problems() const {
  std::vector<std::string> problems = file_->sections().problems();
  if (!file_->headers_complete()) problems.emplace_back("broken unit headers");
  if (!malformed_units_.empty()) {
    problems.push_back(std::to_string(malformed_units_.size()) + " broken units");
  }
  if (split_units_.missing() > 0) {
    problems.push_back(std::to_string(split_units_.missing()) + " .dwo files missing, first " +
                       split_units_.first_missing());
  }
  if (cut_) problems.emplace_back("more inlined calls than could be kept");
  std::string text;
  for (const std::string& problem : problems) {
    if (!text.empty()) text += "; ";
    text += problem;
  }
  return text;
}

}  // namespace prof::symbols
