// Two pipes, moved along without blocking.
#include "collect/counting/output_capture.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace prof::collect {
namespace {

constexpr std::size_t kChunk = 64 * 1024;  // what a pipe holds

}  // namespace

Result<std::unique_ptr<OutputCapture>> OutputCapture::Open(const CommandOutput& to,
                                                           NumberSearch& search) {
  std::unique_ptr<OutputCapture> capture(new OutputCapture(to, search));
  for (Stream& stream : capture->streams_) {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0)
      return FailErrno(errno, "pipe", "ulimit -n 65536 raises the limit of open files");
    stream.read_end = UniqueFd(fds[0]);
    stream.command_end = UniqueFd(fds[1]);
    ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
  }
  return capture;
}

CommandOutput OutputCapture::command_ends() const {
  return {.out = streams_[0].command_end.get(), .err = streams_[1].command_end.get()};
}

void OutputCapture::CloseCommandEnds() {
  for (Stream& stream : streams_) stream.command_end.Reset();
}

void OutputCapture::AddTo(std::vector<pollfd>& news) const {
  for (const Stream& stream : streams_) {
    if (!stream.pending.empty()) {
      news.push_back({stream.to, POLLOUT, 0});
    } else if (stream.read_end.valid()) {
      news.push_back({stream.read_end.get(), POLLIN, 0});
    }
  }
}

bool OutputCapture::Stream::Fill() {
  if (!pending.empty() || !read_end.valid()) return false;
  if (only_due && due == 0) {
    read_end.Reset();
    return true;
  }
  pending.resize(only_due ? std::min(due, kChunk) : kChunk);
  const ssize_t size = ::read(read_end.get(), pending.data(), pending.size());
  const int error_number = errno;
  pending.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size < 0 && (error_number == EAGAIN || error_number == EINTR)) return false;
  if (size <= 0) read_end.Reset();
  due -= std::min(due, pending.size());
  lines.Feed(pending);
  if (to < 0) pending.clear();
  return true;
}

// After POLLOUT a pipe takes PIPE_BUF bytes without blocking.
bool OutputCapture::Stream::Flush() {
  if (pending.empty()) return false;
  pollfd ready{to, POLLOUT, 0};
  if (::poll(&ready, 1, 0) <= 0) return false;
  const std::size_t most = std::min<std::size_t>(pending.size(), PIPE_BUF);
  const ssize_t size = ::write(to, pending.data(), most);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size < 0) {
    to = -1;
    pending.clear();
  } else {
    pending.erase(0, static_cast<std::size_t>(size));
  }
  return true;
}

void OutputCapture::Move() {
  for (Stream& stream : streams_) {
    // One piece at a time: an endless stream must not keep prof from everything else.
    while (stream.Flush()) {
    }
    if (!stream.Fill()) continue;
    while (stream.Flush()) {
    }
  }
}

void OutputCapture::CommandEnded() {
  for (Stream& stream : streams_) {
    int in_pipe = 0;
    if (stream.read_end.valid() && ::ioctl(stream.read_end.get(), FIONREAD, &in_pipe) == 0)
      stream.due = static_cast<std::size_t>(in_pipe);
  }
}

void OutputCapture::LeaveChildren() {
  for (Stream& stream : streams_) stream.only_due = true;
}

bool OutputCapture::AtEnd() const {
  return std::ranges::all_of(streams_, [](const Stream& stream) {
    return !stream.read_end.valid() && stream.pending.empty();
  });
}

void OutputCapture::Finish() {
  for (Stream& stream : streams_) stream.lines.Finish();
}

}  // namespace prof::collect
