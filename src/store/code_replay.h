// Code blocks back to records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "store/string_table.h"
#include "store/symbol_block.h"
#include "store/table.h"

#include "prof/model/code.h"
#include "prof/model/record_sink.h"

namespace prof::store {

// Decodes a whole block before anything is delivered. What it delivers keeps the promises of
// prof/model/code.h: order, ranges inside their function and each other, indexes of files.
class CodeBlock {
 public:
  DecodeOutcome Decode(std::span<const std::byte> payload);
  // Pushes every module, then every source file; `*dropped` grows by the rows that break a promise
  // or refer to strings that are not there.
  Status Replay(model::RecordSink& sink, std::uint64_t* dropped);

 private:
  // The next row of each table; a function's rows follow those of the function before.
  struct Cursor {
    std::size_t function = 0;
    std::size_t file = 0;
    std::size_t line = 0;
    std::size_t inlined = 0;
    std::size_t reference = 0;
    std::size_t code = 0;  // byte
  };
  [[nodiscard]] bool HasConsistentCounts() const;
  void PassFunction(Cursor& at) const;
  bool ReadModuleCode(std::size_t row, Cursor& at, model::ModuleCode* out, std::uint64_t* dropped);
  bool ReadFunction(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped);
  void ReadLines(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped) const;
  void ReadInlined(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped);
  void ReadReferences(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped);
  Status ReplaySources(model::RecordSink& sink, std::uint64_t* dropped);
  void ReadPiece(std::size_t row, std::size_t first_text, model::SourceFile* out,
                 std::uint64_t* dropped);

  StringList strings_;
  Table modules_;
  Table functions_;
  Table files_;
  Table lines_;
  Table inlined_;
  Table references_;
  std::span<const std::byte> code_;  // of the payload
  Table sources_;
  Table pieces_;
  Table text_;
};

}  // namespace prof::store
