// Disassembles the copies of the annotated function and gives each instruction its samples, place
// in the source, and names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "analysis/annotate/code_chains.h"
#include "analysis/annotate/copy_list.h"
#include "analysis/annotate/target_names.h"

namespace prof::analysis {

class InstructionList {
 public:
  // More code than this of one annotation is not disassembled: it takes a second already.
  static constexpr std::uint64_t kMaxBytes = 16 << 20;

  // Borrows all.
  InstructionList(const Profile& profile, const ScopedSamples& samples,
                  AnnotatedFunctions& functions, const CodeLookup& lookup, SourceTable& sources,
                  LineTable& lines, const AnnotateOptions& options)
      : profile_(profile),
        samples_(samples),
        functions_(functions),
        lookup_(lookup),
        sources_(sources),
        lines_(lines),
        options_(options),
        texts_(options.scope.names),
        targets_(profile, samples, lookup, texts_) {}

  // Fills instructions, positions, hot, outside and origin. Without code or disassembler all
  // samples are outside. `code` is what was found, for notes.
  FoundCode Fill(CopyPlan& plan);

 private:
  using Decoded = std::vector<disasm::Instruction>;
  using PositionKey = std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>>;

  Result<Decoded> Decode(const FoundCode& found);
  Result<disasm::Disassembler*> DisassemblerFor(model::CodeMachine machine);
  void Place(const CopyPlan& plan, const model::FunctionCode& code, const Decoded& decoded);
  void Count(CopyPlan& plan, const Decoded& decoded);
  void Keep(CodeCopy& copy, const model::FunctionCode& code, Decoded& decoded);
  void Link(CodeCopy& copy, const model::FunctionCode& code);
  std::uint32_t PositionOf(const CopyPlan& plan, const model::FunctionCode& code,
                           std::span<const ChainStep> chain);
  std::uint32_t Intern(Position position);

  const Profile& profile_;
  const ScopedSamples& samples_;
  AnnotatedFunctions& functions_;
  const CodeLookup& lookup_;
  SourceTable& sources_;
  LineTable& lines_;
  const AnnotateOptions& options_;
  LinkageTexts texts_;
  TargetNames targets_;
  struct Tool {
    model::CodeMachine machine;
    Result<std::unique_ptr<disasm::Disassembler>> disassembler;
  };
  std::vector<Tool> tools_;
  std::uint64_t decoded_bytes_ = 0;
  // Of the copy being filled.
  std::map<PositionKey, std::uint32_t> interned_;
  std::vector<Position> positions_;
  std::vector<std::uint32_t> place_;  // by decoded instruction, into positions_; kNoIndex: not ours
  std::vector<Amounts> self_;         // by decoded instruction
};

}  // namespace prof::analysis
