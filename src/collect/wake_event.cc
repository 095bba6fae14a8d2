// Wraps eventfd(2).
#include "collect/wake_event.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace prof::collect {

Result<WakeEvent> WakeEvent::Create() {
  UniqueFd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd.valid())
    return FailErrno(errno, "eventfd", "ulimit -n 65536 raises the limit of open files");
  return WakeEvent(std::move(fd));
}

// Neither can fail but where nothing is to do: the counter is full, or it is zero.
void WakeEvent::Signal() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);
}

void WakeEvent::Clear() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = ::read(fd_.get(), &count, sizeof count);
}

}  // namespace prof::collect
