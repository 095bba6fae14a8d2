// Maps files read-only.
#include "prof/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
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

// The kernel's own copy fails with EFAULT where a load would raise SIGBUS.
bool IsStillWhole(std::span<const std::byte> mapped) {
  if (mapped.empty()) return true;
  std::byte copy;
  const iovec local{&copy, 1};
  const iovec remote{const_cast<std::byte*>(&mapped.back()), 1};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == 1 || errno != EFAULT;
}

Status MakePrivatelyWritable(std::span<const std::byte> part) {
  if (part.empty()) return {};
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t first = begin / page * page;
  if (::mprotect(reinterpret_cast<void*>(first), begin + part.size() - first,
                 PROT_READ | PROT_WRITE) != 0) {
    return FailErrno(errno, "mprotect");
  }
  return {};
}

}  // namespace prof
