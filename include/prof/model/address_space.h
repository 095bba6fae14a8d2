// The executable mappings of one process at one moment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "prof/model/address.h"

namespace prof::model {

// Identifies a loaded module within one recording session; never reset (unlike ModuleId, which
// restarts with each epoch of the stream).
using LoadedModule = std::uint32_t;

struct Mapping {
  RuntimeAddr start;
  RuntimeAddr end;         // exclusive
  FileOffset file_offset;  // of `start` in the module's file; for JIT memory the runtime address
  LoadedModule module = 0;
  friend bool operator==(const Mapping&, const Mapping&) = default;
};

// Later mappings replace what they cover, like mmap(2) itself. Copyable: fork copies it. Not
// synchronized; owned by the reader of a session.
class AddressSpace {
 public:
  void Map(const Mapping& mapping);
  void Unmap(RuntimeAddr start, RuntimeAddr end);
  void Clear();
  [[nodiscard]] const Mapping* Find(RuntimeAddr address) const;
  [[nodiscard]] std::size_t size() const { return mappings_.size(); }
  // Changes with every Map, Unmap and Clear, to a number that no other object of this program had
  // before; equal generations mean equal contents, also of a copy.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] auto begin() const { return mappings_.begin(); }
  [[nodiscard]] auto end() const { return mappings_.end(); }

 private:
  std::map<RuntimeAddr, Mapping> mappings_;  // by start
  std::uint64_t generation_ = 0;
};

}  // namespace prof::model
