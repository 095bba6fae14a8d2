#include "prof/base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace prof {

Result<Pipe> Pipe::Open() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    return FailErrno(errno, "pipe", "ulimit -n 65536 raises the limit of open files");
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace prof
