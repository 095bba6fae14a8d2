// Puts the file header and blocks on a descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/format.h"

#include "prof/base/byte_writer.h"
#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

struct ZSTD_CCtx_s;

namespace prof::store {

void EncodeFileHeader(ByteWriter& out);
void EncodeBlockHeader(const BlockHeader& header, ByteWriter& out);

// Only appends: works on files, pipes and sockets. After an error nothing more is written.
class BlockWriter {
 public:
  BlockWriter(UniqueFd fd, std::string name, int compression_level);

  Status WriteFileHeader();
  // Compresses, checksums and writes one block. `header` gives type, epoch, samples and the
  // required flag; the rest is filled in.
  Status WriteBlock(BlockHeader header, std::span<const std::byte> payload, int compression_level);
  [[nodiscard]] int compression_level() const { return compression_level_; }
  // Closes the descriptor and says whether the kernel took everything.
  Status Close();
  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  Status WriteAll(std::span<const std::byte> bytes);

  UniqueFd fd_;
  std::string name_;
  int compression_level_;
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> zstd_;
  std::vector<std::byte> compressed_;
  std::uint32_t next_sequence_ = 0;
  std::uint64_t bytes_written_ = 0;
};

}  // namespace prof::store
