// Demangling of the two name schemes of rustc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof::symbols {

// "_ZN4core3fmt5write17h0123456789abcdefE" -> "core::fmt::write" (the hash goes); nothing for names
// that are not of this form, C++ ones in particular. `name` without suffixes such as ".cold".
std::optional<std::string> DemangleRustLegacy(std::string_view name);

// "_RNvCs1234_7mycrate3foo" -> "mycrate::foo", crate hashes dropped (RFC 2603). A suffix after '.'
// or
// '$' must be cut off before. Nothing when malformed.
std::optional<std::string> DemangleRustV0(std::string_view name);

}  // namespace prof::symbols
