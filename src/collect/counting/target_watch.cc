// Process descriptors, and where the kernel has none, signal 0.
#include "collect/counting/target_watch.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace prof::collect {
namespace {

constexpr unsigned kPidfdThread = 0200;  // PIDFD_THREAD of Linux 6.9: O_EXCL

}  // namespace

TargetWatch::TargetWatch(const RecordTarget& target) {
  if (target.kind != model::TargetKind::kProcesses && target.kind != model::TargetKind::kThreads)
    return;
  watches_ = true;
  for (const pid_t pid : target.pids) Watch(pid, false);
  for (const pid_t tid : target.tids) Watch(tid, true);
}

void TargetWatch::Watch(pid_t id, bool is_thread) {
  const long fd = ::syscall(SYS_pidfd_open, id, is_thread ? kPidfdThread : 0U);
  if (fd >= 0) {
    pidfds_.emplace_back(static_cast<int>(fd));
  } else if (errno != ESRCH) {
    unseen_.push_back(id);
  }
}

void TargetWatch::AddTo(std::vector<pollfd>& news) const {
  for (const UniqueFd& fd : pidfds_) news.push_back({fd.get(), POLLIN, 0});
}

bool TargetWatch::Ended() {
  if (!watches_) return false;
  std::erase_if(pidfds_, [](const UniqueFd& fd) {
    pollfd ended{fd.get(), POLLIN, 0};
    return ::poll(&ended, 1, 0) > 0;
  });
  std::erase_if(unseen_, [](pid_t id) { return ::kill(id, 0) != 0 && errno == ESRCH; });
  return pidfds_.empty() && unseen_.empty();
}

}  // namespace prof::collect
