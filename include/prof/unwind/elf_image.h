// The parts of an ELF file that unwinding and address translation need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

// A section as it is compressed in the file.
struct CompressedSection {
  enum class Method : std::uint8_t { kZlib, kZstd };
  Method method = Method::kZlib;
  std::uint64_t size = 0;  // of the contents, by the file's word
  std::span<const std::byte> bytes;
  [[nodiscard]] bool empty() const { return bytes.empty(); }
};

// Owns the mapping of the file (or borrows memory for the vdso). Immutable after construction, so
// shared between threads. Little-endian ELF of any machine; others are
// kUnsupported. Of a 32-bit file there are segments and build ID only.
class ElfImage {
 public:
  static Result<std::unique_ptr<ElfImage>> FromFile(MappedFile file, const std::string& name);
  // `bytes` must outlive the image (the vdso of prof's own process).
  static Result<std::unique_ptr<ElfImage>> FromMemory(std::span<const std::byte> bytes,
                                                      const std::string& name);

  // All of the file (or of the borrowed memory), as long as the image lives.
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // A stretch of the file that PT_LOAD places at an address.
  struct Segment {
    model::FileOffset offset;
    model::FileAddr address;
    std::uint64_t file_size = 0;  // never past the end of the file
    bool executable = false;
  };
  [[nodiscard]] std::span<const Segment> segments() const { return segments_; }
  // The segment that holds `offset`, executable ones first; null outside every segment.
  [[nodiscard]] const Segment* SegmentAt(model::FileOffset offset) const;
  // Through PT_LOAD; nothing for an offset outside every segment.
  [[nodiscard]] std::optional<model::FileAddr> ToFileAddr(model::FileOffset offset) const;
  // From the lowest address of a segment to the highest; equal when there are no segments.
  [[nodiscard]] std::pair<model::FileAddr, model::FileAddr> Extent() const;
  // Exactly `size` file bytes at a file address, e.g. code before a return address; empty when not
  // all of them are in the file.
  [[nodiscard]] std::span<const std::byte> BytesAt(model::FileAddr address, std::size_t size) const;
  [[nodiscard]] const model::BuildId& build_id() const { return build_id_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }  // EM_*
  [[nodiscard]] model::FileAddr entry() const { return entry_; }    // e_entry, 0 if there is none
  // Also found without section headers, through PT_GNU_EH_FRAME.
  [[nodiscard]] const ElfRange& eh_frame_hdr() const { return eh_frame_hdr_; }
  // Without section headers it reaches to the end of its segment; a zero length ends the entries.
  [[nodiscard]] const ElfRange& eh_frame() const { return eh_frame_; }
  // At most one of the two is not empty.
  [[nodiscard]] const ElfRange& debug_frame() const { return debug_frame_; }
  [[nodiscard]] const CompressedSection& compressed_debug_frame() const {
    return compressed_debug_frame_;
  }

 private:
  ElfImage() = default;
  static Result<std::unique_ptr<ElfImage>> Parse(std::unique_ptr<ElfImage> image,
                                                 const std::string& name);
  template <class FileHeader, class ProgramHeader>
  Status ReadHeaders(const std::string& name);
  void ReadBuildId(std::span<const std::byte> notes, std::uint64_t alignment);
  void ReadSections(std::uint64_t offset, std::uint64_t count, std::uint64_t name_index);
  void FindEhFrameThroughHeader();
  [[nodiscard]] std::span<const std::byte> FileBytes(std::uint64_t offset,
                                                     std::uint64_t size) const;

  MappedFile file_;
  std::span<const std::byte> bytes_;
  std::vector<Segment> segments_;
  model::BuildId build_id_;
  std::uint16_t machine_ = 0;
  model::FileAddr entry_;
  ElfRange eh_frame_hdr_, eh_frame_, debug_frame_;
  CompressedSection compressed_debug_frame_;
};

}  // namespace prof::unwind
