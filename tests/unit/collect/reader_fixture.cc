// Builds pairs of readers over fake rings and reads the stream back.
#include "reader_fixture.h"

#include <algorithm>
#include <bit>

namespace prof::collect {
namespace {

constexpr std::size_t kSideBandBytes = 64 * 1024;

AttrPlan ClockPlan(model::CallGraphMode mode) {
  RecordOptions options;
  options.events = {perf::CpuClockEvent()};
  options.call_graph = mode;
  return *PlanAttrs(options, {.privileged = true}, {}, false);
}

}  // namespace

std::vector<SeenSample> SeenIn(const test::VectorSink& sink) {
  const auto modules = sink.All<model::ModuleDef>();
  const auto nodes = sink.All<model::StackNodeDef>();
  const auto threads = sink.All<model::ThreadDef>();
  const auto renames = sink.All<model::ThreadRename>();
  std::vector<SeenSample> seen;
  for (const model::Sample& sample : sink.All<model::Sample>()) {
    const model::ThreadDef& thread = threads.at(sample.thread);
    std::string name = thread.name;
    for (const model::ThreadRename& rename : renames) {
      if (rename.thread == sample.thread && rename.time_ns <= sample.time_ns) name = rename.name;
    }
    const auto& node = nodes.at(sample.stack - model::kStackRootCount);
    seen.emplace_back(sample.time_ns, thread.tid, name, modules.at(node.frame.module).module.path);
  }
  return seen;
}

ReaderFixture::ReaderFixture(model::CallGraphMode mode, std::size_t sample_ring_bytes)
    : mode_(mode),
      plan_(ClockPlan(mode)),
      index_(plan_, SideBandAttr({}, true, false)),
      side_band_{FakeRing(kSideBandBytes), FakeRing(kSideBandBytes)},
      samples_{FakeRing(sample_ring_bytes), FakeRing(sample_ring_bytes)} {
  writer_.Begin({}, {});
  index_.Add(kAppId, {.event = 0, .origin = 10});
  index_.Add(kOtherId, {.event = 0, .origin = 12});
}

void ReaderFixture::PutSample(FakeRing& ring, std::uint32_t tid, std::uint64_t time_ns,
                              std::uint64_t ip, std::uint64_t id, std::uint32_t pid) const {
  std::vector<std::uint64_t> body = {id, ip, Pair(pid, tid), time_ns, Pair(0, 0), 1'000};
  if (mode_ == model::CallGraphMode::kAuto) {
    const auto registers = static_cast<std::size_t>(std::popcount(unwind::RequiredUserRegisters()));
    body.push_back(0);  // no kernel chain
    body.push_back(PERF_SAMPLE_REGS_ABI_64);
    body.insert(body.end(), registers, ip);  // pc among them
    body.push_back(8 * kStackWords);
    body.insert(body.end(), kStackWords, 0);
    body.push_back(8 * kStackWords);
  }
  ring.Put(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body);
}

void ReaderFixture::MakePairs(const std::vector<std::vector<int>>& owners, const SampleScope& scope,
                              std::size_t overflow_bytes) {
  SampleScope adopting = scope;
  adopting.adopt = [this](const auto& thread) { thread->name = adopted_name_; };
  adopting.resync = [this] { ++resyncs_; };
  target_ = std::make_unique<TargetState>(index_,
                                          std::vector{&side_band_[0].ring(), &side_band_[1].ring()},
                                          table_, std::move(adopting), owners.size());
  pairs_.clear();
  for (const std::vector<int>& cpus : owners) {
    std::vector<perf::RingBuffer*> rings;
    for (const int cpu : cpus) rings.push_back(&samples_[cpu].ring());
    pairs_.push_back(std::make_unique<ReaderPair>(
        pairs_.size(),
        ReaderPair::Shared{.events = index_,
                           .target = *target_,
                           .writer = writer_,
                           .output =
                               [this] {
                                 while_reading_();
                                 return output_;
                               }},
        rings, std::make_unique<SampleWalker>(plan_, mode_, 64, true, modules_, writer_),
        overflow_bytes));
  }
}

void ReaderFixture::Pass(const SampleScope& scope) {
  MakePairs({{0, 1}}, scope);
  pairs_[0]->Pass(true);
}

std::vector<std::string> ReaderFixture::SampledPaths() const {
  std::vector<std::string> paths;
  for (const SeenSample& sample : SeenIn(sink_)) paths.push_back(std::get<3>(sample));
  return paths;
}

std::vector<std::uint64_t> ReaderFixture::SampleTimes() const {
  std::vector<std::uint64_t> times;
  for (const model::Sample& sample : sink_.All<model::Sample>()) times.push_back(sample.time_ns);
  return times;
}

}  // namespace prof::collect
