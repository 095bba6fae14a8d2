// AddressSpace follows mmap semantics.
#include "prof/model/address_space.h"

#include <gtest/gtest.h>

namespace prof::model {
namespace {

Mapping Range(std::uint64_t start, std::uint64_t end, std::uint64_t offset, LoadedModule module) {
  return {.start = {start}, .end = {end}, .file_offset = {offset}, .module = module};
}

TEST(AddressSpaceTest, FindsOnlyInsideTheRange) {
  AddressSpace space;
  space.Map(Range(0x1000, 0x2000, 0, 1));
  EXPECT_EQ(space.Find({0xfff}), nullptr);
  ASSERT_NE(space.Find({0x1000}), nullptr);
  EXPECT_EQ(space.Find({0x1fff})->module, 1u);
  EXPECT_EQ(space.Find({0x2000}), nullptr);
}

TEST(AddressSpaceTest, LaterMappingSplitsAnEarlierOne) {
  AddressSpace space;
  space.Map(Range(0x1000, 0x5000, 0x100, 1));
  space.Map(Range(0x2000, 0x3000, 0, 2));
  EXPECT_EQ(space.size(), 3u);
  EXPECT_EQ(space.Find({0x1800})->module, 1u);
  EXPECT_EQ(space.Find({0x2800})->module, 2u);
  const Mapping* right = space.Find({0x3000});
  ASSERT_NE(right, nullptr);
  EXPECT_EQ(right->module, 1u);
  EXPECT_EQ(right->file_offset.value, 0x100u + 0x2000u);
}

TEST(AddressSpaceTest, UnmapChangesTheGeneration) {
  AddressSpace space;
  space.Map(Range(0x1000, 0x2000, 0, 1));
  const auto before = space.generation();
  space.Unmap({0x1000}, {0x2000});
  EXPECT_NE(space.generation(), before);
  EXPECT_EQ(space.size(), 0u);
}

TEST(AddressSpaceTest, EmptyRangeIsIgnored) {
  AddressSpace space;
  space.Map(Range(0x2000, 0x2000, 0, 1));
  EXPECT_EQ(space.size(), 0u);
}

}  // namespace
}  // namespace prof::model
