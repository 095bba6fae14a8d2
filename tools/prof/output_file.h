// The file a recording is written to, under its final name only once the recording runs.
#pragma once

#include <string>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::tools {

// A regular file is written beside its name first; Publish() renames an existing one to NAME.old
// and puts the new one in place, so that a recording that cannot start leaves no trace. Devices,
// pipes and "-" are written directly. As root under sudo the file belongs to the invoking user.
class OutputFile {
 public:
  static Result<OutputFile> Open(const std::string& name);
  OutputFile(OutputFile&&) = default;
  OutputFile& operator=(OutputFile&&) = default;
  ~OutputFile();  // removes what was not published

  [[nodiscard]] UniqueFd TakeFd() { return std::move(fd_); }
  Status Publish();
  [[nodiscard]] bool is_stdout() const { return name_ == "-"; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  OutputFile() = default;
  std::string name_;
  std::string temporary_;  // empty: written directly, or published
  UniqueFd fd_;
};

}  // namespace prof::tools
