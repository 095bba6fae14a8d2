// Strings by number: each stored once per epoch (data blocks) or block (symbol blocks).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/format.h"
#include "store/id_map.h"

#include "prof/base/byte_writer.h"

namespace prof::store {

// What the format keeps of a string: kMaxStringBytes, or up to 3 less where that would cut a UTF-8
// character.
[[nodiscard]] std::string_view CutText(std::string_view text);

// The writer's side. Id 0 is the empty string and never stored.
class StringInterner {
 public:
  std::uint32_t Id(std::string_view text);
  // Bytes of the strings that the next section will hold.
  [[nodiscard]] std::size_t pending_bytes() const { return pending_bytes_; }
  // Whether the rows of this block refer to so much text that it has to end.
  [[nodiscard]] bool HasMuchText() const { return referenced_bytes_ >= kMaxBlockTextBytes / 2; }
  [[nodiscard]] std::size_t referenced_bytes() const { return referenced_bytes_; }
  // Appends the section with what is new since the last one, or nothing.
  void EncodePending(ByteWriter& out);
  void Clear();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<std::string_view> pending_;  // keys of ids_, which do not move
  std::size_t pending_bytes_ = 0;
  std::size_t referenced_bytes_ = 0;
};

// The reader's side.
class StringList {
 public:
  // Begins a block with the content of its section; an empty one is none. False when malformed or
  // too large.
  bool Decode(std::span<const std::byte> content);
  // Null when a lost block defined it, or when the block's rows ask for more text than a block may.
  [[nodiscard]] const std::string* Find(std::uint64_t id);
  void Clear();

 private:
  const std::string empty_;
  std::vector<std::string> strings_;
  IdMap ids_{1, 1};
  std::size_t bytes_ = 0;
  std::size_t text_budget_ = 0;
};

}  // namespace prof::store
