// Compares what an annotation has with what it could have.
#include "analysis/annotate/annotation_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/annotate/amounts.h"
#include "analysis/function_text.h"

namespace prof::analysis {
namespace {

bool IsOfSystem(const std::string& path) {
  return path.starts_with("/usr/lib") || path.starts_with("/lib") || path.starts_with("/usr/bin") ||
         path.starts_with("/bin/") || path.starts_with("/sbin/") || path.starts_with("/usr/sbin");
}

std::string LineHint(const model::Module& module) {
  switch (module.kind) {
    case model::ModuleKind::kKernel:
    case model::ModuleKind::kKernelModule:
      return "install the kernel's debug package (linux-image-...-dbg, kernel-debuginfo)";
    case model::ModuleKind::kVdso:
      return "the kernel's debug package has them";
    case model::ModuleKind::kJit:
      return "the runtime must write them into a jitdump file";
    case model::ModuleKind::kElf:
    case model::ModuleKind::kUnknown:
      break;
  }
  return IsOfSystem(module.path)
             ? "install its debug package (-dbgsym, -dbg, -debuginfo) or set DEBUGINFOD_URLS"
             : "build it with -g";
}

class NoteMaker {
 public:
  NoteMaker(const Profile& profile, const ScopedSamples& samples, const AnnotatedFunction& function,
            const std::vector<FoundCode>& found, const CodeLookup& lookup)
      : profile_(profile), samples_(samples), function_(function), found_(found), lookup_(lookup) {}

  std::vector<std::string> Run() {
    if (IsZero(function_.self) && !IsZero(function_.children)) {
      Note(fmt::format("no sample is in {} itself: its lines show what they called",
                       function_.name));
    }
    AddLineNotes();
    AddCodeNotes();
    AddSourceNotes();
    return std::move(notes_);
  }

 private:
  void Note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
  }

  bool HasLines(ModuleIndex module) const {
    const auto has_line = [](const CodeLocation& location) { return location.line != 0; };
    for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
      const NodeIndex node = samples_.NodeOf(frame);
      if (node != kNoIndex && profile_.frames()[frame].module == module &&
          std::ranges::any_of(profile_.Locations(node), has_line)) {
        return true;
      }
    }
    const model::ModuleCode* code = lookup_.OfModule(module);
    return code != nullptr && std::ranges::any_of(code->functions, [](const auto& function) {
             return std::ranges::any_of(function.lines,
                                        [](const model::CodeLine& row) { return row.line != 0; });
           });
  }

  void AddLineNotes() {
    const auto unknown = std::ranges::find(function_.lines, model::kNoFile, &AnnotatedLine::file);
    if (unknown == function_.lines.end()) return;
    std::set<ModuleIndex> modules;
    for (const CodeCopy& copy : function_.copies) modules.insert(copy.module);
    for (const ModuleIndex module : modules) {
      if (module >= profile_.modules().size() || HasLines(module)) continue;
      const ModuleState& state = profile_.modules()[module];
      const bool named = state.status != model::SymbolStatus::kNoSymbols;
      Note(fmt::format("no {}line information in {}: {}", named ? "" : "symbols and no ",
                       state.module.ShortName(), LineHint(state.module)));
    }
  }

  void AddCodeNotes() {
    for (std::size_t i = 0; i < function_.copies.size(); ++i) {
      const CodeCopy& copy = function_.copies[i];
      const model::FunctionCode* code = i < found_.size() ? found_[i].function : nullptr;
      if (code != nullptr && code->code.size() < copy.size) {
        Note(fmt::format("only the first {} of {}'s {} bytes of code are known", code->code.size(),
                         copy.name, copy.size));
      }
      if (!copy.instructions.empty() && !IsZero(copy.outside)) {
        std::uint64_t count = 0;
        for (const Amount& amount : copy.outside) count += amount.samples;
        Note(fmt::format("outside of the known instructions of {}: {} of its samples", copy.name,
                         count));
      }
    }
    AddColdNote();
  }

  void AddColdNote() {
    const auto& summary = profile_.code_summary();
    const bool lacks = std::ranges::any_of(found_, [](const FoundCode& found) {
      return found.function == nullptr && !found.origin.empty();
    });
    if (!lacks || !summary || summary->functions_left_out == 0) return;
    Note(fmt::format("the recording has no code of {} cold functions ({:.2g} % of all samples)",
                     summary->functions_left_out, summary->left_out_share * 100));
  }

  void AddSourceNotes() {
    const bool has_lines = std::ranges::any_of(
        function_.lines, [](const AnnotatedLine& line) { return line.file != model::kNoFile; });
    const auto& summary = profile_.code_summary();
    if (has_lines && summary && !summary->source_wanted) {
      Note("recorded with --no-embed-source: source text can only come from files as they are now");
    }
    const bool left_out = summary && summary->source_lines_left_out > 0 &&
                          std::ranges::any_of(function_.lines, [&](const AnnotatedLine& line) {
                            return IsRecordedWithout(line);
                          });
    if (left_out) {
      Note(fmt::format("the recording had no room for the text of {} lines with samples",
                       summary->source_lines_left_out));
    }
  }

  bool IsRecordedWithout(const AnnotatedLine& line) const {
    if (line.file == model::kNoFile) return false;
    const AnnotatedSource& source = function_.sources[line.file];
    return source.bytes != 0 && source.Line(line.line) == nullptr;
  }

  const Profile& profile_;
  const ScopedSamples& samples_;
  const AnnotatedFunction& function_;
  const std::vector<FoundCode>& found_;
  const CodeLookup& lookup_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> MakeNotes(const Profile& profile, const ScopedSamples& samples,
                                   const AnnotatedFunction& function,
                                   const std::vector<FoundCode>& found, const CodeLookup& lookup) {
  return NoteMaker(profile, samples, function, found, lookup).Run();
}

}  // namespace prof::analysis
