// What the advice must not change.
#include "prof/base/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace prof {
namespace {

TEST(HugePages, ContentsStayAndAnyPieceIsTaken) {
  std::vector<std::byte> memory(5U << 20U, std::byte{7});
  PreferHugePages(memory);
  PreferHugePages(std::span(memory).subspan(1, 100));  // not one whole page
  PreferHugePages(std::span(memory).subspan(3, (1U << 20U) + 1));
  PreferHugePages({});
  EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte b) { return b == std::byte{7}; }));
}

}  // namespace
}  // namespace prof
