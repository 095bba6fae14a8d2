// Lines and inlined calls of whole functions.
#include "symbols/dwarf/dwarf_code.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "symbols/dwarf/dwarf_index.h"
#include "symbols/dwarf/line_table.h"
#include "symbols/dwarf/parallel.h"
#include "symbols/dwarf/range_walk.h"
#include "symbols/dwarf/unit_finder.h"

namespace prof::symbols {
namespace {

// Of all names together. Real functions have some MB; broken DWARF may give every inlined call a
// name as long as the file.
constexpr std::uint64_t kMaxNameBytes = std::uint64_t{128} << 20;

// A unit's part, before functions have names.
struct UnitCodeFindings {
  UnitRanges ranges;
  std::unique_ptr<LineTable> table;
  std::vector<RowRange> rows;
  LearnedNames learned;
  std::vector<const std::string*> names;  // of ranges.inlined
  std::unique_ptr<FunctionNames> owner;   // of names
};

// The code of all functions, cut where one begins or ends.
std::vector<CodeRange> PiecesOf(std::span<const DwarfFunction> functions) {
  std::vector<std::uint64_t> cuts;
  for (const DwarfFunction& function : functions) {
    cuts.push_back(function.begin);
    cuts.push_back(function.end);
  }
  std::ranges::sort(cuts);
  cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
  std::vector<CodeRange> pieces;
  std::uint64_t end = 0;  // the farthest of those that begin at or before the cut
  auto next = functions.begin();
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    for (; next != functions.end() && next->begin <= cuts[i]; ++next) {
      end = std::max(end, next->end);
    }
    if (end > cuts[i]) pieces.push_back({cuts[i], cuts[i + 1]});
  }
  return pieces;
}

void LearnNames(const UnitRanges& ranges, std::span<const DwarfFunction> functions,
                LearnedNames& learned) {
  for (const CoveredCode& covered : ranges.functions) {
    const auto after =
        std::ranges::upper_bound(functions, covered.begin, {}, &DwarfFunction::begin);
    if (after == functions.begin() || covered.begin >= std::prev(after)->end) continue;
    learned.Learn(covered.entry, std::prev(after)->symbol);
  }
}

UnitCodeFindings ExamineCode(const UnitCode& code, const Unit& functions_of,
                             std::span<const DwarfFunction> functions) {
  UnitCodeFindings findings{.ranges = WalkUnitRanges(functions_of, code.ranges),
                            .table = std::make_unique<LineTable>(*code.unit)};
  findings.rows = findings.table->FindRanges(code.ranges);
  LearnNames(findings.ranges, functions, findings.learned);
  return findings;
}

struct LineAt {
  RowRange range;
  std::uint32_t unit = 0;
};

struct InlinedAt {
  CoveredCode code;
  const std::string* name = nullptr;
  std::uint32_t unit = 0;
};

// One function after the other out of what the units have.
class Assembly {
 public:
  explicit Assembly(const std::vector<UnitCodeFindings>& units) : units_(units) {
    for (std::uint32_t u = 0; u < units.size(); ++u) {
      for (const RowRange& row : units[u].rows) rows_.push_back({row, u});
      for (std::size_t i = 0; i < units[u].names.size(); ++i) {
        inlined_.push_back({units[u].ranges.inlined[i], units[u].names[i], u});
      }
      std::ranges::transform(units[u].ranges.functions, std::back_inserter(functions_),
                             [](const CoveredCode& code) {
                               return CodeRange{code.begin, code.end};
                             });
    }
    std::ranges::sort(rows_, {}, [](const LineAt& line) { return line.range.begin; });
    std::ranges::sort(inlined_, {}, [](const InlinedAt& inlined) {
      return std::tuple(inlined.code.begin, inlined.code.depth);
    });
    std::ranges::sort(functions_, {}, &CodeRange::begin);
  }

  DwarfCode Make(const DwarfFunction& function) {
    DwarfCode code;
    by_index_.clear();
    by_path_.clear();
    AddLines(function, code);
    AddInlined(function, code);
    return code;
  }

  [[nodiscard]] bool cut() const { return name_bytes_ > kMaxNameBytes; }

