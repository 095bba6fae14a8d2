// The order in which the reader applies side-band and takes samples, over fake rings.
#include "collect/ring_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "support/vector_sink.h"

namespace prof::collect {
namespace {

constexpr std::size_t kDataBytes = 4096;
constexpr std::uint64_t kAppId = 77, kOtherId = 78;  // events opened on the tasks 10 and 12

// The kernel's side of a ring.
class FakeRing {
 public:
  FakeRing()
      : page_words_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / sizeof(std::uint64_t)),
        words_(page_words_ + kDataBytes / sizeof(std::uint64_t)),
        ring_(perf::RingBuffer::OverMemory(std::as_writable_bytes(std::span(words_)))) {}
  perf::RingBuffer& ring() { return ring_; }
  void Put(std::uint32_t type, std::uint16_t misc, const std::vector<std::uint64_t>& body) {
    const auto size = static_cast<std::uint64_t>(8 * (body.size() + 1));
    PutWord(type | std::uint64_t{misc} << 32 | size << 48);
    for (const std::uint64_t word : body) PutWord(word);
  }

 private:
  void PutWord(std::uint64_t word) {
    auto& page = *reinterpret_cast<perf_event_mmap_page*>(words_.data());
    words_[page_words_ + page.data_head / 8 % (kDataBytes / 8)] = word;
    page.data_head += 8;
  }
  std::size_t page_words_;
  std::vector<std::uint64_t> words_;
  perf::RingBuffer ring_;
};

std::uint64_t Pair(std::uint64_t low, std::uint64_t high) { return low | high << 32; }

AttrPlan ClockPlan() {
  RecordOptions options;
  options.events = {perf::CpuClockEvent()};
  return *PlanAttrs(options, {.privileged = true}, {}, false);
}

class RingReaderTest : public testing::Test, protected ProcessTable::Observer {
 protected:
  RingReaderTest() {
    writer_.Begin({}, {});
    index_.Add(kAppId, {.event = 0, .origin = 10});
    index_.Add(kOtherId, {.event = 0, .origin = 12});
  }
  void OnRename(ThreadState& thread, std::uint64_t time_ns, bool exec) override {
    writer_.Rename(thread, time_ns, exec);
  }
  void OnThreadGone(ThreadState&) override {}

  // { id, ip, { pid, tid }, time, { cpu, 0 }, period }
  static void PutSample(FakeRing& ring, std::uint32_t tid, std::uint64_t time_ns,
                        std::uint64_t ip = 0x1800, std::uint64_t id = kAppId) {
    ring.Put(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
             {id, ip, Pair(10, tid), time_ns, Pair(0, 0), 1'000});
  }
  // Ends with { { pid, tid }, time, { cpu, 0 }, id }, as every record but samples.
  static void PutSideBand(FakeRing& ring, std::uint32_t type, std::uint16_t misc,
                          std::vector<std::uint64_t> body, std::uint32_t tid, std::uint64_t time_ns,
                          std::uint64_t id = 1) {
    body.insert(body.end(), {Pair(10, tid), time_ns, Pair(0, 0), id});
    ring.Put(type, misc, body);
  }
  // Names of at most 7 letters are one word.
  static std::uint64_t Text(std::string_view text) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), std::min<std::size_t>(text.size(), 7));
    return word;
  }
  static void PutComm(FakeRing& ring, std::string_view name, bool exec, std::uint64_t time_ns) {
    PutSideBand(ring, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
                {Pair(10, 10), Text(name)}, 10, time_ns);
  }
  static void PutMmap(FakeRing& ring, std::string_view path, std::uint64_t time_ns) {
    PutSideBand(ring, PERF_RECORD_MMAP, 0, {Pair(10, 10), 0x1000, 0x1000, 0, Text(path)}, 10,
                time_ns);
  }
  void Pass(const SampleScope& scope = {}) {
    std::vector<RingPair> rings;
    for (int cpu = 0; cpu < 2; ++cpu)
      rings.push_back({&side_band_[cpu].ring(), &samples_[cpu].ring()});
    SampleScope adopting = scope;
    adopting.adopt = [](ThreadState& thread) { thread.name = "adopted"; };
    RingReader reader{index_, std::move(rings), table_, walker_, writer_, std::move(adopting)};
    reader.Pass(true);
    counts_ = reader.counts();
  }
  // The path of the module that each sample hit, in the order of the stream.
  std::vector<std::string> SampledPaths() const {
    const auto modules = sink_.All<model::ModuleDef>();
    const auto nodes = sink_.All<model::StackNodeDef>();
    std::vector<std::string> paths;
    for (const model::Sample& sample : sink_.All<model::Sample>()) {
      const auto& node = nodes[sample.stack - model::kStackRootCount];
      paths.push_back(modules[node.frame.module].module.path);
    }
    return paths;
  }
  std::vector<std::uint64_t> SampleTimes() const {
    std::vector<std::uint64_t> times;
    for (const model::Sample& sample : sink_.All<model::Sample>()) times.push_back(sample.time_ns);
    return times;
  }

