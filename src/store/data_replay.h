// Data blocks back to records.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "store/id_map.h"
#include "store/schema.h"
#include "store/string_table.h"
#include "store/symbol_block.h"
#include "store/table.h"

#include "prof/model/record_sink.h"

namespace prof::store {

// Keeps what the current epoch defined. Ids that come out are dense even when a block that defined
// some is lost; whatever refers to those is dropped.
class DataReplay {
 public:
  void BeginEpoch();
  // The event's id in the stream, or nothing when it was defined before.
  std::optional<model::EventId> DefineEvent(std::uint64_t id) { return events_.Define(id); }
  [[nodiscard]] std::optional<model::EventId> FindEvent(std::uint64_t id) const {
    return events_.Find(id);
  }

  // Takes in a block. Nothing of a malformed one is kept except strings.
  DecodeOutcome Decode(std::span<const std::byte> payload);
  // Pushes the records of the decoded block: definitions, then renames, samples, losses, slices,
  // counters.
  Status Replay(model::RecordSink& sink);
  // Records dropped since the last call.
  std::uint64_t TakeDropped();

 private:
  Status ReplayModules(model::RecordSink& sink);
  Status ReplayProcesses(model::RecordSink& sink);
  Status ReplayThreads(model::RecordSink& sink);
  Status ReplayRenames(model::RecordSink& sink);
  Status ReplayNodes(model::RecordSink& sink);
  Status ReplaySamples(model::RecordSink& sink);
  Status ReplayLosses(model::RecordSink& sink);
  Status ReplaySlices(model::RecordSink& sink);
  Status ReplayCounters(model::RecordSink& sink);
  [[nodiscard]] std::optional<model::ProcessId> FindProcess(std::uint64_t id) const;
  [[nodiscard]] std::optional<model::ThreadId> FindThread(std::uint64_t id) const;
  [[nodiscard]] std::optional<model::StackId> FindStack(std::uint64_t id) const;

  IdMap events_{0, 0};
  StringList strings_;
  IdMap modules_{0, 0};
  IdMap processes_{0, 0};
  IdMap threads_{0, 0};
  IdMap nodes_{model::kStackRootCount, model::kStackRootCount};
  std::array<Table, kSections> tables_;
  std::vector<model::Sample> samples_;  // of the block, kept for its memory
  std::uint64_t dropped_ = 0;
};

}  // namespace prof::store
