// Keeps parsed kernel symbols in a file of the user.
#include "symbols/kallsyms_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "prof/base/mapped_file.h"
#include "prof/base/unique_fd.h"

namespace prof::symbols {
namespace {

constexpr std::string_view kMagic = "prof kallsyms 1\n";

// FNV-1a.
std::uint64_t Hash(std::string_view text, std::uint64_t hash) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

// Name and size of each module; the reference count beside them changes all the time.
std::uint64_t HashOfModules(const std::string& proc_modules) {
  std::uint64_t hash = 0xcbf29ce484222325;
  std::istringstream lines(proc_modules);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name_end = line.find(' ');
    const std::size_t size_end =
        name_end == std::string::npos ? std::string::npos : line.find(' ', name_end + 1);
    hash = Hash("\n", Hash(std::string_view(line).substr(0, size_end), hash));
  }
  return hash;
}

bool WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd, bytes.data(), bytes.size());
    if (size <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

KallsymsCache::KallsymsCache(const HostFs& fs, std::string dir) : dir_(std::move(dir)) {
  if (dir_.empty()) return;
  const auto boot_id = fs.ReadLine("/proc/sys/kernel/random/boot_id");
  const auto modules = fs.ReadFile("/proc/modules");
  if (!boot_id || boot_id->empty()) return;
  const std::uint64_t hash = HashOfModules(modules ? *modules : std::string());
  key_ = std::string(kMagic) + *boot_id + "\n" + std::to_string(hash) + "\n";
  // The block behind it holds 64-bit words.
  while (key_.size() % sizeof(std::uint64_t) != 0) key_ += '\n';
}

std::optional<Kallsyms> KallsymsCache::Load() const {
  if (key_.empty()) return std::nullopt;
  const std::string path = dir_ + "/kallsyms";
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || status.st_uid != ::geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  auto file = MappedFile::FromFd(fd.get(), path);
  if (!file || file->bytes().size() < key_.size() ||
      std::memcmp(file->bytes().data(), key_.data(), key_.size()) != 0) {
    return std::nullopt;
  }
  Kallsyms symbols;
  symbols.file_ = std::move(*file);
  if (!symbols.Attach(symbols.file_.bytes().subspan(key_.size()))) return std::nullopt;
  return symbols;
}

void KallsymsCache::Store(const Kallsyms& symbols) const {
  if (key_.empty()) return;
  std::error_code ignored;  // without the folder, making the file fails below
  std::filesystem::create_directories(std::filesystem::path(dir_).parent_path(), ignored);
  ::mkdir(dir_.c_str(), 0700);
  std::string temporary = dir_ + "/kallsyms.XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return;
  const bool written = WriteAll(fd.get(), AsBytes(key_)) && WriteAll(fd.get(), symbols.memory_);
  if (!written || ::rename(temporary.c_str(), (dir_ + "/kallsyms").c_str()) != 0) {
    ::unlink(temporary.c_str());
  }
}

}  // namespace prof::symbols