  test::TempDir root_;
  HostFs fs_{root_.path().string()};
  test::VectorSink sink_;
  AttrPlan plan_ = ClockPlan();
  EventIndex index_{plan_, SideBandAttr({}, true, false)};
  ModuleTable modules_{fs_};
  ProcessTable table_{modules_, *this, Following::kChildren};
  StreamWriter writer_{sink_, modules_, 1'000};
  SampleWalker walker_{plan_, model::CallGraphMode::kNone, 64, true, modules_, writer_};
  FakeRing side_band_[2], samples_[2];
  ReaderCounts counts_;
};

TEST_F(RingReaderTest, AppliesSideBandOfAnyCpuBeforeTheSamplesAfterIt) {
  table_.AddThread(10, 10, "app", 10);
  PutSample(samples_[0], 10, 100);
  PutSample(samples_[0], 10, 300);
  PutSample(samples_[1], 10, 500);
  PutMmap(side_band_[1], "/a", 50);
  PutMmap(side_band_[0], "/c", 400);
  PutMmap(side_band_[1], "/b", 200);
  Pass();
  EXPECT_EQ(SampledPaths(), (std::vector<std::string>{"/a", "/b", "/c"}));
}

TEST_F(RingReaderTest, AnExecDoesNotReachBackToOlderSamples) {
  table_.AddThread(10, 10, "sh", 10);
  PutMmap(side_band_[0], "/sh", 50);
  PutComm(side_band_[0], "app", true, 200);
  PutMmap(side_band_[0], "/app", 210);
  PutSample(samples_[1], 10, 199);
  PutSample(samples_[1], 10, 220);
  Pass();
  EXPECT_EQ(SampledPaths(), (std::vector<std::string>{"/sh", "/app"}));
  const auto threads = sink_.All<model::ThreadDef>();
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads[0].name, "sh");
  const auto renames = sink_.All<model::ThreadRename>();
  ASSERT_EQ(renames.size(), 1u);
  EXPECT_EQ(renames[0].name, "app");
  EXPECT_EQ(renames[0].time_ns, 200u);
}

TEST_F(RingReaderTest, PutsTheSamplesOfAllCpusInOrderOfTime) {
  table_.AddThread(10, 10, "app", 10);
  for (const std::uint64_t time_ns : {100, 400, 500}) PutSample(samples_[0], 10, time_ns);
  for (const std::uint64_t time_ns : {200, 300, 600}) PutSample(samples_[1], 10, time_ns);
  Pass();
  EXPECT_EQ(SampleTimes(), (std::vector<std::uint64_t>{100, 200, 300, 400, 500, 600}));
}

TEST_F(RingReaderTest, AThreadWithTwoSetsOfEventsIsSampledByItsOwn) {
  table_.AddThread(10, 10, "app", 10);
  table_.AddThread(10, 12, "app", 12);
  PutSample(samples_[0], 12, 100, 0x1800, kAppId);  // inherited before it was attached to
  PutSample(samples_[0], 12, 101, 0x1800, kOtherId);
  Pass();
  EXPECT_EQ(SampleTimes(), std::vector<std::uint64_t>{101});
}

TEST_F(RingReaderTest, CpuTimeOfAThreadWithTwoSetsOfEventsCountsOnce) {
  table_.AddThread(10, 10, "app", 10);
  ThreadState& child = table_.AddThread(10, 13, "app", 10);
  for (const std::uint64_t id : {kAppId, kOtherId}) {
    // { pid, tid }, { value, enabled, running, id }
    PutSideBand(side_band_[0], PERF_RECORD_READ, 0, {Pair(10, 13), 70, 80, 80, id}, 13, 50, id);
  }
  Pass();
  EXPECT_EQ(child.used_ns, 70u);
}

TEST_F(RingReaderTest, ThreadsOfOthersAreLeftOutOfCpuWideEvents) {
  table_.AddThread(10, 10, "app", 10);
  index_.Add(90, {.event = 0, .origin = kEveryTask});
  PutSample(samples_[0], 10, 100, 0x1800, 90);
  PutSample(samples_[0], 99, 200, 0x1800, 90);
  Pass({.cpu_wide = true});
  EXPECT_EQ(SampleTimes(), std::vector<std::uint64_t>{100});
}

TEST_F(RingReaderTest, AThreadThatNothingAnnouncedIsAdopted) {
  PutSample(samples_[0], 10, 100);
  Pass();
  EXPECT_EQ(sink_.All<model::ThreadDef>().at(0).name, "adopted");
  EXPECT_EQ(counts_.unattributed, 1u);
}

TEST_F(RingReaderTest, CountsLossesAndWhatItCannotRead) {
  table_.AddThread(10, 10, "app", 10);
  PutSideBand(samples_[0], PERF_RECORD_LOST, 0, {kAppId, 5}, 10, 50);
  PutSideBand(side_band_[0], PERF_RECORD_LOST, 0, {1, 3}, 10, 60);
  PutSample(samples_[1], 10, 70, 0x1800, 4711);  // of no event of ours
  samples_[1].Put(PERF_RECORD_THROTTLE, 0, {});
  Pass();
  EXPECT_EQ(counts_.lost_records, 5u);
  EXPECT_EQ(counts_.side_band_lost, 3u);
  EXPECT_EQ(counts_.bad_records, 2u);
  EXPECT_EQ(writer_.samples(), 0u);
}

}  // namespace
}  // namespace prof::collect
