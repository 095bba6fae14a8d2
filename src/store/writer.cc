// Sorts records into blocks: rare ones, data, symbols, code.
#include "prof/store/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "store/block_writer.h"
#include "store/code_block.h"
#include "store/data_block.h"
#include "store/index_block.h"
#include "store/record_codec.h"
#include "store/symbol_block.h"

namespace prof::store {
namespace {

// Symbols and code come in a burst at the end, where a better ratio costs milliseconds.
constexpr int kTailCompressionLevel = 6;
constexpr std::size_t kTailBlockBytes = 4U << 20;

// Where the module's code came from and, when the format has no room for all of it, what is not
// here.
std::string DetailOf(const model::ModuleCode& code) {
  std::uint64_t rows = 0;
  std::uint64_t functions = 0;
  for (const model::FunctionCode& function : code.functions) {
    const std::size_t left_out = FitFunction(function).rows_left_out;
    rows += left_out;
    if (left_out > 0) ++functions;
  }
  if (rows == 0) return code.detail;
  return fmt::format(
      "{}{}too large for the file: {} rows of line tables, inlined ranges and references left out "
      "(functions: {})",
      code.detail, code.detail.empty() ? "" : "; ", rows, functions);
}

}  // namespace

// At most one of the four open blocks has anything in it, so blocks are in stream order.
class Writer::Impl {
 public:
  Impl(UniqueFd fd, std::string name, const WriterOptions& options)
      : blocks_(std::move(fd), std::move(name), options.compression_level), options_(options) {}

  Status Start() { return Remember(blocks_.WriteFileHeader()); }

  Status Append(const model::Record& record) {
    if (error_ || finished_) [[unlikely]]
      return Refuse();
    if (const auto* sample = std::get_if<model::Sample>(&record)) [[likely]] {
      return AddData(*sample);
    }
    return Remember(std::visit([this](const auto& value) { return Add(value); }, record));
  }

  Status Flush() {
    if (error_ || finished_) return Refuse();
    return Remember(CloseAll());
  }

  Status Finish() {
    if (error_ || finished_) return Refuse();
    PROF_TRY(Remember(CloseAll()));
    PROF_TRY(Remember(WriteIndex()));
    finished_ = true;
    return Remember(blocks_.Close());
  }

  [[nodiscard]] bool finished() const { return finished_ || error_; }
  [[nodiscard]] std::uint64_t bytes_written() const { return blocks_.bytes_written(); }

 private:
  enum class Open { kNothing, kRecords, kData, kSymbols, kCode };

  [[nodiscard]] Status Refuse() const {
    if (error_) return std::unexpected(*error_);
    return Fail(ErrorKind::kInternal, "a record came after the end of the profile");
  }

  Status Remember(Status status) {
    if (!status) error_ = status.error();
    return status;
  }

  Status Switch(Open to) {
    if (open_ == to) [[likely]]
      return {};
    PROF_TRY(CloseAll());
    open_ = to;
    return {};
  }

  template <class R>
  Status Add(const R& record) {
    if constexpr (requires(ByteWriter & out) { EncodeRecord(record, out); }) {
      return AddRare(record);
    } else {
      return AddData(record);
    }
  }

  template <class R>
  Status AddRare(const R& record) {
    PROF_TRY(Switch(Open::kRecords));
    if (std::is_same_v<R, model::EpochBegin>) {
      ++epoch_;
      data_.BeginEpoch();
    }
    EncodeRecord(record, records_);
    return records_.size() >= options_.block_bytes ? CloseAll() : Status{};
  }

  template <class R>
  Status AddData(const R& record) {
    if (open_ != Open::kData) [[unlikely]]
      PROF_TRY(Remember(Switch(Open::kData)));
    data_.Add(record);
    if (data_.IsFull(options_.block_bytes)) [[unlikely]]
      return Remember(CloseAll());
    return {};
  }

  Status Add(const model::ModuleSymbols& symbols) {
    PROF_TRY(Switch(Open::kSymbols));
    symbols_.BeginModule(symbols);
    for (const model::AddressSymbols& address : symbols.addresses) {
      if (symbols_.IsFull(kTailBlockBytes)) {
        PROF_TRY(CloseAll());
        open_ = Open::kSymbols;
        symbols_.BeginModule(symbols);
      }
      symbols_.Add(address);
    }
    return symbols_.IsFull(kTailBlockBytes) ? CloseAll() : Status{};
  }

