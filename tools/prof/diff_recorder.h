// The child processes and the folder of `prof diff --runs`.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diff_runs.h"

#include "prof/base/result.h"

namespace prof::tools {

// A folder of our own below $TMPDIR or /tmp, removed with everything in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> Create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Runs `prof record` as child processes with an empty standard input. While it lives, SIGINT,
// SIGTERM and SIGHUP are blocked: they end the run that goes on, not prof; those that come when
// none does are delivered once it is gone. One at a time, and no other thread may start processes.
class ChildRecorder final : public RecordSource {
 public:
  // What runs print goes to a file in `scratch`, or where prof's own output goes.
  ChildRecorder(std::string scratch, bool show_output);
  ~ChildRecorder() override;
  ChildRecorder(const ChildRecorder&) = delete;
  ChildRecorder& operator=(const ChildRecorder&) = delete;

  Result<RecordEnd> Record(const std::vector<std::string>& args, const std::string& file) override;
  void Remove(const std::string& file) override;

 private:
  Result<pid_t> Start(const std::vector<std::string>& args);
  [[nodiscard]] std::string TailOfOutput() const;
  std::optional<int> TakePending();

  std::string output_;  // a file; empty: shown
  bool interrupted_ = false;
  sigset_t waited_{};
  sigset_t before_{};  // the mask to restore
};

}  // namespace prof::tools
