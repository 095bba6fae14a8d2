// What code belongs to: an ELF file, the kernel, the vdso, JIT memory.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace prof::model {

// The GNU build ID note; up to 20 bytes as the kernel reports it (MMAP2), longer ones are cut
// there.
class BuildId {
 public:
  static constexpr std::size_t kMaxBytes = 20;

  BuildId() = default;
  explicit BuildId(std::span<const std::byte> bytes);
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }
  [[nodiscard]] std::string Hex() const;
  friend auto operator<=>(const BuildId&, const BuildId&) = default;

 private:
  std::uint8_t size_ = 0;
  std::array<std::byte, kMaxBytes> bytes_{};
};

enum class ModuleKind : std::uint8_t {
  kElf = 0,           // a file on disk; path is the path in the target's mount namespace
  kKernel = 1,        // the kernel proper, path "[kernel.kallsyms]"
  kKernelModule = 2,  // path "[name]"
  kVdso = 3,          // path "[vdso]"
  kJit = 4,           // executable anonymous memory of one process, path "/tmp/perf-PID.map"
  kUnknown = 5,       // an address outside every known mapping, path "[unknown]"
};

// A module is identified by all of its fields together: two modules with the same path and other
// build IDs are two modules (a rebuild, a container, an epoch of a package upgrade).
struct Module {
  ModuleKind kind = ModuleKind::kUnknown;
  std::string path;
  BuildId build_id;  // empty when the file has none or was replaced before it could be read
  // kJit: whose memory (pid as prof sees it). kElf: 0, or who mapped it, when another file without
  // build ID has the same path (two builds, two containers).
  std::uint32_t pid = 0;
  // The file at `path` was seen to be another one than what was mapped, or the target's path leads
  // elsewhere: symbols must not come from it unless a build ID proves otherwise.
  bool replaced = false;
  friend auto operator<=>(const Module&, const Module&) = default;

  // The last path component, as the "Shared Object" column shows it ("libc.so.6").
  [[nodiscard]] std::string_view ShortName() const;
  [[nodiscard]] bool IsKernel() const {
    return kind == ModuleKind::kKernel || kind == ModuleKind::kKernelModule;
  }
};

}  // namespace prof::model
