// The launched command: forked and held until the events are open, then let go.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::collect {

// What the command's standard output and standard error go to: descriptors of this process.
struct CommandOutput {
  int out = STDOUT_FILENO;
  int err = STDERR_FILENO;
};

// The child is never stopped or traced. It blocks reading a pipe before its exec; when prof dies
// there, the pipe closes and the child exits. Destroying a Workload that was never released lets
// the child exit the same way; a released one lives on.
class Workload {
 public:
  // `child_mask` is the signal mask the command shall have.
  static Result<Workload> Fork(const std::vector<std::string>& command, const sigset_t& child_mask,
                               const CommandOutput& output = {});
  Workload(Workload&&) = default;
  Workload& operator=(Workload&&) = default;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Lets it exec and waits until that happened. Fails with kNotFound or kPermission when it could
  // not; the child is reaped then.
  Status Release();
  // Instead of Release: lets it exit without an exec.
  void Cancel();
  // It has ended and is still there to be looked at in /proc.
  [[nodiscard]] bool IsZombie() const;
  // The signal that killed it, as long as IsZombie(); 0 for none.
  [[nodiscard]] int KilledBy() const;
  // Collects the exit status without waiting; true when it has ended.
  bool Poll();
  [[nodiscard]] bool ended() const { return status_.has_value(); }
  // As a shell shows it: the exit code, or 128+N. Only when ended().
  [[nodiscard]] int ExitStatus() const;
  // Blocks until it ends.
  void Wait();
  // What the command and all descendants that were waited for used. Only when ended().
  [[nodiscard]] const rusage& usage() const { return usage_; }
  // The largest resident set among them. Nothing when it may be that of the fork before its exec, a
  // copy of this process, which the kernel counts as well (exec_mmap()). Only when ended().
  [[nodiscard]] std::optional<std::uint64_t> PeakRssBytes() const;
  // The user and system time of it.
  [[nodiscard]] std::uint64_t CpuTimeNs() const;
  void Signal(int number) const;

 private:
  Workload() = default;
  // How it ended, without collecting it; all zero while it has not.
  [[nodiscard]] siginfo_t Look() const;
  // True when it was there to collect.
  bool Collect(int options);
  pid_t pid_ = -1;
  std::string name_;
  UniqueFd go_;      // write end: one byte lets the child exec
  UniqueFd report_;  // read end: what it used up to its exec, then errno of a failed exec, or end
                     // of file
  std::optional<int> status_;
  rusage usage_{};
  std::int64_t forked_peak_kb_ = -1;  // of the fork at its exec
};

}  // namespace prof::collect
