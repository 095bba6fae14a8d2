// The parts of an ELF file that unwinding and address translation need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/mapped_file.h"
#include "prof/base/result.h"
#include "prof/model/address.h"
#include "prof/model/module.h"

namespace prof::unwind {

// A section or segment's bytes together with the address the file states for them.
struct ElfRange {
  model::FileAddr address;
  std::span<const std::byte> bytes;
  [[nodiscard]] bool empty() const { return bytes.empty(); }
};

// Owns the mapping of the file (or borrows memory for the vdso). Immutable after construction, so
// shared between threads. 64-bit little-endian ELF of any machine; others are kUnsupported.
class ElfImage {
 public:
  static Result<std::unique_ptr<ElfImage>> FromFile(MappedFile file, const std::string& name);
  // `bytes` must outlive the image (the vdso of prof's own process).
  static Result<std::unique_ptr<ElfImage>> FromMemory(std::span<const std::byte> bytes, const std::string& name);

  // Through PT_LOAD; nothing for an offset outside every segment.
  [[nodiscard]] std::optional<model::FileAddr> ToFileAddr(model::FileOffset offset) const;
  // File bytes at a file address, e.g. code before a return address; empty when not covered by the file.
  [[nodiscard]] std::span<const std::byte> BytesAt(model::FileAddr address, std::size_t size) const;
  [[nodiscard]] const model::BuildId& build_id() const { return build_id_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }  // EM_*
  [[nodiscard]] const ElfRange& eh_frame_hdr() const { return eh_frame_hdr_; }  // also without section headers (PT_GNU_EH_FRAME)
  [[nodiscard]] const ElfRange& eh_frame() const { return eh_frame_; }
  [[nodiscard]] const ElfRange& debug_frame() const { return debug_frame_; }    // uncompressed ones only

 private:
  struct Segment {
    model::FileOffset offset;
    model::FileAddr address;
    std::uint64_t file_size = 0;
    bool executable = false;
  };
  ElfImage() = default;
  static Result<std::unique_ptr<ElfImage>> Parse(std::unique_ptr<ElfImage> image, const std::string& name);

  MappedFile file_;
  std::span<const std::byte> bytes_;
  std::vector<Segment> segments_;
  model::BuildId build_id_;
  std::uint16_t machine_ = 0;
  ElfRange eh_frame_hdr_, eh_frame_, debug_frame_;
};

}  // namespace prof::unwind
