// Writes a profile file (docs/file-format.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/model/record_sink.h"

namespace prof::store {

struct WriterOptions {
  int compression_level = 1;             // zstd; 0 stores raw
  std::size_t block_bytes = 256 * 1024;  // raw payload at which a block is closed
};

// A RecordSink that writes blocks to a descriptor (a file or a pipe: never seeks). One thread.
// After a write error every call returns it; what was written up to then stays a readable file. A
// closed pipe is the error "Broken pipe" only where SIGPIPE is ignored, which is the tool's to do.
// Destroyed without Finish(), it writes what it still holds, and the file counts as unfinished.
class Writer final : public model::RecordSink {
 public:
  // `name` is for error messages.
  static Result<std::unique_ptr<Writer>> Create(UniqueFd fd, std::string name,
                                                const WriterOptions& options);
  ~Writer() override;

  Status Append(const model::Record& record) override;
  // Closes the open block and hands it to the kernel, so that a reader of a pipe sees it. Called
  // about once a second.
  Status Flush() override;
  // Flushes, writes the index block and closes. Nothing may be appended after it.
  Status Finish();
  [[nodiscard]] std::uint64_t bytes_written() const;

 private:
  class Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::store
