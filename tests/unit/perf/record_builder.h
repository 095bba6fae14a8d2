// Writes PERF_RECORD_* bytes as the kernel lays them out.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace prof::perf {

// Appends fields, then gives the whole record, header first and 8-byte aligned.
class RecordBuilder {
 public:
  explicit RecordBuilder(std::uint32_t type, std::uint16_t misc = 0) {
    U32(type);
    U16(misc);
    U16(0);
  }
  RecordBuilder& U8(std::uint8_t value) { return Append(&value, sizeof value); }
  RecordBuilder& U16(std::uint16_t value) { return Append(&value, sizeof value); }
  RecordBuilder& U32(std::uint32_t value) { return Append(&value, sizeof value); }
  RecordBuilder& U64(std::uint64_t value) { return Append(&value, sizeof value); }
  // NUL-terminated and padded to 8 bytes, as the kernel does with names.
  RecordBuilder& Text(std::string_view text) {
    Append(text.data(), text.size());
    do {
      U8(0);
    } while (bytes_.size() % 8 != 0);
    return *this;
  }
  RecordBuilder& Append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
    return *this;
  }
  // Valid until the next change.
  std::span<const std::byte> Record() {
    const auto size = static_cast<std::uint16_t>(bytes_.size());
    std::memcpy(bytes_.data() + offsetof(perf_event_header, size), &size, sizeof size);
    return bytes_;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace prof::perf
