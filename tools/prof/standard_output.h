// What prof prints as its result, and where to.
#pragma once

#include <string>

#include "prof/base/result.h"

namespace prof::tools {

// All of `text` to standard output; `what` names it in the error ("report"). A reader that has gone
// away (| head) is no error. SIGPIPE is ignored from then on.
Status WriteOutput(const std::string& text, const std::string& what);

// Columns of the terminal behind standard output, 80 where it is none or does not say.
int TerminalWidth();

}  // namespace prof::tools
