// Reads a profile file and replays its records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/model/record_sink.h"

namespace prof::store {

// What reading found out about the file itself; shown by every report.
struct ReadSummary {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t corrupt_blocks = 0;    // checksum or content wrong: skipped
  std::uint64_t unknown_blocks = 0;    // of a newer version, marked skippable
  bool complete = false;               // has its RecordingEnd and index: the recorder finished
  std::uint64_t cut_bytes = 0;         // bytes after the last whole block
};

class Reader {
 public:
  // "-" reads standard input. Fails with kNotFound, kPermission, kBadData (not a profile; perf.data and others are named as such)
  // or kUnsupported (a newer version or an unknown required feature).
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  static Result<std::unique_ptr<Reader>> FromFd(UniqueFd fd, const std::string& name);
  ~Reader();

  // Pushes every record in stream order. A corrupt block is skipped and counted; records that refer to
  // what a skipped block defined are dropped and counted as Loss{kBadRecord}. Fails only when the sink does or reading itself fails. Call once.
  Result<ReadSummary> Replay(model::RecordSink& sink);

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::store
