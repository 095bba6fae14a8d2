// Names that somebody who mistyped one may have meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prof {

// Those of `candidates` within a few edits of `wrong` or containing it, best first, at most
// `limit`.
std::vector<std::string> NearestNames(std::string_view wrong, std::vector<std::string> candidates,
                                      std::size_t limit);

// "did you mean 'a', 'b' or 'c'?"; `otherwise` when there are no names.
std::string DidYouMean(const std::vector<std::string>& names, std::string otherwise);

}  // namespace prof
