// Tells roots apart and keeps them open.
#include "collect/target_roots.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace prof::collect {

TargetRoots::TargetRoots(const HostFs& fs) : fs_(fs), own_key_(KeyOf("/proc/self")) {}

// Two mount namespaces may have the same directory as their root and other files below it. Empty:
// not known.
std::string TargetRoots::KeyOf(const std::string& process) const {
  const auto mounts = fs_.ReadLink(process + "/ns/mnt");
  struct stat root {};
  if (!mounts || ::stat(fs_.Path(process + "/root").c_str(), &root) != 0) return {};
  return *mounts + ' ' + std::to_string(root.st_dev) + ':' + std::to_string(root.st_ino);
}

std::shared_ptr<const RootDir> TargetRoots::Of(pid_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::string key = KeyOf(process);
  if (key.empty() || key == own_key_) return nullptr;
  const auto found = std::ranges::find(known_, key, &Known::key);
  if (found != known_.end()) return found->root;
  auto root = RootDir::Open(fs_.Path(process + "/root"));
  if (!root) return nullptr;
  known_.push_back({std::move(key), std::make_shared<const RootDir>(std::move(*root))});
  return known_.back().root;
}

}  // namespace prof::collect
