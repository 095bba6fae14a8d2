// Notices the end of a running target.
#pragma once

#include <poll.h>

#include <vector>

#include "prof/base/unique_fd.h"
#include "prof/collect/record_options.h"

namespace prof::collect {

// All processes and threads that were named; their children and other threads end it not.
class TargetWatch {
 public:
  // For whole CPUs and commands there is nothing to watch.
  explicit TargetWatch(const RecordTarget& target);
  // Appends what to wait for.
  void AddTo(std::vector<pollfd>& news) const;
  // Some can only be looked at every now and then (threads, before Linux 6.9).
  [[nodiscard]] bool NeedsLooks() const { return !unseen_.empty(); }
  // All have ended. Forgets those that have.
  [[nodiscard]] bool Ended();

 private:
  void Watch(pid_t id, bool is_thread);

  bool watches_ = false;
  std::vector<UniqueFd> pidfds_;
  std::vector<pid_t> unseen_;  // those without a pidfd
};

}  // namespace prof::collect
