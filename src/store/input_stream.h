// A window that moves over a descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::store {

// Files and pipes alike: read, never sought or mapped, so a file that shrinks meanwhile does no
// harm. Memory grows with what has arrived, not with what a length field promises.
class InputStream {
 public:
  InputStream(UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}

  // The next `size` bytes, fewer only at the end of the input. Valid until the next call.
  Result<std::span<const std::byte>> Peek(std::size_t size);
  // What is there without reading.
  [[nodiscard]] std::span<const std::byte> Buffered() const {
    return std::span(buffer_).subspan(begin_, end_ - begin_);
  }
  // `size` is at most what the last Peek returned.
  void Consume(std::size_t size) {
    begin_ += size;
    position_ += size;
  }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  UniqueFd fd_;
  std::string name_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
  bool at_end_ = false;
};

}  // namespace prof::store
