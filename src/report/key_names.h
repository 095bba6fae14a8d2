// The names of enumerators in JSON and headers; part of the schema in docs/report.md.
#pragma once

#include "prof/analysis/report_table.h"
#include "prof/model/record.h"

namespace prof::report {

const char* KeyName(analysis::SortKey key);
// The heading of a key's column, as perf has it: "Shared Object".
const char* KeyTitle(analysis::SortKey key);
const char* TargetName(model::TargetKind target);
const char* CallGraphModeName(model::CallGraphMode mode);
const char* LossCauseName(model::LossCause cause);
const char* SymbolStatusName(model::SymbolStatus status);

}  // namespace prof::report
