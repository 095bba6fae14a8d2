// The command line of `prof record`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "debuginfod_option.h"

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/collect/record_options.h"

namespace prof::tools {

struct RecordArguments {
  collect::RecordOptions options;
  std::string output = "prof.data";
  int compression_level = 1;
  bool symbols = true;
  bool embed_source = true;  // source text of hot lines goes into the file
  DebuginfodOption debuginfod;
  bool quiet = false;
  bool verbose = false;
};

// Either the arguments, or the status to exit with (help was printed, or a usage error).
struct RecordParse {
  std::optional<RecordArguments> arguments;
  int exit_status = 0;
};
RecordParse ParseRecordArguments(const std::vector<std::string>& args, const HostFs& fs);

}  // namespace prof::tools
