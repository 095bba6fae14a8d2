// Maps files read-only.
#include "prof/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "prof/base/unique_fd.h"

namespace prof {

Result<MappedFile> MappedFile::Open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return FailErrno(errno, path);
  return FromFd(fd.get(), path);
}

Result<MappedFile> MappedFile::FromFd(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return FailErrno(errno, name);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorKind::kBadData, name + ": not a regular file");
  MappedFile file;
  if (status.st_size == 0) return file;
  void* data =
      ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return FailErrno(errno, name);
  file.data_ = static_cast<const std::byte*>(data);
  file.size_bytes_ = static_cast<std::size_t>(status.st_size);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_bytes_);
}

}  // namespace prof
