// Which words of `prof diff` belong to which side.
#pragma once

#include <string>
#include <vector>

#include "prof/base/result.h"

namespace prof::tools {

// Files, or words of commands.
struct SidePair {
  std::vector<std::string> before, after;
  bool operator==(const SidePair&) const = default;
};

// Nothing: prof.data.old and prof.data; F: prof.data.old and F, as perf; B A; "B... -- A...".
// Standard input ("-") may be one of them. kUsage for more files without "--", for two "--", for a
// side without a file.
Result<SidePair> SplitFiles(const std::vector<std::string>& words);

// "CMD_A... -- CMD_B...". kUsage for no "--" or several, for a side without a command.
Result<SidePair> SplitCommands(const std::vector<std::string>& words);

}  // namespace prof::tools
