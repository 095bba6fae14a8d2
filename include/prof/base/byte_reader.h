// Checked little-endian reading of untrusted bytes, with a sticky failure flag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace prof {

// Read all fields of a structure, then test ok() once: after the first read past the end every
// read returns zero (or an empty span) and ok() stays false. Never allocates.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - position_; }
  [[nodiscard]] std::size_t position() const { return position_; }

  std::uint8_t U8() { return Fixed<std::uint8_t>(); }
  std::uint16_t U16() { return Fixed<std::uint16_t>(); }
  std::uint32_t U32() { return Fixed<std::uint32_t>(); }
  std::uint64_t U64() { return Fixed<std::uint64_t>(); }

  // LEB128, at most 10 bytes; bits above 64 are a failure.
  std::uint64_t Varint() {
    if (position_ < bytes_.size() && static_cast<std::uint8_t>(bytes_[position_]) < 0x80) {
      return static_cast<std::uint8_t>(bytes_[position_++]);
    }
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = U8();
      if (shift == 63 && byte > 1) return Failed();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return ok_ ? value : 0;
    }
    return Failed();
  }
  // SLEB128 of DWARF (version 5, section 7.6): the sign is bit 6 of the last byte. Unlike Varint it
  // takes any tenth byte, as other readers of DWARF do.
  std::int64_t SignedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = U8();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
    return static_cast<std::int64_t>(Failed());
  }
  // The writer's own form: small numbers of either sign are short.
  std::int64_t ZigZag() {
    const std::uint64_t raw = Varint();
    return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
  }

  // The next `size` bytes, borrowed from the input.
  std::span<const std::byte> Bytes(std::uint64_t size) {
    if (!ok_ || size > remaining()) {
      Failed();
      return {};
    }
    auto result = bytes_.subspan(position_, static_cast<std::size_t>(size));
    position_ += static_cast<std::size_t>(size);
    return result;
  }
  // A string behind its varint length, borrowed from the input.
  std::string_view String() {
    const auto bytes = Bytes(Varint());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // A NUL-terminated string, borrowed from the input; a failure when none ends it.
  std::string_view CString() {
    const void* end =
        remaining() == 0 ? nullptr : std::memchr(bytes_.data() + position_, 0, remaining());
    if (end == nullptr) {
      Failed();
      return {};
    }
    const auto* begin = reinterpret_cast<const char*>(bytes_.data() + position_);
    const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
    position_ += size + 1;
    return {begin, size};
  }
  void Skip(std::uint64_t size) { Bytes(size); }
  // For callers that find a value out of range: the reader counts as failed from here on.
  std::uint64_t Failed() {
    ok_ = false;
    position_ = bytes_.size();
    return 0;
  }

 private:
  template <class T>
  T Fixed() {
    T value{};
    if (remaining() < sizeof(T)) {  // as after a failure
      Failed();
      return 0;
    }
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace prof
