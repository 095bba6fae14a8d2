// Long results on a terminal, a page at a time.
#pragma once

#include <string>

#include "prof/base/result.h"

namespace prof::tools {

// As WriteOutput(); on a terminal with fewer lines than the text through $PROF_PAGER, $PAGER or
// "less", of which an empty one or "cat" means none. Waits for the pager to end; when it cannot be
// run, the text is printed as it is.
Status ShowOutput(const std::string& text, const std::string& what);

}  // namespace prof::tools
