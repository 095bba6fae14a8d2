// Puts two annotations side by side.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/annotate/amounts.h"
#include "analysis/annotate/code_blocks.h"
#include "analysis/annotate/code_identity.h"
#include "analysis/annotate/source_alignment.h"

#include "prof/analysis/annotate_compare.h"

namespace prof::analysis {
namespace {

using Columns = std::vector<std::size_t>;  // of one side, in their order after

void Select(Amounts& amounts, const Columns& columns) {
  Amounts selected;
  for (const std::size_t column : columns) selected.push_back(amounts[column]);
  amounts = std::move(selected);
}

void SelectLine(AnnotatedLine& line, const Columns& columns) {
  Select(line.self, columns);
  Select(line.inlined, columns);
  Select(line.children, columns);
  for (AnnotatedLine::Inlined& callee : line.callees) Select(callee.self, columns);
  std::erase_if(line.callees, [](const auto& callee) { return IsZero(callee.self); });
}

void SelectCopy(CodeCopy& copy, const Columns& columns) {
  Select(copy.self, columns);
  Select(copy.outside, columns);
  for (AnnotatedInstruction& instruction : copy.instructions) Select(instruction.self, columns);
  copy.hot = HottestBlock(copy.instructions, Amounts(columns.size()));
}

// Leaves the columns, and what has samples in them.
void SelectColumns(AnnotatedFunction& function, const Columns& columns) {
  std::vector<AnnotatedEvent> events;
  for (const std::size_t column : columns) events.push_back(function.events[column]);
  function.events = std::move(events);
  Select(function.self, columns);
  Select(function.children, columns);
  for (AnnotatedLine& line : function.lines) SelectLine(line, columns);
  std::erase_if(function.lines, [](const AnnotatedLine& line) { return IsZero(line.children); });
  for (CodeCopy& copy : function.copies) SelectCopy(copy, columns);
  std::erase_if(function.copies, [](const CodeCopy& copy) { return IsZero(copy.self); });
  const auto hotter = [](const auto& a, const auto& b) {
    return CompareAmounts(a.self, b.self) > 0;
  };
  for (AnnotatedLine& line : function.lines) std::ranges::sort(line.callees, hotter);
  std::ranges::sort(function.copies, hotter);
}

class Comparer {
 public:
  Comparer(AnnotatedFunction before, AnnotatedFunction after) {
    result_.before = std::move(before);
    result_.after = std::move(after);
  }

  Result<AnnotateComparison> Run() {
    PROF_TRY(MatchEvents());
    AlignedSources sources = AlignSources(result_.before, result_.after);
    result_.lines = std::move(sources.lines);
    if (sources.by_number) {
      Note("without source text on both sides, lines are compared by number");
    }
    MatchCopies();
    return std::move(result_);
  }

 private:
  void Note(std::string text) { result_.notes.push_back(std::move(text)); }

  Status MatchEvents() {
    Columns before;
    Columns after;
    auto& old_events = result_.before.events;
    for (std::size_t i = 0; i < result_.after.events.size(); ++i) {
      const std::string& name = result_.after.events[i].desc.name;
      const auto found = std::ranges::find(
          old_events, name, [](const AnnotatedEvent& event) { return event.desc.name; });
      if (found == old_events.end()) {
        Note(fmt::format("'{}' was recorded after only: left out", name));
        continue;
      }
      const auto column = static_cast<std::size_t>(found - old_events.begin());
      if (std::ranges::find(before, column) != before.end()) continue;
      before.push_back(column);
      after.push_back(i);
    }
    for (std::size_t i = 0; i < old_events.size(); ++i) {
      if (std::ranges::find(before, i) != before.end()) continue;
      Note(fmt::format("'{}' was recorded before only: left out", old_events[i].desc.name));
    }
    if (before.empty()) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("the recordings of {} have no event in common: {} before, {} after",
                      result_.after.name, EventNames(result_.before), EventNames(result_.after)),
          "record both with the same -e");
    }
    SelectColumns(result_.before, before);
    SelectColumns(result_.after, after);
    return {};
  }

  static std::string EventNames(const AnnotatedFunction& function) {
    std::string names;
    for (const AnnotatedEvent& event : function.events) {
      names += (names.empty() ? "" : ", ") + event.desc.name;
    }
    return names.empty() ? "none" : names;
  }

  // Copies by their name; of several with one name, those with the same code.
  static bool HasInstructions(const std::vector<CodeCopy>& copies) {
    return std::ranges::any_of(copies,
                               [](const CodeCopy& copy) { return !copy.instructions.empty(); });
  }

  void MatchCopies() {
    const auto& before = result_.before.copies;
    const auto& after = result_.after.copies;
    std::vector<bool> taken(before.size());
    bool differs = false;
    for (std::uint32_t j = 0; j < after.size(); ++j) {
      bool named = false;
      bool same = false;
      for (std::uint32_t i = 0; i < before.size() && !same; ++i) {
        if (taken[i] || before[i].linkage_name != after[j].linkage_name ||
            before[i].inlined != after[j].inlined) {
          continue;
        }
        named = named || (!before[i].instructions.empty() && !after[j].instructions.empty());
        same = IsSameCode(before[i], after[j]);
        if (!same) continue;
        taken[i] = true;
        result_.identical.push_back({.before = i, .after = j});
      }
      differs = differs || (named && !same);
    }
    if (differs) {
      Note(result_.identical.empty()
               ? "the code differs: compared by source line only"
               : "the code of some copies differs: those are compared by source line only");
    } else if (result_.identical.empty() && HasInstructions(before) && HasInstructions(after)) {
      Note("no code that both sides have: compared by source line only");
    }
  }

  AnnotateComparison result_;
};

}  // namespace

Result<AnnotateComparison> CompareAnnotations(AnnotatedFunction before, AnnotatedFunction after) {
  return Comparer(std::move(before), std::move(after)).Run();
}

}  // namespace prof::analysis
