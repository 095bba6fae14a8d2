// The longest common run of two sequences, as diff finds it between two files.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::analysis {

// Indexes of equal elements in `a` and `b`, both ascending.
using MatchedPairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Elements that are in both sequences exactly once are matched first, as many as keep their order
// (patience); what lies between them by Myers' algorithm (An O(ND) Difference Algorithm, 1986). A
// stretch with more than kMostEdits changes between two such elements has no pairs, so that any
// two files take bounded time and memory.
inline constexpr std::uint32_t kMostEdits = 1000;
[[nodiscard]] MatchedPairs CommonLines(const std::vector<std::string_view>& a,
                                       const std::vector<std::string_view>& b);

}  // namespace prof::analysis
