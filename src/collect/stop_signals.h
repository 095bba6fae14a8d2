// SIGINT, SIGTERM, SIGHUP and SIGCHLD as a descriptor to poll.
#pragma once

#include <csignal>
#include <optional>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::collect {

// Blocks the four signals for the whole process while it lives and restores the old mask at the
// end.
class StopSignals {
 public:
  static Result<StopSignals> Block();
  StopSignals(StopSignals&&) = default;
  StopSignals& operator=(StopSignals&&) = delete;
  ~StopSignals();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const sigset_t& old_mask() const { return old_mask_; }
  struct Taken {
    int number = 0;
    // A process sent it to us alone or to our group. The terminal's own go to the whole foreground
    // group, a command of ours included.
    bool from_process = false;
  };
  // The next pending signal, without waiting.
  std::optional<Taken> Take();
  // From now on SIGINT ends the process again.
  void UnblockInterrupt();

 private:
  StopSignals() = default;
  UniqueFd fd_;
  sigset_t old_mask_{};
};

}  // namespace prof::collect
