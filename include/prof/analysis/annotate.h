// One function, line by line and instruction by instruction: what `prof annotate` shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"
#include "prof/base/result.h"
#include "prof/disasm/disassembler.h"
#include "prof/model/code.h"

namespace prof::analysis {

// Of one event. Vectors of it are parallel to AnnotateScope::events.
struct Amount {
  std::uint64_t weight = 0;  // in units of the event: what perf calls the period
  std::uint64_t samples = 0;
  friend bool operator==(const Amount&, const Amount&) = default;
};
using Amounts = std::vector<Amount>;

// Which samples count: those that the filter's comms, pids, tids, cpus and times let pass. Its dsos
// say which modules' functions a query may mean, and drop no sample; symbols and symbol_contains
// are not looked at.
struct AnnotateScope {
  SampleFilter filter;
  // Columns, in this order; empty: all events that have samples, whether or not the filter leaves
  // any of them (all events where none has).
  std::vector<model::EventId> events;
  NameStyle names = NameStyle::kPlain;
};

// A function that a query may mean. One function of the source may be compiled several times
// (clones, parts split off, inlined into others): `self` is of all of them together. Overloads are
// functions of their own.
//   self      samples whose innermost machine code belongs to it: its own, and what was inlined
//             into it
//   children  samples with it anywhere on the stack, each once
struct FunctionMatch {
  std::string name;                      // display name without clone suffix (".cold", ".isra.0")
  std::string module;                    // as the "Shared Object" column shows it
  std::vector<FunctionIndex> functions;  // all copies: the same name but for suffixes, one module
  Amounts self;
  Amounts children;
  bool only_inlined = false;  // it has no machine code of its own with samples
};

struct FunctionChoice {
  std::vector<model::EventId> events;  // the columns of all amounts
  std::vector<FunctionMatch> matches;  // by self of the first event, then children; descending
  std::vector<FunctionMatch> nearest;  // when nothing matches: what may have been meant, at most 5
  Amounts total;                       // of all samples in scope
  // For the query "": samples in code without a name, and the module that has most of them. They
  // may be more than what matches.
  Amounts unnamed;
  std::string unnamed_module;
  // The query was "file:line": the line that was asked for, in the file whose path ends so.
  std::optional<std::uint32_t> line;
  std::string file;
};

// `query` is the first of these that matches a function with samples in scope:
//   ""              the hottest function by self that has machine code of its own; one with a name,
//                   if any has
//   a display name  with or without parameter list; then the same behind namespaces or classes;
//   then
//                   without template arguments (all instances in a module are one match then)
//   a linkage name  with or without clone suffix
//   "file:line"     a path, or the end of one from a '/' on: functions with code of that line, then
//                   functions with code before and behind it
//   an expression   searched in display names with and without parameter lists
// kUsage for a bad expression, and for an event that the profile does not have.
Result<FunctionChoice> ChooseFunctions(const Profile& profile, const std::string& query,
                                       const AnnotateScope& scope);

// Where an instruction comes from, from the inside out: the innermost position, then the calls it
// was inlined through, up to the function that is annotated.
struct InlineStep {
  std::string name;                     // display name of the function the position is in
  std::uint32_t file = model::kNoFile;  // into AnnotatedFunction::sources
  std::uint32_t line = 0;
  friend bool operator==(const InlineStep&, const InlineStep&) = default;
};
using Position =
    std::vector<InlineStep>;  // never empty; the last step is in the annotated function

struct AnnotatedInstruction {
  disasm::Instruction code;  // address, length, text, flow, target
  std::vector<std::byte> bytes;
  std::uint32_t position = 0;  // into CodeCopy::positions
  Amounts self;
  // What the target or the referred address is called: "memcpy@plt", "<+0x40>" within the copy,
  // "table+0x10"; empty: not known.
  std::string target_name;
  std::optional<std::uint32_t> jumps_to;  // index of the instruction in this copy
  bool begins_block = false;              // something jumps here, or the one before never goes on
};

// A run of instructions that is entered at its top and left at its end only; `last` inclusive.
struct CodeBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  Amounts self;
};

