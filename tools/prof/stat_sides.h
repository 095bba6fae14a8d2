// The commands that `prof stat` runs: the one after the options, and those of --vs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prof/base/result.h"
#include "prof/model/run.h"

namespace prof::tools {

// Words as a POSIX shell splits them: single quotes, double quotes, backslashes. Nothing is
// expanded. kUsage for a quote that is not closed, for nothing at all, and for what only a shell
// understands (| > ; & outside of quotes, $ where a shell would expand): it would silently become a
// word of the command. `what` is the option for the message.
Result<std::vector<std::string>> SplitWords(std::string_view text, std::string_view what);

// The words as one line that a shell would split into them again.
std::string JoinWords(const std::vector<std::string>& words);

// Side 0 is `command`, the others are `alternatives` in order. With `shell` all of them are run by
// sh -c: the words of `command` joined with spaces, the alternatives as they are.
Result<std::vector<model::SideDef>> MakeSides(const std::vector<std::string>& command,
                                              const std::vector<std::string>& alternatives,
                                              bool shell);

// Whether the first word of each side can be found and executed, without running it; `path` is the
// value of PATH. kNotFound, kPermission: exit statuses 127 and 126.
Status CheckExecutables(const std::vector<model::SideDef>& sides, std::string_view path);

}  // namespace prof::tools
