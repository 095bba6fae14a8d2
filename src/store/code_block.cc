// Writes code blocks.
#include "store/code_block.h"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace prof::store {
namespace {

using schema::CodeLines;
using schema::CodeModules;
using schema::FunctionFiles;
using schema::Functions;
using schema::InlinedRanges;
using schema::References;
using schema::SourceFiles;
using schema::SourcePieces;
using schema::SourceText;

constexpr std::size_t kRowEstimate = 6;

// How many of `items` fit into a table and into `text_budget`, which shrinks by their texts.
template <class T, class TextOf>
std::size_t CountFitting(const std::vector<T>& items, TextOf text_of, std::size_t& text_budget) {
  std::size_t count = 0;
  while (count < items.size() && count < kMaxRows) {
    const std::size_t bytes = CutText(text_of(items[count])).size();
    if (bytes > text_budget) break;
    text_budget -= bytes;
    ++count;
  }
  return count;
}

}  // namespace

FunctionFit FitFunction(const model::FunctionCode& function) {
  FunctionFit fit;
  fit.code_bytes =
      std::min({function.code.size(), model::kMaxFunctionBytes, std::size_t{function.size}});
  std::size_t text_budget = kMaxFunctionTextBytes - CutText(function.name).size();
  const auto itself = [](const std::string& text) { return std::string_view(text); };
  const auto name_of = [](const auto& item) { return std::string_view(item.name); };
  fit.files = CountFitting(function.files, itself, text_budget);
  fit.lines = std::min(function.lines.size(), kMaxRows);
  fit.inlined = CountFitting(function.inlined, name_of, text_budget);
  fit.references = CountFitting(function.references, name_of, text_budget);
  fit.rows_left_out = function.files.size() - fit.files + function.lines.size() - fit.lines +
                      function.inlined.size() - fit.inlined + function.references.size() -
                      fit.references;
  return fit;
}

void CodeBlockBuilder::BeginModule(const model::ModuleCode& code, std::string_view detail) {
  const model::Module& module = code.module;
  const auto build_id = module.build_id.bytes();
  const std::string_view build_id_text(reinterpret_cast<const char*>(build_id.data()),
                                       build_id.size());
  modules_.Add<CodeModules::kCount>(
      {static_cast<std::uint64_t>(module.kind), strings_.Id(module.path),
       strings_.Id(build_id_text), module.pid, module.replaced, code.machine.number,
       code.machine.is_64, code.machine.big_endian, strings_.Id(detail), 0});
}

bool CodeBlockBuilder::HasRoomFor(const FunctionFit& fit) const {
  return files_.rows() + fit.files <= kMaxRows && lines_.rows() + fit.lines <= kMaxRows &&
         inlined_.rows() + fit.inlined <= kMaxRows &&
         references_.rows() + fit.references <= kMaxRows;
}

void CodeBlockBuilder::Add(const model::FunctionCode& function, const FunctionFit& fit) {
  modules_.IncrementLast(CodeModules::kFunctions);
  functions_.Add<Functions::kCount>({function.start.value, function.size,
                                     strings_.Id(function.name), fit.code_bytes, fit.files,
                                     fit.lines, fit.inlined, fit.references});
  code_.Bytes(std::span(function.code).first(fit.code_bytes));
  for (const std::string& file : std::span(function.files).first(fit.files)) {
    files_.Add<FunctionFiles::kCount>({strings_.Id(file)});
  }
  for (const model::CodeLine& line : std::span(function.lines).first(fit.lines)) {
    // Code behind the last row that fits must not count to that row's line.
    const bool last = lines_.rows() + 1 == kMaxRows && fit.lines < function.lines.size();
    const bool known = line.file < fit.files && !last;
    lines_.Add<CodeLines::kCount>(
        {line.address.value, known ? line.file : model::kNoFile, last ? 0 : line.line});
  }
  for (const model::InlinedRange& range : std::span(function.inlined).first(fit.inlined)) {
    inlined_.Add<InlinedRanges::kCount>(
        {range.begin.value, range.end.value, range.depth, strings_.Id(range.name),
         range.call_file < fit.files ? range.call_file : model::kNoFile, range.call_line});
  }
  for (const model::CodeReference& to : std::span(function.references).first(fit.references)) {
    references_.Add<References::kCount>({strings_.Id(to.name), to.offset, to.address.value});
  }
}

void CodeBlockBuilder::BeginSource(const model::SourceFile& source) {
  sources_.Add<SourceFiles::kCount>({strings_.Id(source.path),
                                     static_cast<std::uint64_t>(source.state), source.bytes,
                                     source.checksum, 0});
}

void CodeBlockBuilder::BeginPiece(std::uint32_t first_line) {
  sources_.IncrementLast(SourceFiles::kPieces);
  pieces_.Add<SourcePieces::kCount>({first_line, 0});
}

void CodeBlockBuilder::AddLine(std::string_view text) {
  pieces_.IncrementLast(SourcePieces::kLines);
  text_.Add<SourceText::kCount>({strings_.Id(text)});
}

std::size_t CodeBlockBuilder::LargestTable() const {
  return std::max({modules_.rows(), functions_.rows(), files_.rows(), lines_.rows(),
                   inlined_.rows(), references_.rows(), sources_.rows(), pieces_.rows(),
                   text_.rows()});
}

bool CodeBlockBuilder::IsFull(std::size_t block_bytes) const {
  const std::size_t rows = modules_.rows() + functions_.rows() + files_.rows() + lines_.rows() +
                           inlined_.rows() + references_.rows() + sources_.rows() + pieces_.rows() +
                           text_.rows();
  return code_.size() + strings_.pending_bytes() + rows * kRowEstimate >= block_bytes ||
         LargestTable() >= kMaxRows || strings_.HasMuchText();
}

void CodeBlockBuilder::Encode(ByteWriter& out) {
  strings_.EncodePending(out);
  for (TableBuilder* table : {&modules_, &functions_, &files_, &lines_, &inlined_, &references_}) {
    table->Encode(out);
    table->Clear();
  }
  if (code_.size() > 0) WriteSection(Section::kCodeBytes, code_.bytes(), out);
  code_.Clear();
  for (TableBuilder* table : {&sources_, &pieces_, &text_}) {
    table->Encode(out);
    table->Clear();
  }
  strings_.Clear();
}

}  // namespace prof::store
