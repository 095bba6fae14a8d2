// Machine code, line tables and source text of the functions that were sampled: what `prof
// annotate` needs once the program and its sources are gone. By value and independent of epochs, as
// ModuleSymbols is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "prof/model/address.h"
#include "prof/model/module.h"

namespace prof::model {

inline constexpr std::uint32_t kNoFile = ~std::uint32_t{0};

// The code from `address` up to the next row, or to the function's end, belongs to this line.
struct CodeLine {
  FileAddr address;
  std::uint32_t file = kNoFile;  // index into FunctionCode::files
  std::uint32_t line = 0;        // 0: the compiler gave it no line
  friend bool operator==(const CodeLine&, const CodeLine&) = default;
};

// One range of code of an inlined call; a call whose code lies in several ranges is several of
// these.
struct InlinedRange {
  FileAddr begin;
  FileAddr end;             // behind the last byte
  std::uint32_t depth = 1;  // 1: inlined into the function itself, 2: into one at depth 1, ...
  std::string name;         // linkage name of what was inlined, as in SymbolFrame
  std::uint32_t call_file = kNoFile;  // where it is called, in the function one level out
  std::uint32_t call_line = 0;
  friend bool operator==(const InlinedRange&, const InlinedRange&) = default;
};

// What the code refers to by address outside itself: the targets of calls and jumps, and what
// operands relative to the instruction pointer point at.
struct CodeReference {
  FileAddr address;
  std::string name;          // "memcpy@plt", a function or a data object; linkage name
  std::uint64_t offset = 0;  // of the address within it
  friend bool operator==(const CodeReference&, const CodeReference&) = default;
};

// One function of the symbol table: `name`, `start` and the size are those of AddressSymbols, so
// the parts that a compiler splits off ("f.cold") are functions of their own.
struct FunctionCode {
  FileAddr start;
  std::uint64_t size = 0;          // bytes; `code` has fewer where it was cut (kMaxFunctionBytes)
  std::string name;                // linkage name
  std::vector<std::byte> code;     // empty: could not be read, see ModuleCode::detail
  std::vector<std::string> files;  // full source paths as the compiler recorded them
  std::vector<CodeLine> lines;     // ascending by address, the first at or after `start`
  // Ascending by (begin, depth). Ranges of one depth do not overlap; each lies within one of the
  // depth above.
  std::vector<InlinedRange> inlined;
  std::vector<CodeReference> references;  // ascending by address, each once
};

// Longer functions are cut there (the largest interpreters and generated parsers have 0.3 MB).
inline constexpr std::uint64_t kMaxFunctionBytes = 1 << 20;

// The machine that code is for, as an ELF header names it.
struct CodeMachine {
  std::uint16_t number = 0;  // e_machine; 0: unknown
  bool is_64 = true;
  bool big_endian = false;
  friend bool operator==(const CodeMachine&, const CodeMachine&) = default;
};

struct ModuleCode {
  Module module;
  CodeMachine machine;
  std::string detail;  // where code and lines came from, and what could not be read; for people
  std::vector<FunctionCode> functions;  // ascending by start
};

enum class SourceState : std::uint8_t {
  kRead = 0,
  kMissing = 1,
  kUnreadable = 2,        // no permission, not a regular file, too large
  kNewerThanProgram = 3,  // read, but it was changed after the program had been built
};

// Lines first_line, first_line + 1, ... of a source file, without their line ends.
struct SourceLines {
  std::uint32_t first_line = 1;
  std::vector<std::string> text;
};

// A source file as it was when the recording ended.
struct SourceFile {
  std::string path;  // as in FunctionCode::files
  SourceState state = SourceState::kMissing;
  std::uint64_t bytes = 0;        // of the whole file, when it was read
  std::uint32_t checksum = 0;     // CRC32C of the whole file, when it was read
  std::vector<SourceLines> text;  // ascending, not overlapping; empty with --no-embed-source
};

// What the records above cover and what they do not; written after them.
struct CodeSummary {
  std::uint64_t functions = 0;           // with code in the file
  std::uint64_t functions_left_out = 0;  // cold ones
  double left_out_share = 0;  // of all samples, whose innermost frame is in those: 0 to 1
  std::uint64_t functions_without_code = 0;  // hot, but their code could not be read
  bool source_wanted = true;                 // false: --no-embed-source
  std::uint64_t source_bytes = 0;            // of text in the file
  std::uint64_t source_lines_left_out = 0;   // lines with samples that the limit left no room for
};

}  // namespace prof::model
