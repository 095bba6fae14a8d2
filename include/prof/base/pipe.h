// Both ends of a pipe, closed on exec.
#pragma once

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;

  // Fails where too many files are open.
  static Result<Pipe> Open();
};

}  // namespace prof
