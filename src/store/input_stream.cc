// Reads ahead into a buffer.
#include "store/input_stream.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace prof::store {
namespace {

constexpr std::size_t kReadBytes = 256U << 10;

}  // namespace

Result<std::span<const std::byte>> InputStream::Peek(std::size_t size) {
  while (end_ - begin_ < size && !at_end_) {
    if (buffer_.size() - end_ < kReadBytes / 2) {
      const std::size_t held = end_ - begin_;
      // Room for as much again makes moving the rest to the front cheap on average.
      if (buffer_.size() < 2 * held + kReadBytes) buffer_.resize(2 * held + kReadBytes);
      std::memmove(buffer_.data(), buffer_.data() + begin_, held);
      begin_ = 0;
      end_ = held;
    }
    const ssize_t got = ::read(fd_.get(), buffer_.data() + end_, buffer_.size() - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      pollfd ready{.fd = fd_.get(), .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (got < 0 && errno == EISDIR) {
      return Fail(ErrorKind::kBadData, fmt::format("{}: is a directory, not a profile", name_));
    }
    if (got < 0) return FailErrno(errno, "cannot read " + name_);
    if (got == 0) at_end_ = true;
    end_ += static_cast<std::size_t>(got);
  }
  return Buffered().first(std::min(size, end_ - begin_));
}

}  // namespace prof::store
