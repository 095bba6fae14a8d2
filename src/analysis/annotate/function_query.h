// What a query names: each function answers one way of reading it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/annotate/function_groups.h"

namespace prof::analysis {

// Groups that are one match together: one group, or all instances of a template in a module.
struct QueryMatch {
  std::string name;
  std::vector<GroupIndex> groups;
};

// "NAME:LINE".
struct LineQuery {
  std::string file;
  std::uint32_t line = 0;
};

struct LineMatches {
  std::vector<QueryMatch> matches;
  std::string file;  // the path as recorded; empty: no path ends so
  // Without a match: the functions of that file.
  std::vector<GroupIndex> in_file;
};

// Eligible groups only; nothing where there are none.
[[nodiscard]] std::vector<QueryMatch> MatchHottest(const FunctionGroups& groups);
[[nodiscard]] std::vector<QueryMatch> MatchDisplayName(const Profile& profile,
                                                       const FunctionGroups& groups,
                                                       const std::string& query, NameStyle style);
[[nodiscard]] std::vector<QueryMatch> MatchLinkageName(const Profile& profile,
                                                       const FunctionGroups& groups,
                                                       const std::string& query);
[[nodiscard]] Result<std::vector<QueryMatch>> MatchExpression(const FunctionGroups& groups,
                                                              const std::string& query);
// Nothing when `query` is no "NAME:LINE".
[[nodiscard]] std::optional<LineQuery> ParseLineQuery(const std::string& query);
// `path` is `end`, or ends with it behind a '/'.
[[nodiscard]] bool PathEndsWith(std::string_view path, std::string_view end);
[[nodiscard]] LineMatches MatchLine(const Profile& profile, const ScopedSamples& samples,
                                    const FunctionGroups& groups, const LineQuery& query);

}  // namespace prof::analysis
