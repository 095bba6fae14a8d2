// Creates, renames and hands over the output file of a recording.
#include "output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace prof::tools {
namespace {

constexpr mode_t kFileMode =
    0600;  // addresses and names of a user's programs are nobody else's business

void GiveToInvokingUser(int fd) {
  const char* uid = std::getenv("SUDO_UID");
  const char* gid = std::getenv("SUDO_GID");
  if (::geteuid() != 0 || uid == nullptr || gid == nullptr) return;
  [[maybe_unused]] const int result =
      ::fchown(fd, static_cast<uid_t>(std::strtoul(uid, nullptr, 10)),
               static_cast<gid_t>(std::strtoul(gid, nullptr, 10)));
}

}  // namespace

Result<OutputFile> OutputFile::Open(const std::string& name) {
  OutputFile file;
  file.name_ = name;
  if (name == "-") {
    if (::isatty(STDOUT_FILENO) == 1) {
      return Fail(ErrorKind::kUsage, "a profile is not written to a terminal",
                  "prof record -o - ... | prof report -i -");
    }
    file.fd_ = UniqueFd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!file.fd_.valid()) return FailErrno(errno, "stdout");
    return file;
  }
  struct stat status {};
  const bool exists = ::stat(name.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return Fail(ErrorKind::kUsage, "cannot write " + name + ": it is a directory",
                "-o " + name + (name.ends_with('/') ? "" : "/") + "prof.data");
  if (exists && !S_ISREG(status.st_mode)) {
    file.fd_ = UniqueFd(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.fd_.valid())
      return FailErrno(errno, "cannot write " + name, "-o FILE puts the profile elsewhere");
    return file;
  }
  file.temporary_ = name + ".new-" + std::to_string(::getpid());
  file.fd_ =
      UniqueFd(::open(file.temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode));
  if (!file.fd_.valid()) {
    const int error_number = errno;
    file.temporary_.clear();
    return FailErrno(error_number, "cannot write " + name, "-o FILE puts the profile elsewhere");
  }
  GiveToInvokingUser(file.fd_.get());
  return file;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::Publish() {
  if (temporary_.empty()) return {};
  ::rename(name_.c_str(), (name_ + ".old").c_str());
  if (::rename(temporary_.c_str(), name_.c_str()) != 0)
    return FailErrno(errno, "cannot write " + name_);
  temporary_.clear();
  return {};
}

}  // namespace prof::tools
