// Runtime addresses become module and file address.
#include <gtest/gtest.h>

#include "unit/unwind/self_process.h"

namespace prof::unwind {
namespace {

using model::FrameKind;

TEST(LocateFrame, OutsideEveryMappingIsNoModule) {
  const model::AddressSpace space;
  const TestImages images;
  const UnwoundFrame frame = LocateFrame({0x1234}, FrameKind::kReturn, space, images);
  EXPECT_EQ(frame.module, kNoModule);
  EXPECT_EQ(frame.file_address.value, 0x1234U);
}

TEST(LocateFrame, WithoutImageItKeepsTheFileOffset) {
  model::AddressSpace space;
  TestImages images;
  const auto module = images.Add(nullptr);
  space.Map({{0x7000}, {0x8000}, {0x300}, module});
  const UnwoundFrame frame = LocateFrame({0x7010}, FrameKind::kInstruction, space, images);
  EXPECT_EQ(frame.module, module);
  EXPECT_EQ(frame.file_address.value, 0x310U);
}

TEST(LocateFrame, JitMemoryKeepsTheRuntimeAddress) {
  model::AddressSpace space;
  TestImages images;
  space.Map({{0x7000}, {0x8000}, {0x7000}, images.Add(nullptr)});
  EXPECT_EQ(LocateFrame({0x7010}, FrameKind::kReturn, space, images).file_address.value, 0x7010U);
}

TEST(LocateFrame, ReturnAddressJustBehindTheMappingBelongsToIt) {
  model::AddressSpace space;
  TestImages images;
  const auto first = images.Add(nullptr);
  const auto second = images.Add(nullptr);
  space.Map({{0x7000}, {0x8000}, {0x7000}, first});
  space.Map({{0x8000}, {0x9000}, {0x8000}, second});
  EXPECT_EQ(LocateFrame({0x8000}, FrameKind::kReturn, space, images).module, first);
  EXPECT_EQ(LocateFrame({0x8000}, FrameKind::kInstruction, space, images).module, second);
  EXPECT_EQ(LocateFrame({0x9000}, FrameKind::kReturn, space, images).module, second);
  EXPECT_EQ(LocateFrame({0x9000}, FrameKind::kInstruction, space, images).module, kNoModule);
}

TEST(LocateFrame, FollowsTheProgramHeadersOfOwnCode) {
  const SelfProcess self;
  const auto address = reinterpret_cast<std::uint64_t>(&abort);
  const UnwoundFrame frame =
      LocateFrame({address}, FrameKind::kInstruction, self.space(), self.images());
  ASSERT_NE(frame.module, kNoModule);
  const auto code = self.images().Image(frame.module)->BytesAt(frame.file_address, 16);
  ASSERT_EQ(code.size(), 16U);
  EXPECT_EQ(std::memcmp(code.data(), reinterpret_cast<void*>(address), 16), 0);
}

}  // namespace
}  // namespace prof::unwind
