// Where `prof stat` prints to: standard error, a file, an open descriptor.
#pragma once

#include <string>

#include "stat_arguments.h"

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::tools {

class StatOutput {
 public:
  // Creates or empties the file, so that it cannot turn out to be unwritable after the runs. A
  // file begins with the line that perf puts there ("# started on ..."), JSON excepted.
  static Result<StatOutput> Open(const StatArguments& arguments);

  // All of it. A reader that has gone away (2>&1 | head) is no error.
  Status Write(const std::string& text);
  [[nodiscard]] bool is_terminal() const { return terminal_; }
  [[nodiscard]] int width() const { return width_; }  // columns; 80 where there is no terminal

 private:
  StatOutput() = default;
  UniqueFd file_;
  int fd_ = -1;
  std::string name_;
  bool silent_ = false;  // -q without a place of its own
  bool closed_ = false;  // the reader has gone
  bool terminal_ = false;
  int width_ = 80;
};

// Whether colours may be used there: a terminal, and NO_COLOR is not set.
bool MayColor(const StatOutput& output);

}  // namespace prof::tools
