// Demangles legacy Rust names: Itanium nested names with escapes and a hash at the end.
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "symbols/punycode.h"
#include "symbols/rust_demangle.h"

namespace prof::symbols {
namespace {

bool IsHash(std::string_view part) {
  if (part.size() != 17 || part[0] != 'h') return false;
  return part.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

// "$LT$" and friends, "$u7e$" for any character. Returns how much of `text` it took, 0: no escape.
std::size_t TakeEscape(std::string_view text, std::string& out) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes = {
      {{"$SP$", "@"},
       {"$BP$", "*"},
       {"$RF$", "&"},
       {"$LT$", "<"},
       {"$GT$", ">"},
       {"$LP$", "("},
       {"$RP$", ")"},
       {"$C$", ","}}};
  for (const auto& [escape, meaning] : kEscapes) {
    if (text.starts_with(escape)) {
      out += meaning;
      return escape.size();
    }
  }
  const std::size_t end = text.find('$', 1);
  if (!text.starts_with("$u") || end == std::string_view::npos || end > 8) return 0;
  std::uint32_t code = 0;
  const auto [last, error] = std::from_chars(text.data() + 2, text.data() + end, code, 16);
  if (error != std::errc() || last != text.data() + end || code < 0x20 || code > 0x10ffff) return 0;
  AppendUtf8(code, out);
  return end + 1;
}

void AppendComponent(std::string_view part, std::string& out) {
  if (part.starts_with("_$")) part.remove_prefix(1);  // names may not begin with '$'
  while (!part.empty()) {
    if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
      continue;
    }
    if (part.front() == '$') {
      if (const std::size_t size = TakeEscape(part, out); size > 0) {
        part.remove_prefix(size);
        continue;
      }
    }
    out += part.front();
    part.remove_prefix(1);
  }
}

}  // namespace

std::optional<std::string> DemangleRustLegacy(std::string_view name) {
  if (!name.starts_with("_ZN") || !name.ends_with('E')) return std::nullopt;
  name.remove_prefix(3);
  name.remove_suffix(1);
  std::string out;
  bool hash = false;
  while (!name.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), size);
    if (error != std::errc()) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (size == 0 || size > name.size()) return std::nullopt;
    const std::string_view part = name.substr(0, size);
    name.remove_prefix(size);
    hash = name.empty() && IsHash(part);
    if (hash) break;
    if (!out.empty()) out += "::";
    AppendComponent(part, out);
  }
  if (!hash || out.empty()) return std::nullopt;
  return out;
}

}  // namespace prof::symbols
