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
  // Null when the image has no .eh_frame or is of another machine than ArchOfMachine() knows. The
  // first call for an image without a usable search table reads its whole .eh_frame to sort the
  // entries.
  const walk::ModuleCfi* For(model::LoadedModule module, const ElfImage& image);

 private:
  struct Prepared {
    walk::ModuleCfi cfi;
    std::vector<walk::IndexedEntry> index;
    bool usable = false;
  };
  std::vector<std::unique_ptr<Prepared>> modules_;  // by LoadedModule, null: not met yet
};

// The rows of .eh_frame_hdr in the one form that linkers write, sorted pairs of 32-bit offsets from
// the header; empty for any other.
std::span<const std::byte> SearchTable(const ElfRange& header);

}  // namespace prof::unwind
