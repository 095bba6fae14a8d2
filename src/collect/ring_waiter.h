// Sleeps until a ring is filling up or somebody wakes it.
#pragma once

#include <poll.h>

#include <vector>

namespace prof::collect {

class RingWaiter {
 public:
  // `wake_fd`: anything to poll for besides. `ring_fds`: the owners of the rings.
  RingWaiter(int wake_fd, const std::vector<int>& ring_fds);
  // Returns at once for a wakeup since the last call, at the latest after `timeout_ms`.
  void Wait(int timeout_ms);

 private:
  std::vector<pollfd> fds_;
  bool hung_up_ = false;
};

}  // namespace prof::collect
