// The whole pages in a piece of memory.
#include "prof/base/huge_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace prof {

void PreferHugePages(std::span<std::byte> memory) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + memory.size()) / page * page;
  if (first < end) (void)::madvise(memory.data() + (first - begin), end - first, MADV_HUGEPAGE);
}

}  // namespace prof
