// The running kernel's memory: /proc/kcore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/model/code.h"

namespace prof::symbols {

// An ELF core file of the kernel's whole address space (64-bit kernels). Its code is what runs:
// with everything that the kernel patched at boot and since, and with that of modules. For root
// alone.
class Kcore {
 public:
  static Result<Kcore> Open(const HostFs& fs);

  [[nodiscard]] const model::CodeMachine& machine() const { return machine_; }
  // At most `size` bytes from a virtual address on; fewer where a segment ends.
  [[nodiscard]] std::vector<std::byte> Read(std::uint64_t address, std::uint64_t size) const;

 private:
  struct Segment {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  // in the file
  };

  Kcore() = default;

  UniqueFd fd_;
  model::CodeMachine machine_;
  std::vector<Segment> segments_;
};

}  // namespace prof::symbols
