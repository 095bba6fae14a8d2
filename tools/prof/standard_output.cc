// Writes results whole and asks the terminal for its width.
#include "standard_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace prof::tools {

Status WriteOutput(const std::string& text, const std::string& what) {
  std::signal(SIGPIPE, SIG_IGN);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(STDOUT_FILENO, text.data() + written, text.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (count < 0 && errno == EPIPE) {
      return {};
    } else if (count < 0 && errno != EINTR) {
      return FailErrno(errno, "cannot write the " + what + " to standard output");
    }
  }
  return {};
}

void BindColor(CLI::App& app, std::string& text) {
  app.add_option("--stdio-color", text, "always, never or auto (default; on a terminal)")
      ->check(CLI::IsMember({"always", "never", "auto"}))
      ->type_name("WHEN");
}

ColorMode ParseColor(const std::string& text) {
  return text == "always"  ? ColorMode::kAlways
         : text == "never" ? ColorMode::kNever
                           : ColorMode::kAuto;
}

bool WritesToTerminal() { return isatty(STDOUT_FILENO) == 1; }

bool WantsColor(ColorMode mode) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool may_color = no_color == nullptr || *no_color == '\0';
  return mode == ColorMode::kAlways ||
         (mode == ColorMode::kAuto && WritesToTerminal() && may_color);
}

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace prof::tools
