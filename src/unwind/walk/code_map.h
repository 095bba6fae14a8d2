// What the walk needs to know about code: which module lies where, its bytes and its unwind rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "prof/model/stack.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind::walk {

struct ModuleCfi;

// A stretch of executable memory with one translation to file addresses.
struct CodeRegion {
  std::uint64_t start = 0;  // runtime addresses
  std::uint64_t end = 0;
  std::uint64_t bias = 0;  // file address = runtime address - bias
  model::LoadedModule module = kNoModule;
  std::span<const std::byte> code;  // the file's bytes from `start` on; empty for JIT memory
  const ModuleCfi* cfi = nullptr;   // null: no unwind information at all
  std::uint64_t entry = 0;          // where the module starts to run, 0 if nowhere

  [[nodiscard]] bool Contains(std::uint64_t address) const {
    return address - start < end - start;  // one comparison: start <= end
  }
  // Exactly `size` bytes of code at a runtime address, or none.
  [[nodiscard]] std::span<const std::byte> Code(std::uint64_t address, std::size_t size) const {
    const std::uint64_t skip = address - start;
    if (address < start || skip > code.size() || code.size() - skip < size) return {};
    return code.subspan(skip, size);
  }
};

// The executable mappings of the process being unwound.
class CodeMap {
 public:
  virtual ~CodeMap() = default;
  // Whether `address` is executable; fills `region` if so.
  virtual bool Locate(std::uint64_t address, CodeRegion& region) = 0;
};

// The regions met last. Frames of one stack keep coming back to the same two or three modules, and
// nothing is mapped while a stack is walked, so one of these lives as long as one walk.
class RegionMemo {
 public:
  explicit RegionMemo(CodeMap& map) : map_(map) {}

  // Null when the address is in no executable mapping; valid until the next call but three.
  const CodeRegion* Find(std::uint64_t address) {
    if (last_->Contains(address)) return last_;
    return FindOther(address);
  }

 private:
  const CodeRegion* FindOther(std::uint64_t address) {
    for (const CodeRegion& region : regions_) {
      if (!region.Contains(address)) continue;
      last_ = &region;
      return last_;
    }
    CodeRegion& slot = regions_[next_];
    if (!map_.Locate(address, slot)) {
      slot = CodeRegion{};
      return nullptr;
    }
    next_ = (next_ + 1) % regions_.size();
    last_ = &slot;
    return last_;
  }

  CodeMap& map_;
  std::array<CodeRegion, 4> regions_;
  const CodeRegion* last_ = regions_.data();
  std::size_t next_ = 0;
};

// A frame in `region`, or in no module when that is null.
inline UnwoundFrame FrameIn(const CodeRegion* region, std::uint64_t address,
                            model::FrameKind kind) {
  if (region == nullptr) return {{address}, kind, kNoModule, {address}};
  return {{address}, kind, region->module, {address - region->bias}};
}

}  // namespace prof::unwind::walk