 private:
  void AddLines(const DwarfFunction& function, DwarfCode& code) {
    auto row = std::ranges::upper_bound(rows_, function.begin, {},
                                        [](const LineAt& line) { return line.range.end; });
    std::uint64_t end = function.begin;
    for (; row != rows_.end() && row->range.begin < function.end; ++row) {
      const std::uint64_t begin = std::max(row->range.begin, function.begin);
      if (begin > end) AddLine({{end}, model::kNoFile, 0}, code);
      const LineRow& at = row->range.row;
      // Without a line, the file is worth something only where there is a function to be in.
      const bool known = at.line != 0 || IsInFunction(begin);
      AddLine({{begin}, known ? FileOf(row->unit, at.file, code) : model::kNoFile, at.line}, code);
      end = row->range.end;
    }
    if (end < function.end) AddLine({{end}, model::kNoFile, 0}, code);
  }

  static void AddLine(const model::CodeLine& line, DwarfCode& code) {
    const bool first = code.lines.empty();
    if (first && line.file == model::kNoFile && line.line == 0) return;
    if (!first && code.lines.back().file == line.file && code.lines.back().line == line.line) {
      return;
    }
    code.lines.push_back(line);
  }

  void AddInlined(const DwarfFunction& function, DwarfCode& code) {
    auto at = std::ranges::lower_bound(inlined_, function.begin, {},
                                       [](const InlinedAt& inlined) { return inlined.code.begin; });
    for (; at != inlined_.end() && at->code.begin < function.end; ++at) {
      name_bytes_ += at->name->size();
      if (cut()) return;
      const LineRow call = CallPosition(at->code.entry);
      code.inlined.push_back({.begin = {at->code.begin},
                              .end = {at->code.end},
                              .depth = at->code.depth,
                              .name = *at->name,
                              .call_file = FileOf(at->unit, call.file, code),
                              .call_line = call.line});
    }
  }

  [[nodiscard]] bool IsInFunction(std::uint64_t address) const {
    const auto next = std::ranges::upper_bound(functions_, address, {}, &CodeRange::begin);
    return next != functions_.begin() && address < std::prev(next)->end;
  }

  std::uint32_t FileOf(std::uint32_t unit, std::uint64_t file, DwarfCode& code) {
    const auto [slot, fresh] = by_index_.try_emplace(std::pair(unit, file), model::kNoFile);
    if (!fresh) return slot->second;
    std::string path = cut() ? std::string() : units_[unit].table->FileName(file);
    if (path.empty()) return model::kNoFile;
    const auto [known, added] =
        by_path_.try_emplace(path, static_cast<std::uint32_t>(code.files.size()));
    if (added) {
      name_bytes_ += path.size();
      code.files.push_back(std::move(path));
    }
    return slot->second = known->second;
  }

  const std::vector<UnitCodeFindings>& units_;
  std::vector<LineAt> rows_;
  std::vector<InlinedAt> inlined_;
  std::vector<CodeRange> functions_;
  // Of the function in work.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> by_index_;
  std::unordered_map<std::string, std::uint32_t> by_path_;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace

std::vector<DwarfCode> DwarfIndex::ReadFunctions(std::span<const DwarfFunction> functions) {
  const std::vector<UnitCode> units = FindUnitsOfRanges(*file_, PiecesOf(functions));
  std::vector<const Unit*> functions_of;
  std::uint64_t bytes = 0;
  for (const UnitCode& unit : units) {
    functions_of.push_back(&FunctionsOf(*unit.unit));
    bytes += unit.unit->header().end - unit.unit->header().offset;
  }
  const std::size_t threads = ThreadsForDwarf(bytes);
  std::vector<UnitCodeFindings> findings(units.size());
  ForEachInParallel(units.size(), threads, [&](std::size_t i) {
    findings[i] = ExamineCode(units[i], *functions_of[i], functions);
  });
  LearnedNames learned = learned_;
  for (std::size_t i = 0; i < units.size(); ++i) {
    UnitCodeFindings& unit = findings[i];
    if (unit.ranges.malformed || unit.table->malformed()) malformed_units_.insert(units[i].unit);
    learned.Merge(std::move(unit.learned));
  }
  ForEachInParallel(units.size(), threads, [&](std::size_t u) {
    findings[u].owner = std::make_unique<FunctionNames>(learned);
    for (const CoveredCode& inlined : findings[u].ranges.inlined) {
      findings[u].names.push_back(&findings[u].owner->Of(inlined.entry));
    }
  });
  Assembly assembly(findings);
  std::vector<DwarfCode> code;
  code.reserve(functions.size());
  for (const DwarfFunction& function : functions) code.push_back(assembly.Make(function));
  cut_ = cut_ || assembly.cut();
  return code;
}

}  // namespace prof::symbols
