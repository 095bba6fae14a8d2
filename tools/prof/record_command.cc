// prof record: samples a target into a profile file.
#include "command.h"

namespace prof::tools {

int RecordMain(const std::vector<std::string>&) { return kExitFailure; }

}  // namespace prof::tools
