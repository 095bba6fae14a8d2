// Code, line tables and source text to code blocks; code_replay.h reads them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/schema.h"
#include "store/string_table.h"
#include "store/table.h"

#include "prof/base/byte_writer.h"
#include "prof/model/code.h"

namespace prof::store {

// How much of a function goes into one block: all of it, but for monsters.
struct FunctionFit {
  std::size_t code_bytes = 0;
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t inlined = 0;
  std::size_t references = 0;
  std::size_t rows_left_out = 0;  // of the four tables together
};
[[nodiscard]] FunctionFit FitFunction(const model::FunctionCode& function);

// Several modules and source files share a block, with strings of its own: they do not depend on
// epochs.
class CodeBlockBuilder {
 public:
  // `detail` is stored instead of the module's own.
  void BeginModule(const model::ModuleCode& code, std::string_view detail);
  // Whether a function of the module begun last fits into this block; into an empty one it does.
  [[nodiscard]] bool HasRoomFor(const FunctionFit& fit) const;
  void Add(const model::FunctionCode& function, const FunctionFit& fit);

  void BeginSource(const model::SourceFile& source);
  // A run of lines of the source begun last, and a line of that run.
  void BeginPiece(std::uint32_t first_line);
  void AddLine(std::string_view text);

  [[nodiscard]] bool IsFull(std::size_t block_bytes) const;
  // Appends the payload and forgets everything.
  void Encode(ByteWriter& out);

 private:
  [[nodiscard]] std::size_t LargestTable() const;

  StringInterner strings_;
  TableBuilder modules_{Section::kCodeModules, schema::CodeModules::kSpec};
  TableBuilder functions_{Section::kFunctions, schema::Functions::kSpec};
  TableBuilder files_{Section::kFunctionFiles, schema::FunctionFiles::kSpec};
  TableBuilder lines_{Section::kCodeLines, schema::CodeLines::kSpec};
  TableBuilder inlined_{Section::kInlinedRanges, schema::InlinedRanges::kSpec};
  TableBuilder references_{Section::kReferences, schema::References::kSpec};
  ByteWriter code_;
  TableBuilder sources_{Section::kSourceFiles, schema::SourceFiles::kSpec};
  TableBuilder pieces_{Section::kSourcePieces, schema::SourcePieces::kSpec};
  TableBuilder text_{Section::kSourceLines, schema::SourceText::kSpec};
};

}  // namespace prof::store
