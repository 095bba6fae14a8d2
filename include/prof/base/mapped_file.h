// A file mapped read-only into memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "prof/base/result.h"

namespace prof {

// Owns the mapping; bytes() is valid for the lifetime of the object. An empty file maps to an empty
// span. Reading past a later truncation of the file raises SIGBUS, so callers use it for files that
// are replaced, not rewritten (ELF files, finished profiles).
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::string& path);
  // `name` is for error messages only; `fd` stays the caller's.
  static Result<MappedFile> FromFd(int fd, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

// Whether the last byte of a mapped file can still be read: not when the file was cut short since.
bool IsStillWhole(std::span<const std::byte> mapped);
// Makes the pages of `part` of a mapped file writable for a library that insists; what it writes
// stays in this process.
Status MakePrivatelyWritable(std::span<const std::byte> part);

}  // namespace prof
