// The unwind information of every module met so far, ready for the fast walk.
#pragma once

#include <memory>
#include <vector>

#include "unwind/walk/frame_entry.h"

#include "prof/model/address_space.h"
#include "prof/unwind/elf_image.h"

namespace prof::unwind {

class ModuleCfiTable {
 public:
  // .eh_frame, then .debug_frame. Null when the image has neither or is of another machine than
  // ArchOfMachine() knows. The first call for an image without a usable search table reads its
  // whole .eh_frame to sort the entries, and a .debug_frame is unpacked and rewritten then.
  const walk::ModuleCfi* For(model::LoadedModule module, const ElfImage& image);

  // The bytes that For() made: they are in no file. Their addresses are outside the image, no more
  // than 2 GB from it.
  [[nodiscard]] ElfRange Made(model::LoadedModule module) const;

 private:
  struct Prepared {
    walk::ModuleCfi eh_frame, debug_frame;
    ElfRange made;
    std::vector<std::byte> made_bytes;
    const walk::ModuleCfi* first = nullptr;
  };
  static void Prepare(const ElfImage& image, Prepared& prepared);
  std::vector<std::unique_ptr<Prepared>> modules_;  // by LoadedModule, null: not met yet
};

// The rows of .eh_frame_hdr in the one form that linkers write, sorted pairs of 32-bit offsets from
// the header; empty for any other.
std::span<const std::byte> SearchTable(const ElfRange& header);

}  // namespace prof::unwind
