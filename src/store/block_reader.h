// Finds the whole, undamaged blocks of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/format.h"
#include "store/input_stream.h"

#include "prof/base/result.h"

struct ZSTD_DCtx_s;

namespace prof::store {

// What the blocks that could not be delivered would have held.
struct Damage {
  std::uint64_t blocks = 0;
  std::uint64_t samples = 0;  // as far as headers say
  bool exact = true;          // every damaged block's header was readable
};

// Starts behind the file header. After damage it goes on at the next block whose header and payload
// are right.
class BlockReader {
 public:
  explicit BlockReader(InputStream& input);

  // The next good block, nothing at the end. Its payload can be taken until the next call.
  Result<std::optional<BlockHeader>> Next();
  // The raw payload of the block that Next() returned; nothing when it does not decompress to what
  // its header says.
  std::optional<std::span<const std::byte>> Unpack();

  // What was damaged before the block returned last, once.
  Damage TakeDamage();
  // Bytes after the last whole block; known once Next() returned nothing.
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  Result<bool> TryBlock(std::span<const std::byte> head);
  // Moves on to where the next block may begin.
  Status SkipToMagic();
  void AccountForGap();
  void EndOfInput();

  InputStream& input_;
  std::unique_ptr<ZSTD_DCtx_s, FreeContext> zstd_;
  std::vector<std::byte> raw_;
  BlockHeader current_;
  std::span<const std::byte> stored_;
  std::size_t consume_next_ = 0;  // the block returned last, not consumed so that its payload stays

  std::uint64_t next_sequence_ = 0;
  Damage damage_;
  std::optional<std::uint64_t> bad_since_;  // position where the last whole block ended
  bool only_cut_ = false;  // the bad part is the beginning of a block that goes on past the end
  std::uint64_t known_damaged_ = 0;  // blocks of the bad part whose header was read
  std::uint64_t known_samples_ = 0;
  std::uint64_t rescan_budget_bytes_;
  std::uint64_t cut_bytes_ = 0;
};

}  // namespace prof::store
