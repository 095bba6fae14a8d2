// Identifiers outside ASCII in Rust v0 names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof::symbols {

// RFC 3492 with '_' as the delimiter, as rustc writes it. Nothing when malformed.
std::optional<std::string> DecodePunycode(std::string_view encoded);

// Appends the UTF-8 form of a code point.
void AppendUtf8(char32_t c, std::string& out);

}  // namespace prof::symbols
