// prof report: reads a profile and prints its tables.
#include "command.h"

namespace prof::tools {

int ReportMain(const std::vector<std::string>&) { return kExitFailure; }

}  // namespace prof::tools
