// Replays the blocks of a profile file as records.
#include "prof/store/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <variant>
#include <vector>

#include "store/block_reader.h"
#include "store/code_replay.h"
#include "store/data_replay.h"
#include "store/file_magic.h"
#include "store/index_block.h"
#include "store/input_stream.h"
#include "store/record_codec.h"
#include "store/symbol_block.h"

namespace prof::store {

class Reader::Impl {
 public:
  Impl(UniqueFd fd, const std::string& name) : input_(std::move(fd), name), blocks_(input_) {}

  Status ReadFileHeader() {
    PROF_TRY_ASSIGN(const auto head, input_.Peek(kFileHeaderBytes));
    PROF_TRY_ASSIGN(const std::uint32_t header_bytes, CheckFileHeader(head, input_.name()));
    PROF_TRY_ASSIGN(const auto header, input_.Peek(header_bytes));
    input_.Consume(header.size());
    return {};
  }

  Result<ReadSummary> Replay(model::RecordSink& sink) {
    if (std::exchange(replayed_, true)) {
      return Fail(ErrorKind::kInternal, input_.name() + ": read twice");
    }
    for (;;) {
      PROF_TRY_ASSIGN(const auto header, blocks_.Next());
      PROF_TRY(ReportDamage(sink));
      if (!header) break;
      PROF_TRY(ReplayBlock(*header, sink));
    }
    summary_.bytes = input_.position();
    summary_.cut_bytes = blocks_.cut_bytes();
    summary_.complete = saw_end_ && saw_index_;
    return summary_;
  }

 private:
  Status ReplayBlock(const BlockHeader& header, model::RecordSink& sink) {
    const auto type = static_cast<BlockType>(header.type);
    if (type < BlockType::kRecords || type > kLastBlockType) return SkipUnknown(header);
    ++summary_.blocks;
    DecodeOutcome outcome = DecodeOutcome::kMalformed;
    // An epoch never comes back, and only the index comes after the totals.
    const bool in_order = header.epoch >= epoch_ && (!saw_end_ || type == BlockType::kIndex);
    const auto payload = in_order ? blocks_.Unpack() : std::nullopt;
    if (payload) {
      PROF_TRY_ASSIGN(outcome, ReplayPayload(type, header, *payload, sink));
    }
    if (outcome == DecodeOutcome::kUnsupported) return FailNewer("a field");
    if (outcome == DecodeOutcome::kMalformed) {
      --summary_.blocks;
      ++summary_.corrupt_blocks;
      dropped_ += header.samples;
    }
    return ReportDropped(sink);
  }

  Status SkipUnknown(const BlockHeader& header) {
    if ((header.flags & kBlockRequired) != 0)
      return FailNewer(fmt::format("block type {}", header.type));
    ++summary_.blocks;
    ++summary_.unknown_blocks;
    return {};
  }