// One compiled copy with samples: code of its own, or the part of another function that it was
// inlined into. The copies' self adds up to the function's; that of the instructions and `outside`
// to the copy's.
struct CodeCopy {
  std::string name;  // display name of the machine function, with suffix
  std::string linkage_name;
  ModuleIndex module = kNoIndex;
  bool inlined = false;   // only those instructions of `name` that came from the annotated function
  model::FileAddr start;  // of the machine function `name`
  std::uint64_t size = 0;  // of it, in bytes; 0: not known
  Amounts self;
  std::vector<Position> positions;
  std::vector<AnnotatedInstruction> instructions;  // ascending; with `inlined` there may be gaps
  std::optional<CodeBlock> hot;  // the block with most self of the first event, when any has some
  // Samples whose address is no instruction's beginning are counted to the one around it; those
  // outside every instruction (cut or missing code) are here.
  Amounts outside;
  std::string origin;  // where the code came from, or, without instructions, why there is none
};

struct AnnotatedLine {
  std::uint32_t file = model::kNoFile;  // into AnnotatedFunction::sources; kNoFile: no line known
  std::uint32_t line = 0;
  // Samples whose position's last step is here: code of the line itself and what was inlined
  // through it. The sum over all lines is the function's self, exactly.
  Amounts self;
  Amounts inlined;   // the part of self that was inlined through this line
  Amounts children;  // samples with this line anywhere on the stack, each once
  // What was inlined through the line, one for each way from it to an innermost position; sums up
  // to `inlined`.
  struct Inlined {
    Position position;
    Amounts self;
  };
  std::vector<Inlined> callees;  // by self of the first event, descending
};

struct AnnotatedSource {
  std::string path;  // as recorded
  // From the profile, or put in by the caller (AddSourceText).
  model::SourceState state = model::SourceState::kMissing;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  // of what was recorded; 0 when not known
  std::vector<model::SourceLines> text;
  std::string warning;  // "changed since the recording", "newer than the program"; may be empty
  // The text of a line, or nothing.
  [[nodiscard]] const std::string* Line(std::uint32_t line) const;
};

struct AnnotatedEvent {
  model::EventId event = 0;
  model::EventDesc desc;
  Amount total;  // all samples of the event in scope: 100 % of global percentages
  // How far the addresses can be trusted, one sentence: "a timer: the address is where the
  // interrupt arrived, often after the instruction that took the time".
  std::string skid;
};

struct AnnotatedFunction {
  std::string name;
  std::string module;  // as FunctionMatch::module
  std::vector<AnnotatedEvent> events;
  Amounts self;
  Amounts children;
  std::vector<AnnotatedSource> sources;
  // Those with samples. The file of the function's first line comes first, other files by path, and
  // last what has no line.
  std::vector<AnnotatedLine> lines;
  std::vector<CodeCopy> copies;    // by self of the first event, descending
  std::vector<std::string> notes;  // what is missing and what would help, one sentence each
};

// Machine code for a function whose code is not in the profile, asked once per copy: a ModuleCode
// with that function (as Symbolizer::ReadCode() gives it), valid until Annotate() returns. Null, or
// one without its bytes: there is none; `detail` says why.
// Asked for the hottest 64 copies at most.
using CodeProvider =
    std::function<const model::ModuleCode*(const model::Module& module, model::FileAddr start,
                                           std::uint64_t size, const std::string& linkage_name)>;

struct AnnotateOptions {
  AnnotateScope scope;
  disasm::DisassemblerOptions disassembly;
  bool instructions = true;  // false: lines only, nothing is disassembled
  CodeProvider missing_code;
};

// Everything about one choice. Never fails for what is missing (no code, no lines, no library): the
// result says so in `notes` and CodeCopy::origin.
Result<AnnotatedFunction> Annotate(const Profile& profile, const FunctionMatch& match,
                                   const AnnotateOptions& options);

// Puts `lines` (the whole file) where the source has no text of its own. When `checksum` or `bytes`
// show that the file is not the one that was recorded, text of the recording stays alone; where
// there is none, the file's comes with a warning.
void AddSourceText(AnnotatedSource& source, const std::vector<std::string>& lines,
                   std::uint64_t bytes, std::uint32_t checksum);

}  // namespace prof::analysis
