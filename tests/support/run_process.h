// Runs a command line the way a shell would and keeps what it printed; for tests of whole programs.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace prof::test {

struct RunOptions {
  bool as_user = false;  // drop to uid and gid 65534 first; needs root
  double timeout_s = 120;
  std::string folder;  // working directory; empty: the test's own
  std::vector<std::pair<std::string, std::string>> environment;  // set on top of the test's own
};

struct RunResult {
  int status = -1;  // as a shell shows it: 128+N after signal N
  bool timed_out = false;
  double seconds = 0;
  std::string out;
  std::string err;
};

// A started process, leader of its own process group, with stdin at /dev/null. Killed with its
// group when it is dropped before it was waited for. Output goes to memory files, so that neither a
// full pipe nor a surviving child can block a test.
class RunningProcess {
 public:
  RunningProcess(const std::vector<std::string>& command, const RunOptions& options);
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  void SignalGroup(int signal) const;
  RunResult Wait();

 private:
  double timeout_s_;
  double started_;
  int out_ = -1;
  int err_ = -1;
  pid_t pid_ = -1;
  bool waited_ = false;
};

RunResult RunProgram(const std::vector<std::string>& command, const RunOptions& options = {});

// Polls until `path` is a file with something in it, and returns the text; empty after 10 seconds.
std::string AwaitText(const std::string& path);

void SleepMs(int milliseconds);

}  // namespace prof::test
