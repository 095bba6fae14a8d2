// Runs the pager as a child with the text on its standard input.
#include "pager.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "standard_output.h"

#include "prof/base/unique_fd.h"

namespace prof::tools {
namespace {

// A shell's statuses of a command that cannot be executed, and of one that does not exist.
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

std::string PagerCommand() {
  for (const char* name : {"PROF_PAGER", "PAGER"}) {
    if (const char* value = std::getenv(name)) {
      const std::string command = value;
      return command == "cat" ? std::string() : command;
    }
  }
  return "less";
}

bool FitsScreen(std::string_view text) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
  return std::ranges::count(text, '\n') < size.ws_row;
}

[[noreturn]] void RunPager(const std::string& command, int input) {
  // Colours as they are, long lines not folded, the screen left as it was.
  ::setenv("LESS", "RS", 0);
  ::setenv("LESSCHARSET", "utf-8", 0);
  ::dup2(input, STDIN_FILENO);
  ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  ::_exit(kNotFound);
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (count < 0 && errno != EINTR) {
      return;  // the reader has seen enough
    }
  }
}

// Whether the pager ran.
bool Page(const std::string& command, const std::string& text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) RunPager(command, output.get());
  // A Ctrl-C is for the pager: it stops a search there.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  output = UniqueFd();
  WriteAll(input.get(), text);
  input = UniqueFd();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;
  }
  return !WIFEXITED(status) ||
         (WEXITSTATUS(status) != kNotFound && WEXITSTATUS(status) != kNotExecutable);
}

}  // namespace

Status ShowOutput(const std::string& text, const std::string& what) {
  const std::string command = PagerCommand();
  if (!WritesToTerminal() || command.empty() || FitsScreen(text)) return WriteOutput(text, what);
  return Page(command, text) ? Status() : WriteOutput(text, what);
}

}  // namespace prof::tools
