#include "disasm/child/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "prof/base/pipe.h"

namespace prof::disasm {
namespace {

constexpr std::size_t kErrorTextBytes = 1024;
constexpr int kInputFd = 3;

using Clock = std::chrono::steady_clock;

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  // posix_spawn clears close-on-exec also where both are the same number.
  void Give(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as); }
  void GiveNothing(int as) {
    ::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDONLY, 0);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// No signal blocked, none ignored.
class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// The environment of prof with the C locale and without a server to ask for debug files.
std::vector<std::string> MakeEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("LC_ALL=") && !text.starts_with("DEBUGINFOD_URLS="))
      environment.emplace_back(text);
  }
  environment.emplace_back("LC_ALL=C");
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A started child; killed and waited for when it is dropped before Wait().
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    Wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int Wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

// False: the other end is closed.
bool ReadSome(int fd, std::string& text, std::size_t keep) {
  std::array<char, 65536> buffer;
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size == 0) return false;
  const std::size_t room = keep - std::min(keep, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
  return true;
}

Status ReadAll(const std::string& program, int out_fd, int err_fd, const ChildLimits& limits,
               ChildOutput& output) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(limits.timeout_ms);
  std::array<pollfd, 2> polled{pollfd{out_fd, POLLIN, 0}, pollfd{err_fd, POLLIN, 0}};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0)
      return Fail(ErrorKind::kSystem, program + ": no answer within " +
                                          std::to_string(limits.timeout_ms / 1000) + " s");
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return FailErrno(errno, "poll");
    if (ready <= 0) continue;
    if (polled[0].revents != 0 && !ReadSome(out_fd, output.out, limits.output_bytes))
      polled[0].fd = -1;
    if (polled[1].revents != 0 && !ReadSome(err_fd, output.err, kErrorTextBytes)) polled[1].fd = -1;
    if (output.out.size() >= limits.output_bytes)
      return Fail(ErrorKind::kSystem, program + ": it prints without end");
  }
  return {};
}

}  // namespace

Result<ChildOutput> RunChild(const std::vector<std::string>& command, int input_fd,
                             const ChildLimits& limits) {
  PROF_TRY_ASSIGN(Pipe out, Pipe::Open());
  PROF_TRY_ASSIGN(Pipe err, Pipe::Open());
  // Above the numbers that the child gets, which would otherwise overwrite each other.
  UniqueFd out_copy(::fcntl(out.write_end.get(), F_DUPFD_CLOEXEC, kInputFd + 1));
  UniqueFd err_copy(::fcntl(err.write_end.get(), F_DUPFD_CLOEXEC, kInputFd + 1));
  const UniqueFd input_copy(::fcntl(input_fd, F_DUPFD_CLOEXEC, kInputFd + 1));
  if (out_copy.get() < 0 || err_copy.get() < 0 || input_copy.get() < 0)
    return FailErrno(errno, "dup", "ulimit -n 65536 raises the limit of open files");
  FileActions actions;
  actions.GiveNothing(STDIN_FILENO);
  actions.Give(out_copy.get(), STDOUT_FILENO);
  actions.Give(err_copy.get(), STDERR_FILENO);
  actions.Give(input_copy.get(), kInputFd);
  const Attributes attributes;
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = MakeEnvironment();
  pid_t pid = -1;
  const int error_number = ::posix_spawn(&pid, command[0].c_str(), actions.get(), attributes.get(),
                                         Pointers(arguments).data(), Pointers(environment).data());
  if (error_number != 0) return FailErrno(error_number, command[0]);
  Child child(pid);
  out.write_end.Reset();
  err.write_end.Reset();
  out_copy.Reset();
  err_copy.Reset();
  ChildOutput output;
  PROF_TRY(ReadAll(command[0], out.read_end.get(), err.read_end.get(), limits, output));
  output.status = child.Wait();
  return output;
}

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* value = std::getenv("PATH");
  std::string_view path = value == nullptr ? "/usr/local/bin:/usr/bin:/bin" : value;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string_view folder = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (folder.empty()) continue;
    const std::string file = std::string(folder) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace prof::disasm
