// Polls the rings' owners and leaves out those whose task has ended.
#include "collect/ring_waiter.h"

#include <algorithm>

namespace prof::collect {
namespace {

// The ring of a task that ended takes records of others as before, but its owner says nothing of
// them any more: poll() returns POLLHUP, always and at once.
constexpr int kHungUpMs = 10;

}  // namespace

RingWaiter::RingWaiter(int wake_fd, const std::vector<int>& ring_fds) : fds_{{wake_fd, POLLIN, 0}} {
  for (const int fd : ring_fds) fds_.push_back({fd, POLLIN, 0});
}

void RingWaiter::Wait(int timeout_ms) {
  // One call for everything: a poll() that returns POLLIN takes the wakeup away (perf_poll() resets
  // rb->poll), so that a second one would sleep on a filling ring.
  const int limit_ms = hung_up_ ? std::min(timeout_ms, kHungUpMs) : timeout_ms;
  if (::poll(fds_.data(), fds_.size(), limit_ms) <= 0) return;
  for (pollfd& entry : fds_) {
    if ((entry.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) continue;
    entry.fd = -1;  // poll() skips it
    hung_up_ = true;
  }
}

}  // namespace prof::collect
