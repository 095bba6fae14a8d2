// Puts an annotation together: lines, copies, instructions, sources, notes.
#include "prof/analysis/annotate.h"

#include <algorithm>

#include "analysis/annotate/amounts.h"
#include "analysis/annotate/annotation_notes.h"
#include "analysis/annotate/instruction_list.h"
#include "analysis/annotate/skid_text.h"
#include "analysis/annotate/stack_presence.h"

namespace prof::analysis {
namespace {

class Annotator {
 public:
  Annotator(const Profile& profile, const FunctionMatch& match, const AnnotateOptions& options,
            const ScopedSamples& samples)
      : profile_(profile),
        options_(options),
        samples_(samples),
        functions_(profile, match),
        sources_(profile),
        names_(profile, options.scope.names),
        lookup_(profile, options.missing_code),
        lines_(profile, samples, functions_, sources_, names_) {
    result_.name = match.name;
    result_.module = match.module;
  }

  AnnotatedFunction Run() {
    AddEvents();
    lines_.Build();
    auto plans = ListCopies(profile_, samples_, functions_, lookup_, lines_.hits(), names_);
    const std::uint32_t first_file = FirstFile(plans);
    const std::vector<FoundCode> found = AddCopies(plans);
    result_.lines = lines_.Take(first_file);
    result_.sources = sources_.Build();
    AddTotals();
    result_.notes = MakeNotes(profile_, samples_, result_, found, lookup_);
    return std::move(result_);
  }

 private:
  void AddEvents() {
    for (std::size_t i = 0; i < samples_.events().size(); ++i) {
      const model::EventId event = samples_.events()[i];
      const model::EventDesc& desc = profile_.events()[event];
      result_.events.push_back(
          {.event = event, .desc = desc, .total = samples_.total()[i], .skid = SkidText(desc)});
    }
  }

  // The file that the function begins in; without a line table, that of its hottest code.
  std::uint32_t FirstFile(const std::vector<CopyPlan>& plans) {
    for (const CopyPlan& plan : plans) {
      if (plan.copy.inlined) continue;
      const model::FunctionCode* code = lookup_.StartingAt(plan.copy.module, plan.copy.start);
      if (code == nullptr) continue;
      CodeChains chains(*code);
      chains.MoveTo(code->start);
      const ChainStep& first = chains.chain().back();
      if (first.line != 0) return sources_.Of(code->files[first.file]);
    }
    std::uint32_t file = model::kNoFile;
    Amounts most = samples_.Zero();
    for (const SelfHit& hit : lines_.hits()) {
      const CodeLocation& location = profile_.Locations(hit.node)[hit.level];
      const Amounts& self = samples_.Self(hit.frame);
      if (location.line == 0 || CompareAmounts(self, most) <= 0) continue;
      file = sources_.Of(location.file);
      most = self;
    }
    return file;
  }

  std::vector<FoundCode> AddCopies(std::vector<CopyPlan>& plans) {
    InstructionList instructions(profile_, samples_, functions_, lookup_, sources_, lines_,
                                 options_);
    std::vector<FoundCode> found;
    for (CopyPlan& plan : plans) {
      found.push_back(instructions.Fill(plan));
      result_.copies.push_back(std::move(plan.copy));
    }
    return found;
  }

  void AddTotals() {
    result_.self = samples_.Zero();
    for (const AnnotatedLine& line : result_.lines) AddTo(result_.self, line.self);
    FrameKeys keys;
    constexpr std::uint32_t kOnlyKey = 0;
    for (std::uint32_t frame = 0; frame < profile_.frames().size(); ++frame) {
      const NodeIndex node = samples_.NodeOf(frame);
      const bool has = node != kNoIndex && functions_.Level(profile_.Locations(node)).has_value();
      keys.Append(std::span(&kOnlyKey, has ? 1 : 0));
    }
    result_.children = CountOnStacks(profile_, samples_, keys, 1).front();
  }

  const Profile& profile_;
  const AnnotateOptions& options_;
  const ScopedSamples& samples_;
  AnnotatedFunctions functions_;
  SourceTable sources_;
  FunctionNames names_;
  CodeLookup lookup_;
  LineTable lines_;
  AnnotatedFunction result_;
};

}  // namespace

Result<AnnotatedFunction> Annotate(const Profile& profile, const FunctionMatch& match,
                                   const AnnotateOptions& options) {
  PROF_TRY_ASSIGN(const ScopedSamples samples, ScopedSamples::Collect(profile, options.scope));
  return Annotator(profile, match, options, samples).Run();
}

}  // namespace prof::analysis
