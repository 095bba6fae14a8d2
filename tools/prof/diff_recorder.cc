// Starts `prof record` and waits for it, with signals taken in between.
#include "diff_recorder.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "prof/base/unique_fd.h"

namespace prof::tools {
namespace {

constexpr int kSignalled = 128;
constexpr int kNotStarted = 125;
constexpr int kEndSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::streamoff kTailBytes = 16 * 1024;

// Between fork and exec: system calls alone.
struct ChildSetup {
  const char* output;  // null: shown
  const sigset_t* mask;
  pid_t parent;
  char** words;
};

[[noreturn]] void RunChild(const ChildSetup& setup) {
  // If prof diff is killed, the recording and its command end, too.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != setup.parent) ::_exit(kNotStarted);
  ::sigprocmask(SIG_SETMASK, setup.mask, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (setup.output != nullptr) {
    const int output = ::open(setup.output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (output < 0) ::_exit(kNotStarted);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::close(output);
  }
  if (nothing > STDERR_FILENO) ::close(nothing);
  ::execv("/proc/self/exe", setup.words);
  ::_exit(kNotStarted);
}

int StatusOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? kSignalled + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::Create() {
  const char* base = std::getenv("TMPDIR");
  std::string path =
      std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/prof-diff-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return FailErrno(errno, "cannot make a folder for the recordings, " + path,
                     "TMPDIR=DIR puts it elsewhere");
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

ChildRecorder::ChildRecorder(std::string scratch, bool show_output)
    : output_(show_output ? "" : std::move(scratch) + "/output") {
  ::sigemptyset(&waited_);
  for (const int signal : kEndSignals) ::sigaddset(&waited_, signal);
  ::sigaddset(&waited_, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &waited_, &before_);
  ::signal(SIGCHLD, SIG_DFL);  // where it is ignored, statuses are lost
}

ChildRecorder::~ChildRecorder() {
  // `timeout` sends two; the first has been answered by ending the runs.
  if (interrupted_) TakePending();
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

Result<pid_t> ChildRecorder::Start(const std::vector<std::string>& args) {
  std::vector<std::string> words = {"prof", "record"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const ChildSetup setup{.output = output_.empty() ? nullptr : output_.c_str(),
                         .mask = &before_,
                         .parent = ::getpid(),
                         .words = pointers.data()};
  const pid_t child = ::fork();
  if (child < 0) return FailErrno(errno, "cannot start prof record");
  if (child == 0) RunChild(setup);
  return child;
}

Result<RecordEnd> ChildRecorder::Record(const std::vector<std::string>& args,
                                        const std::string& file) {
  ::unlink(file.c_str());  // of an earlier --keep: what is there afterwards is of this run
  PROF_TRY_ASSIGN(const pid_t child, Start(args));
  RecordEnd end;
  int wait_status = 0;
  while (::waitpid(child, &wait_status, WNOHANG) == 0) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&waited_, &info);
    if (signal < 0 || signal == SIGCHLD) continue;
    end.signal = signal;
    // A terminal has told the child and its command, too. SIGTERM ends both of them.
    if (info.si_code <= 0) ::kill(child, SIGTERM);
  }
  if (const auto late = TakePending(); late && !end.signal) end.signal = late;
  interrupted_ = interrupted_ || end.signal;
  end.status = StatusOf(wait_status);
  end.recorded = ::access(file.c_str(), F_OK) == 0;
  if (end.status != 0) end.output = TailOfOutput();
  return end;
}

std::optional<int> ChildRecorder::TakePending() {
  std::optional<int> taken;
  const timespec at_once{};
  for (int signal = 0; (signal = ::sigtimedwait(&waited_, nullptr, &at_once)) > 0;) {
    if (signal != SIGCHLD) taken = signal;
  }
  return taken;
}

void ChildRecorder::Remove(const std::string& file) { ::unlink(file.c_str()); }

std::string ChildRecorder::TailOfOutput() const {
  if (output_.empty()) return {};
  std::ifstream file(output_, std::ios::binary);
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  file.seekg(size > kTailBytes ? size - kTailBytes : 0);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace prof::tools
