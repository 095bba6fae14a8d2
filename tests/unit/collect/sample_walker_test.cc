// Stacks that are given up, with the test process as the sampled one.
#include "collect/sample_walker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "collect/proc_snapshot.h"
#include "support/vector_sink.h"
#include "unit/unwind/stack_scenes.h"

namespace prof::collect {
namespace {

constexpr StackOwner kThread = 7;
constexpr std::size_t kCutBytes = 2048;  // ends among the frames of the recursion

AttrPlan DwarfPlan() {
  RecordOptions options;
  options.events = {perf::CpuClockEvent()};
  options.call_graph = model::CallGraphMode::kDwarf;
  return *PlanAttrs(options, {.privileged = true}, {}, false);
}

// DWARF numbers in the order of perf's bits: AX BX CX DX SI DI BP SP IP, R8 to R15.
std::vector<std::uint64_t> PerfRegisters(const unwind::Registers& registers) {
  std::vector<std::uint64_t> words;
  for (const std::size_t number : {0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15})
    words.push_back(registers.value[number]);
  return words;
}

class SampleWalkerTest : public testing::Test {
 protected:
  SampleWalkerTest() {
    writer_.Begin({}, {});
    layout_.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    layout_.regs_user = unwind::RequiredUserRegisters();
    std::ifstream maps("/proc/self/maps");
    for (std::string text; std::getline(maps, text);) {
      const auto line = ParseMapsLine(text);
      if (!line) continue;
      const auto module = modules_.Load({.path = line->path,
                                         .pid = static_cast<std::uint32_t>(::getpid()),
                                         .start = {line->start},
                                         .end = {line->end},
                                         .has_inode = line->inode != 0,
                                         .device = line->device,
                                         .inode = line->inode});
      space_.Map({{line->start}, {line->end}, {line->offset}, module});
    }
    unwind::Recurse(200, [this] { capture_.Take(); });
    registers_ = PerfRegisters(capture_.registers);
  }
  [[nodiscard]] perf::SampleRecord Sample(std::size_t stack_bytes) const {
    perf::SampleRecord sample;
    sample.misc = PERF_RECORD_MISC_USER;
    sample.ip = capture_.registers.pc().value;
    sample.user_abi = PERF_SAMPLE_REGS_ABI_64;
    sample.user_registers = registers_;
    sample.user_stack = std::span(capture_.stack).first(stack_bytes);
    return sample;
  }
  model::StackEnd Walk(std::size_t stack_bytes) {
    return walker_.Walk(Sample(stack_bytes), layout_, space_, kThread);
  }
  // The frames of the stack found last.
  std::size_t DepthOf(model::StackEnd end) {
    const auto lock = writer_.Hold();
    writer_.TurnEpoch();
    model::StackId id = walker_.Intern(end);
    const auto nodes = sink_.All<model::StackNodeDef>();
    std::size_t depth = 0;
    for (; !model::IsRoot(id); ++depth) id = nodes.at(id - model::kStackRootCount).parent;
    EXPECT_EQ(id, model::RootOf(end));
    return depth;
  }

  HostFs fs_;
  test::VectorSink sink_;
  ModuleTable modules_{fs_};
  StreamWriter writer_{sink_, modules_, 1'000};
  SampleWalker walker_{DwarfPlan(), model::CallGraphMode::kDwarf, 1024, true, modules_, writer_};
  perf::RecordLayout layout_;
  model::AddressSpace space_;
  unwind::Capture capture_;
  std::vector<std::uint64_t> registers_;
};

TEST_F(SampleWalkerTest, AShedStackIsItsPcAloneThoughItsCallersAreKnown) {
  ASSERT_EQ(Walk(kCutBytes), model::StackEnd::kTruncated);
  ASSERT_EQ(Walk(capture_.stack.size()), model::StackEnd::kComplete);
  ASSERT_EQ(Walk(kCutBytes), model::StackEnd::kComplete);
  ASSERT_EQ(walker_.counts().joined, 1u);
  EXPECT_GT(DepthOf(model::StackEnd::kComplete), 200u);

  EXPECT_EQ(walker_.WalkShed(Sample(kCutBytes), layout_, space_, kThread), model::StackEnd::kShed);
  EXPECT_EQ(DepthOf(model::StackEnd::kShed), 1u);
  EXPECT_EQ(walker_.counts().joined, 1u);
  EXPECT_EQ(walker_.counts().complete, 2u);
}

TEST_F(SampleWalkerTest, NobodyIsJoinedWithAShedStack) {
  ASSERT_EQ(Walk(kCutBytes), model::StackEnd::kTruncated);
  walker_.WalkShed(Sample(capture_.stack.size()), layout_, space_, kThread);
  EXPECT_EQ(Walk(kCutBytes), model::StackEnd::kTruncated);
  EXPECT_EQ(walker_.counts().joined, 0u);
}

}  // namespace
}  // namespace prof::collect
