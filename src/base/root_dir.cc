// Opens files inside the root of another process.
#include "prof/base/root_dir.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace prof {

Result<RootDir> RootDir::Open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return FailErrno(errno, path);
  return RootDir(std::move(fd));
}

Result<UniqueFd> RootDir::OpenFile(const std::string& path, int flags) const {
  open_how how{};
  how.flags = static_cast<unsigned>(O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  constexpr int kTries = 16;  // EAGAIN: a rename somewhere raced with ".."
  long fd = -1;
  for (int i = 0; i < kTries && fd < 0; ++i) {
    fd = ::syscall(SYS_openat2, fd_.get(), path.c_str(), &how, sizeof(how));
    if (fd < 0 && errno != EINTR && errno != EAGAIN) break;
  }
  if (fd >= 0) return UniqueFd(static_cast<int>(fd));
  if (errno == ENOSYS) {
    return Fail(ErrorKind::kUnsupported, path + ": files of containers need Linux 5.6");
  }
  return FailErrno(errno, path);
}

}  // namespace prof
