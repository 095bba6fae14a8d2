// Errors as values. Every fallible function of prof returns Result<T>; nothing below tools/ prints
// or exits.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace prof {

enum class ErrorKind : std::uint8_t {
  kUsage,        // the user asked for something that makes no sense
  kPermission,   // the kernel or the file system refused
  kUnsupported,  // this machine, kernel or build cannot do it
  kNotFound,     // a file, process, event or symbol does not exist
  kBadData,      // a file or record is malformed
  kSystem,       // another failing system call: disk full, out of memory, ...
  kInternal,     // a bug of ours
};

// What failed, on what, and why, composed where the facts are; printed only in tools/prof.
// `hint` is the command or setting that would help, without the leading "hint: "; it may be empty.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
  std::string hint;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> Fail(ErrorKind kind, std::string message,
                                                 std::string hint = {}) {
  return std::unexpected(Error{kind, std::move(message), std::move(hint)});
}

// "<what>: <strerror>", its kind derived from `error_number` (EACCES and EPERM: kPermission, ENOENT
// and ESRCH: kNotFound, everything else: kSystem).
[[nodiscard]] std::unexpected<Error> FailErrno(int error_number, std::string_view what,
                                               std::string hint = {});

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace prof

// Returns the error of `expr` (a Status or Result) from the enclosing function.
#define PROF_TRY(expr)                                            \
  do {                                                            \
    auto prof_try_result = (expr);                                \
    if (!prof_try_result.has_value()) [[unlikely]]                \
      return std::unexpected(std::move(prof_try_result).error()); \
  } while (false)

#define PROF_CONCAT_INNER(a, b) a##b
#define PROF_CONCAT(a, b) PROF_CONCAT_INNER(a, b)
#define PROF_TRY_ASSIGN_IMPL(tmp, decl, expr)       \
  auto tmp = (expr);                                \
  if (!tmp.has_value()) [[unlikely]]                \
    return std::unexpected(std::move(tmp).error()); \
  decl = std::move(tmp).value()
// PROF_TRY_ASSIGN(auto fd, OpenFile(path)): declares or assigns the value, or returns the error.
#define PROF_TRY_ASSIGN(decl, expr) \
  PROF_TRY_ASSIGN_IMPL(PROF_CONCAT(prof_try_, __LINE__), decl, expr)

// For our own bugs only, never for input or what the kernel says.
#define PROF_CHECK(condition)                              \
  do {                                                     \
    if (!(condition)) [[unlikely]]                         \
      ::prof::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)
