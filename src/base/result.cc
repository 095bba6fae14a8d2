// Turns errno values into Errors and ends the process on a broken invariant.
#include "prof/base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace prof {
namespace {

ErrorKind KindOfErrno(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return ErrorKind::kPermission;
    case ENOENT:
    case ESRCH:
      return ErrorKind::kNotFound;
    default:
      return ErrorKind::kSystem;
  }
}

// Limits whose remedy does not depend on what ran into them.
const char* HintOfErrno(int error_number) {
  switch (error_number) {
    case EMFILE:
      return "raise the limit of open files: ulimit -n 65536";
    case ENFILE:
      return "sudo sysctl fs.file-max=1000000";
    case ENOSPC:
      return "see which disk is full: df -h";
    default:
      return "";
  }
}

}  // namespace

std::unexpected<Error> FailErrno(int error_number, std::string_view what, std::string hint) {
  char buffer[128];
  std::string message(what);
  message += ": ";
  message += strerror_r(error_number, buffer, sizeof buffer);
  if (hint.empty()) hint = HintOfErrno(error_number);
  return Fail(KindOfErrno(error_number), std::move(message), std::move(hint));
}

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "prof: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace prof
