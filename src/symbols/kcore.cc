#include "symbols/kcore.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace prof::symbols {
namespace {

constexpr const char* kPath = "/proc/kcore";

// As many bytes as there are, up to `size`.
std::size_t ReadAt(int fd, std::uint64_t offset, void* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(fd, static_cast<char*>(out) + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

Result<Kcore> Kcore::Open(const HostFs& fs) {
  Kcore core;
  core.fd_ = UniqueFd(::open(fs.Path(kPath).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!core.fd_.valid()) return FailErrno(errno, kPath);
  Elf64_Ehdr header;
  const int fd = core.fd_.get();
  if (ReadAt(fd, 0, &header, sizeof(header)) != sizeof(header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return Fail(ErrorKind::kBadData, std::string(kPath) + ": no 64-bit ELF core file");
  }
  core.machine_ = {header.e_machine, true, header.e_ident[EI_DATA] == ELFDATA2MSB};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const std::size_t bytes =
      ReadAt(fd, header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr));
  segments.resize(bytes / sizeof(Elf64_Phdr));
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD) continue;
    core.segments_.push_back({segment.p_vaddr, segment.p_memsz, segment.p_offset});
  }
  return core;
}

std::vector<std::byte> Kcore::Read(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t begin = address - segment.address;
    if (address < segment.address || begin >= segment.size) continue;
    const std::uint64_t wanted = std::min(size, segment.size - begin);
    std::vector<std::byte> bytes(static_cast<std::size_t>(wanted));
    bytes.resize(ReadAt(fd_.get(), segment.offset + begin, bytes.data(), bytes.size()));
    // What the kernel cannot read (a page that is gone) comes as zeros.
    const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
    if (std::ranges::all_of(bytes, is_zero)) bytes.clear();
    if (!bytes.empty()) return bytes;
  }
  return {};
}

}  // namespace prof::symbols
