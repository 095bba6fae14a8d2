// Opens and writes the output of prof stat.
#include "stat_output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace prof::tools {
namespace {

constexpr mode_t kFileMode = 0666;  // less the umask: results, as a shell's > would write them

std::string StartedLine() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &parts);
  return "# started on " + std::string(text, size) + "\n\n";
}

}  // namespace

Result<StatOutput> StatOutput::Open(const StatArguments& arguments) {
  StatOutput output;
  if (arguments.output.empty()) {
    output.fd_ = arguments.log_fd;
    output.name_ = arguments.log_fd == STDERR_FILENO ? "standard error" : "--log-fd";
    output.silent_ = arguments.quiet && arguments.log_fd == STDERR_FILENO;
  } else {
    output.name_ = arguments.output;
    output.file_ = UniqueFd(::open(
        arguments.output.c_str(),
        O_WRONLY | O_CREAT | O_CLOEXEC | (arguments.append ? O_APPEND : O_TRUNC), kFileMode));
    if (!output.file_.valid())
      return FailErrno(errno, "cannot write " + arguments.output,
                       "-o FILE puts the results elsewhere");
    output.fd_ = output.file_.get();
  }
  output.terminal_ = ::isatty(output.fd_) == 1;
  winsize size{};
  if (output.terminal_ && ::ioctl(output.fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    output.width_ = size.ws_col;
  if (output.file_.valid() && arguments.format != StatFormat::kJson)
    PROF_TRY(output.Write(StartedLine()));
  return output;
}

Status StatOutput::Write(const std::string& text) {
  if (silent_ || closed_) return {};
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(fd_, text.data() + written, text.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      closed_ = true;
      return {};
    } else if (errno != EINTR) {
      return FailErrno(errno, "cannot write the results to " + name_,
                       "-o FILE puts them elsewhere");
    }
  }
  return {};
}

bool MayColor(const StatOutput& output) {
  const char* no_color = std::getenv("NO_COLOR");
  return output.is_terminal() && (no_color == nullptr || *no_color == '\0');
}

}  // namespace prof::tools
