// Reads block headers and payloads, and finds the way back after damage.
#include "store/block_reader.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "prof/base/byte_reader.h"
#include "prof/base/checksum.h"

namespace prof::store {
namespace {

// Looking for a block inside a damaged one costs a second checksum of the same bytes. Files made to
// nest many such blocks get this much of it, then damaged blocks are skipped whole.
constexpr std::uint64_t kRescanBudgetBytes = 256U << 20;

// The header, when its checksum and limits are right.
std::optional<BlockHeader> ParseHeader(std::span<const std::byte> head) {
  ByteReader in(head);
  if (in.U32() != kBlockMagic) return std::nullopt;
  BlockHeader header;
  header.type = in.U16();
  header.flags = in.U16();
  header.raw_bytes = in.U32();
  header.stored_bytes = in.U32();
  header.sequence = in.U32();
  header.epoch = in.U32();
  header.samples = in.U32();
  header.payload_crc = in.U32();
  if (in.U32() != Crc32c(head.first(kBlockHeaderBytes - 4)) || !in.ok()) return std::nullopt;
  const bool compressed = (header.flags & kBlockZstd) != 0;
  const bool possible = compressed ? header.stored_bytes <= header.raw_bytes
                                   : header.stored_bytes == header.raw_bytes;
  if (!possible || header.raw_bytes > kMaxRawBytes || header.samples > kMaxRows)
    return std::nullopt;
  return header;
}

}  // namespace

void BlockReader::FreeContext::operator()(ZSTD_DCtx_s* context) const { ::ZSTD_freeDCtx(context); }

BlockReader::BlockReader(InputStream& input)
    : input_(input), zstd_(::ZSTD_createDCtx()), rescan_budget_bytes_(kRescanBudgetBytes) {}

Result<std::optional<BlockHeader>> BlockReader::Next() {
  input_.Consume(std::exchange(consume_next_, 0));
  for (;;) {
    PROF_TRY_ASSIGN(const auto head, input_.Peek(kBlockHeaderBytes));
    if (head.empty()) break;
    PROF_TRY_ASSIGN(const bool good, TryBlock(head));
    if (good) {
      AccountForGap();
      return current_;
    }
    PROF_TRY(SkipToMagic());
  }
  EndOfInput();
  return std::nullopt;
}

// True when a whole good block is at the current position. Else `bad_since_` is set.
Result<bool> BlockReader::TryBlock(std::span<const std::byte> head) {
  const bool first_bad = !bad_since_;
  if (head.size() < kBlockHeaderBytes) {
    if (first_bad) only_cut_ = true;
    bad_since_ = bad_since_.value_or(input_.position());
    return false;
  }
  const auto header = ParseHeader(head);
  if (!header || header->sequence < next_sequence_) {
    bad_since_ = bad_since_.value_or(input_.position());
    return false;
  }
  const std::size_t size = kBlockHeaderBytes + header->stored_bytes;
  PROF_TRY_ASSIGN(const auto block, input_.Peek(size));
  if (block.size() < size) {
    if (first_bad) only_cut_ = true;
    bad_since_ = bad_since_.value_or(input_.position());
    return false;
  }
  stored_ = block.subspan(kBlockHeaderBytes);
  if (Crc32c(stored_) == header->payload_crc) {
    current_ = *header;
    consume_next_ = size;
    return true;
  }
  bad_since_ = bad_since_.value_or(input_.position());
  ++known_damaged_;
  known_samples_ += header->samples;
  if (rescan_budget_bytes_ < size) {
    input_.Consume(size - 1);
  } else {
    rescan_budget_bytes_ -= size;
  }
  return false;
}

Status BlockReader::SkipToMagic() {
  input_.Consume(1);
  for (;;) {
    PROF_TRY_ASSIGN(const auto ignored, input_.Peek(sizeof kBlockMagic));
    if (ignored.size() < sizeof kBlockMagic) {
      input_.Consume(ignored.size());
      return {};
    }
    const auto buffered = input_.Buffered();
    const void* found =
        ::memmem(buffered.data(), buffered.size(), &kBlockMagic, sizeof kBlockMagic);
    if (found != nullptr) {
      input_.Consume(
          static_cast<std::size_t>(static_cast<const std::byte*>(found) - buffered.data()));
      return {};
    }
    // The magic may be split between what is here and what comes.
    input_.Consume(buffered.size() - (sizeof kBlockMagic - 1));
  }
}

void BlockReader::AccountForGap() {
  const std::uint64_t missing = current_.sequence - next_sequence_;
  next_sequence_ = std::uint64_t{current_.sequence} + 1;
  const std::uint64_t damaged = std::max<std::uint64_t>(missing, bad_since_ ? 1 : 0);
  damage_.blocks += damaged;
  damage_.samples += known_samples_;
  if (damaged != known_damaged_) damage_.exact = false;
  bad_since_.reset();
  only_cut_ = false;
  known_damaged_ = 0;
  known_samples_ = 0;
}

void BlockReader::EndOfInput() {
  if (!bad_since_) return;
  cut_bytes_ = input_.position() - *bad_since_;
  if (!only_cut_) {
    damage_.blocks += std::max<std::uint64_t>(known_damaged_, 1);
    damage_.samples += known_samples_;
    if (known_damaged_ == 0) damage_.exact = false;
  }
  bad_since_.reset();
}

std::optional<std::span<const std::byte>> BlockReader::Unpack() {
  if ((current_.flags & kBlockZstd) == 0) return stored_;
  raw_.resize(current_.raw_bytes);
  const std::size_t size =
      ::ZSTD_decompressDCtx(zstd_.get(), raw_.data(), raw_.size(), stored_.data(), stored_.size());
  // ZSTD error codes are sizes above every limit.
  if (size != raw_.size()) return std::nullopt;
  return std::span<const std::byte>(raw_);
}

Damage BlockReader::TakeDamage() { return std::exchange(damage_, {}); }

}  // namespace prof::store
