// Runs command lines for tests: fork, exec, captured output, timeout.
#include "support/run_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace prof::test {
namespace {

constexpr unsigned kNobody = 65534;

double NowSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[65536];
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

[[noreturn]] void BecomeCommand(const std::vector<std::string>& command, const RunOptions& options,
                                int out, int err) {
  ::setpgid(0, 0);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) ::signal(signal, SIG_DFL);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(99);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (options.as_user &&
      (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
    ::_exit(98);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(97);
}

// True when the process ended in time; it is not reaped yet.
bool AwaitEnd(pid_t pid, double seconds) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  pollfd watched = {fd, POLLIN, 0};
  const double end = NowSeconds() + seconds;
  int ready = -1;
  do {
    ready = ::poll(&watched, 1, static_cast<int>((end - NowSeconds()) * 1000));
  } while (ready < 0 && NowSeconds() < end);
  ::close(fd);
  return ready > 0;
}

}  // namespace

RunningProcess::RunningProcess(const std::vector<std::string>& command, const RunOptions& options)
    : timeout_s_(options.timeout_s),
      started_(NowSeconds()),
      out_(::memfd_create("stdout", MFD_CLOEXEC)),
      err_(::memfd_create("stderr", MFD_CLOEXEC)) {
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) BecomeCommand(command, options, out_, err_);
  ::setpgid(pid_, pid_);  // also here: a signal to the group may come before the child has run
}

RunningProcess::~RunningProcess() {
  if (!waited_) {
    SignalGroup(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(out_);
  ::close(err_);
}

void RunningProcess::Signal(int signal) const { ::kill(pid_, signal); }

void RunningProcess::SignalGroup(int signal) const { ::kill(-pid_, signal); }

RunResult RunningProcess::Wait() {
  RunResult result;
  result.timed_out = !AwaitEnd(pid_, timeout_s_);
  if (result.timed_out) SignalGroup(SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  waited_ = true;
  result.seconds = NowSeconds() - started_;
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = ReadAll(out_);
  result.err = ReadAll(err_);
  return result;
}

RunResult RunProgram(const std::vector<std::string>& command, const RunOptions& options) {
  return RunningProcess(command, options).Wait();
}

std::string AwaitText(const std::string& path) {
  for (int i = 0; i < 1000; ++i) {
    std::ostringstream text;
    if (std::ifstream file(path); file && (text << file.rdbuf()) && text.str().ends_with('\n'))
      return text.str();
    SleepMs(10);
  }
  return {};
}

void SleepMs(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace prof::test