  Status Add(const model::ModuleCode& code) {
    PROF_TRY(Switch(Open::kCode));
    const std::string detail = DetailOf(code);
    code_.BeginModule(code, detail);
    for (const model::FunctionCode& function : code.functions) {
      const FunctionFit fit = FitFunction(function);
      if (code_.IsFull(kTailBlockBytes) || !code_.HasRoomFor(fit)) {
        PROF_TRY(NextCodeBlock());
        code_.BeginModule(code, detail);
      }
      code_.Add(function, fit);
    }
    return code_.IsFull(kTailBlockBytes) ? CloseAll() : Status{};
  }

  Status Add(const model::SourceFile& source) {
    PROF_TRY(Switch(Open::kCode));
    code_.BeginSource(source);
    for (const model::SourceLines& piece : source.text) {
      bool begun = false;
      std::uint32_t number = piece.first_line;
      for (const std::string& line : piece.text) {
        if (code_.IsFull(kTailBlockBytes)) {
          PROF_TRY(NextCodeBlock());
          code_.BeginSource(source);
          begun = false;
        }
        if (!std::exchange(begun, true)) code_.BeginPiece(number);
        code_.AddLine(line);
        ++number;
      }
    }
    return code_.IsFull(kTailBlockBytes) ? CloseAll() : Status{};
  }

  Status NextCodeBlock() {
    PROF_TRY(CloseAll());
    open_ = Open::kCode;
    return {};
  }

  Status CloseAll() {
    const Open open = std::exchange(open_, Open::kNothing);
    payload_.Clear();
    switch (open) {
      case Open::kNothing:
        return {};
      case Open::kRecords:
        std::swap(payload_, records_);
        return Write(BlockType::kRecords, {});
      case Open::kData: {
        IndexEntry entry{.samples = data_.samples()};
        const auto times = data_.SampleTimes();
        entry.begin_ns = times.begin;
        entry.end_ns = times.end;
        data_.Encode(payload_);
        return Write(BlockType::kData, entry);
      }
      case Open::kSymbols:
        symbols_.Encode(payload_);
        return Write(BlockType::kSymbols, {});
      case Open::kCode:
        code_.Encode(payload_);
        return Write(BlockType::kCode, {});
    }
    return {};
  }

  Status Write(BlockType type, IndexEntry entry) {
    entry.offset = blocks_.bytes_written();
    entry.type = static_cast<std::uint32_t>(type);
    entry.epoch = epoch_;
    if (index_.size() < kMaxRows) index_.push_back(entry);
    const int level = blocks_.compression_level();
    // What a reader can do without: it came after the first readers of this version.
    const bool optional = type == BlockType::kCode;
    const bool tail = (type == BlockType::kSymbols || optional) && level != 0;
    return blocks_.WriteBlock({.type = static_cast<std::uint16_t>(type),
                               .flags = optional ? std::uint16_t{0} : kBlockRequired,
                               .epoch = epoch_,
                               .samples = entry.samples},
                              payload_.bytes(),
                              tail ? std::max(level, kTailCompressionLevel) : level);
  }

  Status WriteIndex() {
    payload_.Clear();
    EncodeIndex(index_, payload_);
    return blocks_.WriteBlock(
        {.type = static_cast<std::uint16_t>(BlockType::kIndex), .epoch = epoch_}, payload_.bytes(),
        0);
  }

  BlockWriter blocks_;
  const WriterOptions options_;
  std::optional<Error> error_;
  bool finished_ = false;
  Open open_ = Open::kNothing;
  std::uint32_t epoch_ = 0;
  ByteWriter records_;
  DataBlockBuilder data_;
  SymbolBlockBuilder symbols_;
  CodeBlockBuilder code_;
  ByteWriter payload_;
  std::vector<IndexEntry> index_;
};

Result<std::unique_ptr<Writer>> Writer::Create(UniqueFd fd, std::string name,
                                               const WriterOptions& options) {
  auto impl = std::make_unique<Impl>(std::move(fd), std::move(name), options);
  PROF_TRY(impl->Start());
  return std::unique_ptr<Writer>(new Writer(std::move(impl)));
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Writer::~Writer() {
  // What an unfinished recording still holds is worth keeping; nobody is left to hear of an error.
  if (!impl_->finished()) static_cast<void>(impl_->Flush());
}

Status Writer::Append(const model::Record& record) { return impl_->Append(record); }
Status Writer::Flush() { return impl_->Flush(); }
Status Writer::Finish() { return impl_->Finish(); }
std::uint64_t Writer::bytes_written() const { return impl_->bytes_written(); }

}  // namespace prof::store
