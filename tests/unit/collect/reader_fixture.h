// Pairs of readers over the fake rings of two CPUs.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "collect/reader_pair.h"
#include "fake_ring.h"
#include "support/temp_dir.h"
#include "support/vector_sink.h"

namespace prof::collect {

inline constexpr std::uint64_t kAppId = 77, kOtherId = 78;  // events opened on the tasks 10 and 12
inline constexpr std::size_t kStackWords = 128;

// What a sample says when everything around it is looked up: time, thread, its name then, the
// innermost module.
using SeenSample = std::tuple<std::uint64_t, std::uint32_t, std::string, std::string>;
std::vector<SeenSample> SeenIn(const test::VectorSink& sink);

class ReaderFixture : public testing::Test, protected ProcessTable::Observer {
 protected:
  explicit ReaderFixture(model::CallGraphMode mode = model::CallGraphMode::kNone,
                         std::size_t sample_ring_bytes = 4096);
  void OnRename(ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                bool exec) override {
    writer_.Rename(thread, name, time_ns, exec);
  }
  void OnThreadGone(ThreadState&) override {}
  void OnNamesSettled(ThreadState& thread, std::uint64_t time_ns) override {
    writer_.SettleNames(thread, time_ns);
  }

  // { id, ip, { pid, tid }, time, { cpu, 0 }, period [, chain, registers, stack] }
  void PutSample(FakeRing& ring, std::uint32_t tid, std::uint64_t time_ns,
                 std::uint64_t ip = 0x1800, std::uint64_t id = kAppId,
                 std::uint32_t pid = 10) const;
  // `owners`: which CPUs each pair has.
  void MakePairs(const std::vector<std::vector<int>>& owners, const SampleScope& scope = {},
                 std::size_t overflow_bytes = 1 << 20);
  // One pair that reads both CPUs to the end.
  void Pass(const SampleScope& scope = {});

  [[nodiscard]] std::vector<std::string> SampledPaths() const;
  [[nodiscard]] std::vector<std::uint64_t> SampleTimes() const;

  model::CallGraphMode mode_;
  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  test::VectorSink sink_;
  AttrPlan plan_;
  EventIndex index_;
  ModuleTable modules_{fs_};
  ProcessTable table_{modules_, *this, Following::kChildren};
  StreamWriter writer_{sink_, modules_, 1'000};
  FakeRing side_band_[2], samples_[2];
  QueueState output_ = QueueState::kOpen;
  std::function<void()> while_reading_ = [] {};  // before each sample is taken
  int resyncs_ = 0;
  std::string adopted_name_ = "adopted";  // of threads that no side-band record announced
  std::unique_ptr<TargetState> target_;
  std::vector<std::unique_ptr<ReaderPair>> pairs_;
};

}  // namespace prof::collect
