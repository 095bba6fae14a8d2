// Symbols of the running kernel and its modules.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/mapped_file.h"
#include "prof/base/result.h"

namespace prof::symbols {

struct KernelSymbol {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  std::string_view name;
  std::string_view module;  // "[xfs]"; empty for the kernel proper
};

struct KallsymsSource {
  HostFs fs;
  std::string file;       // instead of /proc/kallsyms, as a path of this process; never cached
  std::string cache_dir;  // empty: no cache
};

// The text symbols of one kallsyms, sorted, in one compact block of bytes that is also the format
// of the cache file, so that loading the cache is one mmap. Immutable.
class Kallsyms {
 public:
  // Fails with kPermission when the kernel hides addresses (kptr_restrict), with the reading error
  // else. `fresh` skips the cache: for code that comes and goes between module loads, such as BPF
  // programs.
  static Result<Kallsyms> Load(const KallsymsSource& source, bool fresh);
  static Result<Kallsyms> Parse(std::string_view text);

  // The symbol that covers `address` in the kernel proper (module empty) or in "[name]"; an empty
  // name when there is none.
  [[nodiscard]] KernelSymbol Find(std::uint64_t address, std::string_view module) const;
  // The symbol that covers `address`, whatever it belongs to.
  [[nodiscard]] KernelSymbol FindAny(std::uint64_t address) const;
  // Where the kernel proper has the symbol of this name (of several the lowest); 0: nowhere, or
  // another symbol begins there, too, and was thought to be the better one.
  [[nodiscard]] std::uint64_t AddressOf(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  struct Entry;
  bool Attach(std::span<const std::byte> block);
  [[nodiscard]] KernelSymbol At(std::size_t index) const;
  [[nodiscard]] std::string_view Text(std::uint32_t offset) const;

  std::vector<std::byte> memory_;  // what Parse() made
  MappedFile file_;                // or what the cache holds
  std::span<const std::byte> entries_;
  std::string_view text_;
  std::size_t count_ = 0;

  friend class KallsymsCache;
};

}  // namespace prof::symbols
