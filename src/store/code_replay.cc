// Reads code blocks; nothing in them is trusted.
#include "store/code_replay.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "store/schema.h"

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

std::uint32_t U32(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// The rows are at most kMaxRows and their values 32 bits: no overflow.
std::uint64_t Sum(const Table& table, std::size_t column) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) sum += table.At(row, column);
  return sum;
}

bool IsFile(std::uint64_t file, const model::FunctionCode& function) {
  return file == model::kNoFile || file < function.files.size();
}

// Ranges come by (begin, depth): each must lie in the last one of the depth above and behind the
// last one of its own.
class InlineNesting {
 public:
  explicit InlineNesting(const model::FunctionCode& function)
      : levels_{{function.start.value, function.start.value + function.size}} {}

  bool Accepts(std::uint64_t begin, std::uint64_t end, std::uint64_t depth) {
    if (depth == 0 || depth > kMaxInlineFrames || depth > levels_.size()) return false;
    const Extent& outer = levels_[depth - 1];
    if (begin >= end || begin < outer.begin || end > outer.end) return false;
    if (depth < levels_.size() && begin < levels_[depth].end) return false;
    if (begin < last_begin_) return false;
    last_begin_ = begin;
    levels_.resize(depth);
    levels_.push_back({begin, end});
    return true;
  }

 private:
  struct Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::vector<Extent> levels_;  // the function, then the last range of each depth within it
  std::uint64_t last_begin_ = 0;
};

}  // namespace

DecodeOutcome CodeBlock::Decode(std::span<const std::byte> payload) {
  bool unsupported = false;
  SectionList sections;
  strings_.Clear();
  if (!sections.Parse(payload, &unsupported)) return DecodeOutcome::kMalformed;
  struct Part {
    Table* table;
    Section section;
    TableSpec spec;
  };
  for (const Part& part : {Part{&modules_, Section::kCodeModules, CodeModules::kSpec},
                           Part{&functions_, Section::kFunctions, Functions::kSpec},
                           Part{&files_, Section::kFunctionFiles, FunctionFiles::kSpec},
                           Part{&lines_, Section::kCodeLines, CodeLines::kSpec},
                           Part{&inlined_, Section::kInlinedRanges, InlinedRanges::kSpec},
                           Part{&references_, Section::kReferences, References::kSpec},
                           Part{&sources_, Section::kSourceFiles, SourceFiles::kSpec},
                           Part{&pieces_, Section::kSourcePieces, SourcePieces::kSpec},
                           Part{&text_, Section::kSourceLines, SourceText::kSpec}}) {
    if (!sections.ReadTable(part.section, part.spec, *part.table, &unsupported))
      return DecodeOutcome::kMalformed;
  }
  if (unsupported) return DecodeOutcome::kUnsupported;
  code_ = sections.Get(Section::kCodeBytes);
  const bool ok = strings_.Decode(sections.Get(Section::kStrings)) && HasConsistentCounts();
  return ok ? DecodeOutcome::kOk : DecodeOutcome::kMalformed;
}

bool CodeBlock::HasConsistentCounts() const {
  return Sum(modules_, CodeModules::kFunctions) == functions_.rows() &&
         Sum(functions_, Functions::kBytes) == code_.size() &&
         Sum(functions_, Functions::kFiles) == files_.rows() &&
         Sum(functions_, Functions::kLines) == lines_.rows() &&
         Sum(functions_, Functions::kInlined) == inlined_.rows() &&
         Sum(functions_, Functions::kReferences) == references_.rows() &&
         Sum(sources_, SourceFiles::kPieces) == pieces_.rows() &&
         Sum(pieces_, SourcePieces::kLines) == text_.rows();
}

Status CodeBlock::Replay(model::RecordSink& sink, std::uint64_t* dropped) {
  Cursor at;
  for (std::size_t row = 0; row < modules_.rows(); ++row) {
    model::ModuleCode code;
    if (ReadModuleCode(row, at, &code, dropped)) {
      PROF_TRY(sink.Append(model::Record(std::move(code))));
    } else {
      ++*dropped;
    }
  }
  return ReplaySources(sink, dropped);
}

bool CodeBlock::ReadModuleCode(std::size_t row, Cursor& at, model::ModuleCode* out,
                               std::uint64_t* dropped) {
  const std::string* detail = strings_.Find(modules_.At(row, CodeModules::kDetail));
  const bool usable =
      ReadModule(modules_, row, CodeModules::kKind, strings_, &out->module) && detail != nullptr;
  if (usable) out->detail = *detail;
  out->machine.number = static_cast<std::uint16_t>(modules_.At(row, CodeModules::kMachine));
  out->machine.is_64 = modules_.At(row, CodeModules::kIs64) != 0;
  out->machine.big_endian = modules_.At(row, CodeModules::kBigEndian) != 0;
  const std::size_t end = at.function + modules_.At(row, CodeModules::kFunctions);
  while (at.function < end) {
    model::FunctionCode function;
    bool good = usable && ReadFunction(at, &function, dropped);
    if (good && !out->functions.empty()) good = function.start > out->functions.back().start;
    if (good) {
      out->functions.push_back(std::move(function));
    } else {
      ++*dropped;
    }
    PassFunction(at);
  }
  return usable;
}

void CodeBlock::PassFunction(Cursor& at) const {
  at.file += functions_.At(at.function, Functions::kFiles);
  at.line += functions_.At(at.function, Functions::kLines);
  at.inlined += functions_.At(at.function, Functions::kInlined);
  at.reference += functions_.At(at.function, Functions::kReferences);
  at.code += functions_.At(at.function, Functions::kBytes);
  ++at.function;
}

