// What compilers append to the names of functions that they compile a second time or split.
#pragma once

#include <string>
#include <string_view>

namespace prof::analysis {

// `name`, a linkage or a display name, without ".cold", ".isra.0", ".part.1", ".constprop.0",
// ".lto_priv.3", ".llvm.123", "[clone .cold]" and the like, however many of them.
[[nodiscard]] std::string_view WithoutCloneSuffix(std::string_view name);

}  // namespace prof::analysis
