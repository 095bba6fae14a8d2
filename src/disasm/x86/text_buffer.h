// The text of one instruction while it is put together: no allocation, cut at its capacity.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace prof::disasm::x86 {

class TextBuffer {
 public:
  void Clear() { size_ = 0; }
  void Add(std::string_view text) {
    const std::size_t count = std::min(text.size(), data_.size() - size_);
    std::copy_n(text.data(), count, data_.data() + size_);
    size_ += count;
  }
  void Add(char c) { Add(std::string_view(&c, 1)); }
  // Without "0x".
  void AddHex(std::uint64_t value) {
    char* end = data_.data() + data_.size();
    size_ = static_cast<std::size_t>(std::to_chars(data_.data() + size_, end, value, 16).ptr -
                                     data_.data());
  }
  void AddHexNumber(std::uint64_t value) {
    Add("0x");
    AddHex(value);
  }
  void PadTo(std::size_t columns) {
    while (size_ < columns) Add(' ');
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view view() const { return {data_.data(), size_}; }

 private:
  std::array<char, 384> data_{};  // 15 prefixes ("data16 ") and the longest operands fit
  std::size_t size_ = 0;
};

}  // namespace prof::disasm::x86