bool CodeBlock::ReadFunction(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped) {
  const std::uint64_t start = functions_.At(at.function, Functions::kStart);
  const std::uint64_t size = functions_.At(at.function, Functions::kSize);
  const std::uint64_t bytes = functions_.At(at.function, Functions::kBytes);
  const std::string* name = strings_.Find(functions_.At(at.function, Functions::kName));
  if (name == nullptr || bytes > size || size > ~std::uint64_t{0} - start) return false;
  out->start = {start};
  out->size = size;
  out->name = *name;
  const auto code = code_.subspan(at.code, bytes);
  out->code.assign(code.begin(), code.end());
  const std::size_t files = functions_.At(at.function, Functions::kFiles);
  for (std::size_t row = at.file; row < at.file + files; ++row) {
    const std::string* path = strings_.Find(files_.At(row, FunctionFiles::kPath));
    // Rows name files by their place in this list.
    out->files.push_back(path == nullptr ? std::string() : *path);
    if (path == nullptr) ++*dropped;
  }
  ReadLines(at, out, dropped);
  ReadInlined(at, out, dropped);
  ReadReferences(at, out, dropped);
  return true;
}

void CodeBlock::ReadLines(const Cursor& at, model::FunctionCode* out,
                          std::uint64_t* dropped) const {
  const std::size_t end = at.line + functions_.At(at.function, Functions::kLines);
  std::uint64_t lowest = out->start.value;
  for (std::size_t row = at.line; row < end; ++row) {
    const std::uint64_t address = lines_.At(row, CodeLines::kAddress);
    const std::uint64_t file = lines_.At(row, CodeLines::kFile);
    if (address < lowest || address - out->start.value >= out->size || !IsFile(file, *out)) {
      ++*dropped;
      continue;
    }
    lowest = address;
    out->lines.push_back({{address}, U32(file), U32(lines_.At(row, CodeLines::kLine))});
  }
}

void CodeBlock::ReadInlined(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped) {
  const std::size_t end = at.inlined + functions_.At(at.function, Functions::kInlined);
  InlineNesting nesting(*out);
  for (std::size_t row = at.inlined; row < end; ++row) {
    const std::uint64_t begin = inlined_.At(row, InlinedRanges::kBegin);
    const std::uint64_t last = inlined_.At(row, InlinedRanges::kEnd);
    const std::uint64_t depth = inlined_.At(row, InlinedRanges::kDepth);
    const std::uint64_t file = inlined_.At(row, InlinedRanges::kCallFile);
    const std::string* name = strings_.Find(inlined_.At(row, InlinedRanges::kName));
    if (name == nullptr || !IsFile(file, *out) || !nesting.Accepts(begin, last, depth)) {
      ++*dropped;
      continue;
    }
    out->inlined.push_back({{begin},
                            {last},
                            U32(depth),
                            *name,
                            U32(file),
                            U32(inlined_.At(row, InlinedRanges::kCallLine))});
  }
}

void CodeBlock::ReadReferences(const Cursor& at, model::FunctionCode* out, std::uint64_t* dropped) {
  const std::size_t end = at.reference + functions_.At(at.function, Functions::kReferences);
  for (std::size_t row = at.reference; row < end; ++row) {
    const model::FileAddr address{references_.At(row, References::kAddress)};
    const std::string* name = strings_.Find(references_.At(row, References::kName));
    const bool ascends = out->references.empty() || address > out->references.back().address;
    if (name == nullptr || !ascends) {
      ++*dropped;
      continue;
    }
    out->references.push_back({address, *name, references_.At(row, References::kOffset)});
  }
}

Status CodeBlock::ReplaySources(model::RecordSink& sink, std::uint64_t* dropped) {
  std::size_t piece = 0;
  std::size_t text = 0;
  for (std::size_t row = 0; row < sources_.rows(); ++row) {
    model::SourceFile source;
    const std::string* path = strings_.Find(sources_.At(row, SourceFiles::kPath));
    if (path != nullptr) source.path = *path;
    source.state = static_cast<model::SourceState>(sources_.At(row, SourceFiles::kState));
    source.bytes = sources_.At(row, SourceFiles::kBytes);
    source.checksum = U32(sources_.At(row, SourceFiles::kChecksum));
    for (std::size_t n = sources_.At(row, SourceFiles::kPieces); n > 0; --n, ++piece) {
      if (path != nullptr) ReadPiece(piece, text, &source, dropped);
      text += pieces_.At(piece, SourcePieces::kLines);
    }
    if (path == nullptr) {
      ++*dropped;
      continue;
    }
    PROF_TRY(sink.Append(model::Record(std::move(source))));
  }
  return {};
}

void CodeBlock::ReadPiece(std::size_t row, std::size_t first_text, model::SourceFile* out,
                          std::uint64_t* dropped) {
  const std::uint64_t first = pieces_.At(row, SourcePieces::kFirstLine);
  const std::uint64_t lines = pieces_.At(row, SourcePieces::kLines);
  std::uint64_t lowest = 1;
  if (!out->text.empty()) lowest = out->text.back().first_line + out->text.back().text.size();
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint32_t>::max();
  if (lines == 0 || first < lowest || first + lines - 1 > kLast) {
    ++*dropped;
    return;
  }
  bool open = false;
  for (std::uint64_t i = 0; i < lines; ++i) {
    const std::string* text = strings_.Find(text_.At(first_text + i, SourceText::kText));
    if (text == nullptr) {
      // The lines behind a missing one keep their numbers.
      ++*dropped;
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) out->text.push_back({U32(first + i), {}});
    out->text.back().text.push_back(*text);
  }
}

}  // namespace prof::store
