// The address spaces of a profile, as types that do not mix.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace prof::model {

namespace internal {
template <class Tag>
struct Address {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(Address, Address) = default;
  friend constexpr Address operator+(Address a, std::uint64_t n) { return {a.value + n}; }
  friend constexpr Address operator-(Address a, std::uint64_t n) { return {a.value - n}; }
  friend constexpr std::uint64_t operator-(Address a, Address b) { return a.value - b.value; }
};
}  // namespace internal

// Where code ran in one process.
using RuntimeAddr = internal::Address<struct RuntimeTag>;
// The address an ELF file states for itself (p_vaddr, st_value, DWARF). For JIT code, the kernel
// and anonymous memory it equals the runtime address.
using FileAddr = internal::Address<struct FileAddrTag>;
// Bytes from the beginning of a file.
using FileOffset = internal::Address<struct FileOffsetTag>;

}  // namespace prof::model

template <class Tag>
struct std::hash<prof::model::internal::Address<Tag>> {
  std::size_t operator()(prof::model::internal::Address<Tag> a) const noexcept {
    return std::hash<std::uint64_t>{}(a.value);
  }
};