  [[nodiscard]] Status FailNewer(const std::string& what) const {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: written by a newer prof ({} is not known to this one)",
                            input_.name(), what));
  }

  Result<DecodeOutcome> ReplayPayload(BlockType type, const BlockHeader& header,
                                      std::span<const std::byte> payload, model::RecordSink& sink) {
    switch (type) {
      case BlockType::kRecords:
        return ReplayRecords(header, payload, sink);
      case BlockType::kData: {
        PROF_TRY(EnterEpoch(header.epoch, sink));
        const DecodeOutcome outcome = data_.Decode(payload);
        if (outcome != DecodeOutcome::kOk) return outcome;
        PROF_TRY(data_.Replay(sink));
        dropped_ += data_.TakeDropped();
        return outcome;
      }
      case BlockType::kSymbols: {
        const DecodeOutcome outcome = symbols_.Decode(payload);
        if (outcome != DecodeOutcome::kOk) return outcome;
        PROF_TRY(symbols_.Replay(sink, &dropped_));
        return outcome;
      }
      case BlockType::kCode: {
        const DecodeOutcome outcome = code_.Decode(payload);
        if (outcome != DecodeOutcome::kOk) return outcome;
        PROF_TRY(code_.Replay(sink, &dropped_));
        return outcome;
      }
      case BlockType::kIndex: {
        std::vector<IndexEntry> index;
        saw_index_ = DecodeIndex(payload, &index);
        return saw_index_ ? DecodeOutcome::kOk : DecodeOutcome::kMalformed;
      }
    }
    return DecodeOutcome::kMalformed;
  }

  Result<DecodeOutcome> ReplayRecords(const BlockHeader& header, std::span<const std::byte> payload,
                                      model::RecordSink& sink) {
    ByteReader in(payload);
    while (in.remaining() > 0 && !saw_end_) {
      DecodedRecord decoded = DecodeRecord(in);
      if (!in.ok()) return DecodeOutcome::kMalformed;
      if (const auto* unknown = std::get_if<UnknownRecord>(&decoded)) {
        if (unknown->required) return DecodeOutcome::kUnsupported;
      } else if (auto* record = std::get_if<model::Record>(&decoded)) {
        PROF_TRY(ReplayRecord(*record, sink));
      } else {
        ++dropped_;
      }
    }
    // EpochBegin records in this block have moved `epoch_` on; a lost one shows here.
    PROF_TRY(EnterEpoch(header.epoch, sink));
    return DecodeOutcome::kOk;
  }

  Status ReplayRecord(model::Record& record, model::RecordSink& sink) {
    if (auto* def = std::get_if<model::EventDef>(&record)) {
      if (!RenumberEvent(*def)) {
        ++dropped_;
        return {};
      }
    } else if (std::holds_alternative<model::RecordingInfo>(record)) {
      if (std::exchange(saw_info_, true)) {
        ++dropped_;
        return {};
      }
    } else if (std::holds_alternative<model::EpochBegin>(record)) {
      ++epoch_;
      data_.BeginEpoch();
    } else if (std::holds_alternative<model::RecordingEnd>(record)) {
      // Nothing comes after the totals, so what is to be told is told now.
      PROF_TRY(ReportDropped(sink));
      saw_end_ = true;
    }
    return sink.Append(record);
  }

  bool RenumberEvent(model::EventDef& def) {
    const auto id = data_.DefineEvent(def.id);
    if (!id) return false;
    def.id = *id;
    std::int32_t& leader = def.event.group_leader;
    if (leader < 0) return leader == -1;
    const auto renumbered = data_.FindEvent(static_cast<std::uint64_t>(leader));
    // A leader that was lost leaves its members on their own.
    leader = renumbered ? static_cast<std::int32_t>(*renumbered) : -1;
    return true;
  }

  // Starts the epoch of a block when the record that began it was lost.
  Status EnterEpoch(std::uint32_t epoch, model::RecordSink& sink) {
    if (epoch <= epoch_) return {};
    epoch_ = epoch;
    data_.BeginEpoch();
    return sink.Append(model::Record(model::EpochBegin{.index = epoch - 1}));
  }

  Status ReportDamage(model::RecordSink& sink) {
    const Damage damage = blocks_.TakeDamage();
    summary_.corrupt_blocks += damage.blocks;
    dropped_ += damage.samples;
    if (!damage.exact) dropped_at_least_ = true;
    return ReportDropped(sink);
  }

  Status ReportDropped(model::RecordSink& sink) {
    if (saw_end_ || (dropped_ == 0 && !dropped_at_least_)) return {};
    const model::Loss loss{.cause = model::LossCause::kBadRecord,
                           .count = std::max<std::uint64_t>(std::exchange(dropped_, 0), 1),
                           .at_least = std::exchange(dropped_at_least_, false)};
    return sink.Append(model::Record(loss));
  }

  InputStream input_;
  BlockReader blocks_;
  DataReplay data_;
  SymbolBlock symbols_;
  CodeBlock code_;
  ReadSummary summary_;
  std::uint32_t epoch_ = 0;
  std::uint64_t dropped_ = 0;  // not yet reported as a Loss
  bool dropped_at_least_ = false;
  bool saw_info_ = false;
  bool saw_end_ = false;
  bool saw_index_ = false;
  bool replayed_ = false;
};

Result<std::unique_ptr<Reader>> Reader::Open(const std::string& path) {
  if (path == "-") {
    UniqueFd fd(::dup(STDIN_FILENO));
    if (!fd.valid()) return FailErrno(errno, "cannot read standard input");
    return FromFd(std::move(fd), "standard input");
  }
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return FailErrno(errno, "cannot open " + path);
  return FromFd(std::move(fd), path);
}

Result<std::unique_ptr<Reader>> Reader::FromFd(UniqueFd fd, const std::string& name) {
  auto impl = std::make_unique<Impl>(std::move(fd), name);
  PROF_TRY(impl->ReadFileHeader());
  return std::unique_ptr<Reader>(new Reader(std::move(impl)));
}

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;

Result<ReadSummary> Reader::Replay(model::RecordSink& sink) { return impl_->Replay(sink); }

}  // namespace prof::store
