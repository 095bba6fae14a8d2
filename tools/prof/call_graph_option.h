// perf's call graph argument of `prof report -g`, and where it may stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "prof/analysis/report_table.h"
#include "prof/base/result.h"

namespace prof::tools {

// "graph,0.5,0,caller,function,percent": any of TYPE, MIN, LIMIT, ORDER, KEY, VALUE, changing
// `options`. kUsage for other words.
Status ParseCallGraph(std::string_view text, analysis::CallGraphOptions& options);

// Rewrites the forms of -g, whose argument is optional, to --call-graph=TEXT: attached ("-gflat",
// "-ng"), or the next word if that parses as a call graph ("-g caller"); alone it is
// graph,0.5,caller.
std::vector<std::string> AttachCallGraphArguments(const std::vector<std::string>& args);

}  // namespace prof::tools
