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
  std::uint64_t blocks = 0;  // whole and read, the unknown ones included
  std::uint64_t bytes = 0;
  std::uint64_t corrupt_blocks = 0;  // checksum or content wrong: skipped
  std::uint64_t unknown_blocks = 0;  // of a newer version, marked skippable
  bool complete = false;             // has its RecordingEnd and index: the recorder finished
  std::uint64_t cut_bytes = 0;       // bytes after the last whole block
};

// Files and pipes are read alike, from front to end, never mapped: a file that shrinks meanwhile
// does no harm, and memory stays at one block and what the current epoch defined. One thread.
class Reader {
 public:
  // "-" reads standard input. Fails with kNotFound, kPermission, kBadData (not a profile; perf.data
  // and others are named as such) or kUnsupported (a newer version or an unknown required feature).
  static Result<std::unique_ptr<Reader>> Open(const std::string& path);
  static Result<std::unique_ptr<Reader>> FromFd(UniqueFd fd, const std::string& name);
  ~Reader();

  // Pushes every record in stream order, with two liberties of the file: the data of up to a second
  // may come sorted by kind (definitions, renames, samples, losses, slices, counters), and a module
  // with very many symbols or much code comes as several ModuleSymbols or ModuleCode, a source file
  // with much text as several SourceFile. Ids are dense also where a block is
  // missing. A corrupt block is skipped and counted; records that refer to what it defined are
  // dropped. Both come as Loss{kBadRecord}, before RecordingEnd. Fails only when the sink does,
  // when reading itself fails, or with kUnsupported at a required block of a newer version. Call
  // once.
  Result<ReadSummary> Replay(model::RecordSink& sink);

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::store
