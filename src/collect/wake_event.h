// Wakes a thread that sleeps in poll().
#pragma once

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::collect {

// An eventfd: readable from Signal() until Clear(). Any thread may call either.
class WakeEvent {
 public:
  static Result<WakeEvent> Create();
  [[nodiscard]] int fd() const { return fd_.get(); }
  void Signal() const;
  void Clear() const;

 private:
  explicit WakeEvent(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace prof::collect
