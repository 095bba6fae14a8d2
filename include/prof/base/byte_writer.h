// Little-endian writing into a growing buffer; the counterpart of ByteReader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace prof {

class ByteWriter {
 public:
  void U8(std::uint8_t value) { buffer_.push_back(static_cast<std::byte>(value)); }
  void U16(std::uint16_t value) { Fixed(value); }
  void U32(std::uint32_t value) { Fixed(value); }
  void U64(std::uint64_t value) { Fixed(value); }
  void Varint(std::uint64_t value) {
    while (value >= 0x80) {
      U8(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    U8(static_cast<std::uint8_t>(value));
  }
  void ZigZag(std::int64_t value) {
    Varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void Bytes(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void String(std::string_view text) {
    Varint(text.size());
    Bytes(std::as_bytes(std::span(text.data(), text.size())));
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return buffer_; }
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  void Clear() { buffer_.clear(); }

 private:
  template <class T>
  void Fixed(T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    buffer_.insert(buffer_.end(), bytes, bytes + sizeof(T));
  }

  std::vector<std::byte> buffer_;
};

}  // namespace prof
