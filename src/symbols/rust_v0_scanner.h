// The terminals of Rust v0 names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof::symbols {

struct RustIdentifier {
  std::uint64_t disambiguator = 0;
  std::string name;  // UTF-8
};

// A cursor over the part behind "_R", with a sticky failure flag as ByteReader has it: after the
// first error everything reads as nothing and ok() stays false.
class RustV0Scanner {
 public:
  explicit RustV0Scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  // Back-references count from the beginning of the text.
  [[nodiscard]] std::size_t position() const { return at_; }
  void Seek(std::size_t position) { at_ = position; }
  void Fail() { ok_ = false; }

  char Take();  // '\0' at the end, which is an error
  bool TakeIf(char c);
  std::uint64_t Base62();  // "_" is 0, "0_" is 1, ...
  // 0 without the tag, else the number plus one.
  std::uint64_t OptionalBase62(char tag);
  std::string UndisambiguatedName();
  RustIdentifier Name();
  std::string_view HexDigits();  // up to '_', which is taken

 private:
  [[nodiscard]] char Peek() const { return ok_ && at_ < text_.size() ? text_[at_] : '\0'; }
  std::size_t Decimal();

  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace prof::symbols
