// Copies of samples: what is kept, what is cut, when there is no room.
#include "collect/overflow_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace prof::collect {
namespace {

struct Source {
  explicit Source(std::size_t stack_bytes) : stack(stack_bytes) {
    for (std::size_t i = 0; i < stack.size(); ++i) stack[i] = static_cast<std::byte>(i * 7);
    sample.id.time_ns = 42;
    sample.user_abi = 2;
    sample.callchain = chain;
    sample.user_registers = registers;
    sample.user_stack = stack;
  }
  std::vector<std::uint64_t> chain = {1, 2, 3};
  std::vector<std::uint64_t> registers = {10, 11, 12, 13};
  std::vector<std::byte> stack;
  perf::SampleRecord sample;
};

TEST(OverflowQueue, KeepsWhatUnwindingReadsWhenTheRingIsGone) {
  OverflowQueue queue(1 << 20);
  const IndexedEvent event;
  {
    Source source(1'004);
    SampleContext context;
    ASSERT_TRUE(queue.Push(source.sample, event, context));
    std::ranges::fill(source.chain, 0);
    std::ranges::fill(source.registers, 0);
    std::ranges::fill(source.stack, std::byte{0});
  }
  const Source expected(1'004);
  const QueuedSample& kept = queue.front();
  EXPECT_EQ(kept.sample.id.time_ns, 42u);
  EXPECT_EQ(kept.event, &event);
  EXPECT_TRUE(std::ranges::equal(kept.sample.callchain, expected.chain));
  EXPECT_TRUE(std::ranges::equal(kept.sample.user_registers, expected.registers));
  EXPECT_TRUE(std::ranges::equal(kept.sample.user_stack, expected.stack));
  EXPECT_EQ(queue.cut(), 0u);
  EXPECT_EQ(queue.taken(), 1u);
}

TEST(OverflowQueue, CutsLongStacksAndCountsThem) {
  OverflowQueue queue(1 << 20);
  const IndexedEvent event;
  SampleContext context;
  const Source exact(kQueuedStackBytes), longer(kQueuedStackBytes + 8);
  ASSERT_TRUE(queue.Push(exact.sample, event, context));
  EXPECT_EQ(queue.cut(), 0u);
  ASSERT_TRUE(queue.Push(longer.sample, event, context));
  EXPECT_EQ(queue.cut(), 1u);
  queue.Pop();
  EXPECT_TRUE(std::ranges::equal(queue.front().sample.user_stack,
                                 std::span(longer.stack).first(kQueuedStackBytes)));
}

TEST(OverflowQueue, RefusesWhatDoesNotFitUntilThereIsRoom) {
  OverflowQueue queue(3'000);
  const IndexedEvent event;
  const Source source(1'000);
  auto thread = std::make_shared<ThreadState>();
  const auto push = [&] {
    SampleContext context{.thread = thread, .space = nullptr, .group = {}};
    const bool taken = queue.Push(source.sample, event, context);
    EXPECT_EQ(context.thread == nullptr, taken);  // the caller still has it when refused
    return taken;
  };
  int taken = 0;
  while (push()) ++taken;
  EXPECT_GE(taken, 1);
  EXPECT_LE(taken, 2);
  queue.Pop();
  EXPECT_TRUE(push());
  while (!queue.empty()) queue.Pop();
  EXPECT_EQ(thread.use_count(), 1);
}

}  // namespace
}  // namespace prof::collect
