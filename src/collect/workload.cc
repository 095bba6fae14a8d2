// Forks the command, holds it on a pipe, and reports why an exec failed.
#include "collect/workload.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collect/cpu_time.h"

#include "prof/base/pipe.h"

namespace prof::collect {
namespace {

// False at the end of file. What is this small comes through a pipe in one piece.
template <class T>
bool ReadWhole(int fd, T& value) {
  T read_value{};
  ssize_t size = 0;
  do {
    size = ::read(fd, &read_value, sizeof read_value);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof read_value) return false;
  value = read_value;
  return true;
}

// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void RunChild(char* const* argv, int go_fd, int report_fd, const sigset_t& mask,
                           const CommandOutput& output) {
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::signal(SIGPIPE, SIG_DFL);  // prof itself ignores it
  if (output.out != STDOUT_FILENO) ::dup2(output.out, STDOUT_FILENO);
  if (output.err != STDERR_FILENO) ::dup2(output.err, STDERR_FILENO);
  char byte = 0;
  ssize_t size = 0;
  do {
    size = ::read(go_fd, &byte, 1);
  } while (size < 0 && errno == EINTR);
  if (size != 1) ::_exit(127);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const std::int64_t peak_kb = usage.ru_maxrss;
  [[maybe_unused]] ssize_t written = ::write(report_fd, &peak_kb, sizeof peak_kb);
  ::execvp(argv[0], argv);
  const int error_number = errno;
  written = ::write(report_fd, &error_number, sizeof error_number);
  ::_exit(127);
}

// Kinds as a shell's exit status tells them apart: kNotFound (127) and kPermission (126).
Error ExplainExecFailure(const std::string& name, int error_number) {
  struct stat status {};
  const bool is_path = name.find('/') != std::string::npos;
  const bool exists = is_path && ::stat(name.c_str(), &status) == 0;
  if (error_number == ENOENT && exists) {
    return {ErrorKind::kNotFound, name + ": its interpreter is missing",
            "check its #! line, or the loader that `readelf -l " + name + "` names"};
  }
  if (error_number == ENOENT && is_path)
    return {ErrorKind::kNotFound, name + ": command not found", "check the path"};
  if (error_number == ENOENT) {
    const std::string quoted = name.empty() ? "''" : name;
    return {ErrorKind::kNotFound, quoted + ": command not found", "check the name and PATH"};
  }
  if (exists && S_ISDIR(status.st_mode)) {
    return {ErrorKind::kPermission, name + ": is a directory", "name a program in it: ls " + name};
  }
  if (error_number == EACCES && exists && (status.st_mode & 0111) == 0) {
    return {ErrorKind::kPermission, name + ": not executable",
            "chmod +x " + name + ", or name the interpreter"};
  }
  char text[128];
  return {ErrorKind::kPermission,
          name + ": cannot be executed: " + ::strerror_r(error_number, text, sizeof text),
          "see what it is and who may run it: namei -l " + name};
}

}  // namespace

Result<Workload> Workload::Fork(const std::vector<std::string>& command, const sigset_t& child_mask,
                                const CommandOutput& output) {
  PROF_TRY_ASSIGN(Pipe go, Pipe::Open());
  PROF_TRY_ASSIGN(Pipe report, Pipe::Open());
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  Workload workload;
  workload.name_ = command.front();
  workload.pid_ = ::fork();
  if (workload.pid_ < 0) return FailErrno(errno, "fork");
  if (workload.pid_ == 0) {
    go.write_end.Reset();
    RunChild(argv.data(), go.read_end.get(), report.write_end.get(), child_mask, output);
  }
  workload.go_ = std::move(go.write_end);
  workload.report_ = std::move(report.read_end);
  return workload;
}

Status Workload::Release() {
  const char byte = 1;
  if (::write(go_.get(), &byte, 1) != 1) return FailErrno(errno, name_ + ": cannot start");
  go_.Reset();
  ReadWhole(report_.get(), forked_peak_kb_);
  int error_number = 0;
  const bool failed = ReadWhole(report_.get(), error_number);
  report_.Reset();
  if (!failed) return {};
  Wait();
  return std::unexpected(ExplainExecFailure(name_, error_number));
}

void Workload::Cancel() {
  go_.Reset();
  Wait();
}

bool Workload::Poll() { return status_ || Collect(WNOHANG); }

bool Workload::Collect(int options) {
  int status = 0;
  rusage usage{};
  if (::wait4(pid_, &status, options, &usage) != pid_) return false;
  status_ = status;
  usage_ = usage;
  return true;
}

bool Workload::IsZombie() const { return Look().si_pid == pid_; }

int Workload::KilledBy() const {
  const siginfo_t info = Look();
  const bool killed = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
  return info.si_pid == pid_ && killed ? info.si_status : 0;
}

siginfo_t Workload::Look() const {
  siginfo_t info{};
  if (status_ || ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return {};
  return info;
}

std::optional<std::uint64_t> Workload::PeakRssBytes() const {
  // The kernel adds up pages in batches per CPU (percpu_counter, three kinds of pages), so that two
  // looks at the same peak differ: by up to 0.9 MB was seen on two CPUs with Linux 6.18.
  const long batch_pages = std::max(32L, 2 * ::sysconf(_SC_NPROCESSORS_ONLN));
  const std::int64_t uncertain_kb =
      std::max(2048L, 3 * 2 * batch_pages * (::sysconf(_SC_PAGESIZE) / 1024));
  if (forked_peak_kb_ < 0 || usage_.ru_maxrss <= forked_peak_kb_ + uncertain_kb)
    return std::nullopt;
  return static_cast<std::uint64_t>(usage_.ru_maxrss) * 1024;
}

std::uint64_t Workload::CpuTimeNs() const {
  return NanosecondsOf(usage_.ru_utime) + NanosecondsOf(usage_.ru_stime);
}

void Workload::Wait() {
  while (!status_) {
    if (!Collect(0) && errno != EINTR) status_ = 0;
  }
}

int Workload::ExitStatus() const {
  const int status = status_.value_or(0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Workload::Signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

}  // namespace prof::collect
