// The root directories of targets that see other files than prof does: containers, chroots, mount
// namespaces.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/root_dir.h"

namespace prof::collect {

// One descriptor for each distinct root, kept until the end of the session so that a root serves
// when the process that led to it is gone. Owned by the session, one thread.
class TargetRoots {
 public:
  explicit TargetRoots(const HostFs& fs);

  // The root of `pid` when it is not the one of prof; null when it is, or the process is gone, or
  // looking is not permitted.
  std::shared_ptr<const RootDir> Of(pid_t pid);
  // All of them so far, the oldest first.
  struct Known {
    std::string key;  // mount namespace, device and inode of the directory
    std::shared_ptr<const RootDir> root;
  };
  [[nodiscard]] const std::vector<Known>& known() const { return known_; }

 private:
  [[nodiscard]] std::string KeyOf(const std::string& process) const;

  HostFs fs_;
  std::string own_key_;
  std::vector<Known> known_;
};

}  // namespace prof::collect
