// The directory that a process in a container or chroot knows as "/".
#pragma once

#include <string>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof {

// Keeps the directory reachable when the process is gone. (What was mounted below it goes with the
// last process of its mount namespace.) Immutable, so shared between threads.
class RootDir {
 public:
  static Result<RootDir> Open(const std::string& path);

  // Opens an absolute path below this root for reading; never blocks on a FIFO. Symbolic links and
  // ".." stay inside, whatever they name: the target may have put them there. `flags` are added to
  // those of open(). kUnsupported before Linux 5.6, which has no openat2().
  [[nodiscard]] Result<UniqueFd> OpenFile(const std::string& path, int flags = 0) const;

 private:
  explicit RootDir(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace prof
