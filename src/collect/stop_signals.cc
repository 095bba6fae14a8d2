// Reads the signals that end a recording from a signalfd.
#include "collect/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace prof::collect {

Result<StopSignals> StopSignals::Block() {
  StopSignals signals;
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&mask, number);
  ::signal(SIGCHLD, SIG_DFL);  // where a parent made us ignore it, no exit status would be kept
  ::sigprocmask(SIG_BLOCK, &mask, &signals.old_mask_);
  signals.fd_ = UniqueFd(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.fd_.valid())
    return FailErrno(errno, "signalfd", "ulimit -n 65536 raises the limit of open files");
  return signals;
}

StopSignals::~StopSignals() {
  if (fd_.valid()) ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

void StopSignals::UnblockInterrupt() {
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
}

std::optional<StopSignals::Taken> StopSignals::Take() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return Taken{.number = static_cast<int>(info.ssi_signo), .from_process = info.ssi_code <= 0};
}

}  // namespace prof::collect
