// What a Profile holds; seen by the builder and the profile only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/locations.h"
#include "analysis/name_table.h"

#include "prof/analysis/profile.h"

namespace prof::analysis {

struct Profile::Data {
  model::RecordingInfo info;
  bool has_end = false;
  model::RecordingEnd end;
  std::vector<model::EventDesc> events;
  std::vector<ModuleState> modules;
  std::vector<ThreadInfo> threads;
  std::vector<model::Sample> samples;
  SampleTimes sample_times;
  std::vector<StackFrame> frames;  // the first is what roots stand for
  std::vector<StackNode> nodes;
  std::vector<model::StackEnd> ends;          // beside nodes: the root above each
  std::vector<std::uint64_t> joined_samples;  // by event
  std::vector<model::Loss> losses;
  std::vector<model::CpuUsage> cpu_usage;
  std::vector<model::ModuleCode> code;  // one per module
  std::vector<model::SourceFile> sources;
  std::optional<model::CodeSummary> code_summary;
  NameTable names;
  NameIndex unknown_comm = kNoIndex;
  analysis::Locations locations;
  std::vector<CodeLocation> nothing_known;  // one element: what a root node stands for
};

}  // namespace prof::analysis
