// The launched command: forked and held until the events are open, then let go.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::collect {

// The child is never stopped or traced. It blocks reading a pipe before its exec; when prof dies
// there, the pipe closes and the child exits. Destroying a Workload that was never released lets
// the child exit the same way; a released one lives on.
class Workload {
 public:
  // `child_mask` is the signal mask the command shall have. `output_to_stderr` duplicates stderr
  // over its stdout.
  static Result<Workload> Fork(const std::vector<std::string>& command, const sigset_t& child_mask,
                               bool output_to_stderr);
  Workload(Workload&&) = default;
  Workload& operator=(Workload&&) = default;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Lets it exec and waits until that happened. Fails with kNotFound or kPermission when it could
  // not; the child is reaped then.
  Status Release();
  // Collects the exit status without waiting; true when it has ended.
  bool Poll();
  [[nodiscard]] bool ended() const { return status_.has_value(); }
  // As a shell shows it: the exit code, or 128+N. Only when ended().
  [[nodiscard]] int ExitStatus() const;
  // Blocks until it ends.
  void Wait();
  // User and system time of the command and of all descendants that were waited for. Only when
  // ended().
  [[nodiscard]] std::uint64_t CpuTimeNs() const { return cpu_ns_; }
  void Signal(int number) const;

 private:
  Workload() = default;
  // True when it was there to collect.
  bool Collect(int options);
  pid_t pid_ = -1;
  std::string name_;
  UniqueFd go_;          // write end: one byte lets the child exec
  UniqueFd exec_error_;  // read end: errno of a failed exec, or end of file
  std::optional<int> status_;
  std::uint64_t cpu_ns_ = 0;
};

}  // namespace prof::collect
