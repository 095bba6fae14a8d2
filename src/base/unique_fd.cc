// Closes owned file descriptors.
#include "prof/base/unique_fd.h"

#include <unistd.h>

namespace prof {

void UniqueFd::Reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace prof
