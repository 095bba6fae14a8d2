// Compresses blocks and writes them whole, whatever the descriptor does.
#include "store/block_writer.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>

#include "prof/base/checksum.h"

namespace prof::store {

void EncodeFileHeader(ByteWriter& out) {
  ByteWriter header;
  header.Bytes(std::as_bytes(std::span(kFileMagic)));
  header.U32(kFormatVersion);
  header.U32(kFileHeaderBytes);
  header.U64(0);  // required features
  header.U64(0);  // optional features
  header.U32(0);  // reserved
  header.U32(Crc32c(header.bytes()));
  out.Bytes(header.bytes());
}

void EncodeBlockHeader(const BlockHeader& block, ByteWriter& out) {
  ByteWriter header;
  header.U32(kBlockMagic);
  header.U16(block.type);
  header.U16(block.flags);
  header.U32(block.raw_bytes);
  header.U32(block.stored_bytes);
  header.U32(block.sequence);
  header.U32(block.epoch);
  header.U32(block.samples);
  header.U32(block.payload_crc);
  header.U32(Crc32c(header.bytes()));
  out.Bytes(header.bytes());
}

void BlockWriter::FreeContext::operator()(ZSTD_CCtx_s* context) const { ::ZSTD_freeCCtx(context); }

BlockWriter::BlockWriter(UniqueFd fd, std::string name, int compression_level)
    : fd_(std::move(fd)),
      name_(std::move(name)),
      compression_level_(compression_level),
      zstd_(::ZSTD_createCCtx()) {}

Status BlockWriter::WriteFileHeader() {
  ByteWriter header;
  EncodeFileHeader(header);
  return WriteAll(header.bytes());
}

Status BlockWriter::WriteBlock(BlockHeader header, std::span<const std::byte> payload,
                               int compression_level) {
  if (payload.size() > kMaxRawBytes) {
    return Fail(ErrorKind::kInternal,
                fmt::format("cannot write {}: a block of {} bytes is above the format's limit",
                            name_, payload.size()));
  }
  std::span<const std::byte> stored = payload;
  if (compression_level != 0 && zstd_ != nullptr) {
    compressed_.resize(::ZSTD_compressBound(payload.size()));
    const std::size_t size =
        ::ZSTD_compressCCtx(zstd_.get(), compressed_.data(), compressed_.size(), payload.data(),
                            payload.size(), compression_level);
    if (::ZSTD_isError(size) == 0 && size < payload.size()) {
      stored = std::span(compressed_).first(size);
      header.flags |= kBlockZstd;
    }
  }
  header.raw_bytes = static_cast<std::uint32_t>(payload.size());
  header.stored_bytes = static_cast<std::uint32_t>(stored.size());
  header.sequence = next_sequence_++;
  header.payload_crc = Crc32c(stored);
  ByteWriter block;
  EncodeBlockHeader(header, block);
  block.Bytes(stored);
  return WriteAll(block.bytes());
}

Status BlockWriter::WriteAll(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd_.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      // Somebody made the pipe non-blocking; the contract of a sink is to block.
      pollfd ready{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (size < 0) return FailErrno(errno, "cannot write " + name_);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    bytes_written_ += static_cast<std::uint64_t>(size);
  }
  return {};
}

Status BlockWriter::Close() {
  const int fd = fd_.Release();
  // close(2): EINTR still closes on Linux; NFS and quotas report here what write() took.
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR) {
    return FailErrno(errno, "cannot write " + name_);
  }
  return {};
}

}  // namespace prof::store
