// Everything a report says, as plain data: what the renderers of every format are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/analysis/honesty.h"
#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"

namespace prof::report {

// What reading found out about the file itself.
struct FileFacts {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t corrupt_blocks = 0;
  std::uint64_t unknown_blocks = 0;
  std::uint64_t cut_bytes = 0;
  bool complete = true;  // the recorder finished
};

// What one thread was sampled with, per event; for -T.
struct ThreadTotal {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string comm;
  std::vector<std::uint64_t> samples;  // index: EventId
  std::vector<std::uint64_t> weights;
};

// A module that was hit and has no symbols, or not those of the code that ran.
struct UnresolvedModule {
  std::string name;
  model::SymbolStatus status = model::SymbolStatus::kNoSymbols;
  std::string detail;
  std::uint64_t samples = 0;  // whose innermost frame is in it
  std::string hint;           // what would give it symbols; may be empty
};

struct ReportData {
  FileFacts file;
  model::RecordingInfo info;
  std::optional<model::RecordingEnd> end;
  std::optional<model::CodeSummary> code;  // what prof annotate finds in the file
  std::vector<model::EventDesc> events;    // index: EventId
  std::uint64_t samples = 0;               // of all events
  analysis::Honesty honesty;
  std::vector<UnresolvedModule> unresolved;  // by samples, descending
  std::vector<ThreadTotal> threads;          // by pid, tid
  std::vector<analysis::SortKey> sort;       // what the keys of the tables' rows are
  std::vector<analysis::EventTable> tables;
  std::vector<std::string> filters;  // what the view is restricted to, one "comm: main" each
};

// The facts of a profile; file, sort, tables and filters are the caller's to add.
ReportData CollectFacts(const analysis::Profile& profile);

}  // namespace prof::report
