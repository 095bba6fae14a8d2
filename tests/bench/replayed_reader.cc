// A reader as a recording builds it, without a kernel behind it.
#include "bench/replayed_reader.h"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "collect/queued_sink.h"
#include "collect/reader_pair.h"

#include "prof/store/writer.h"

namespace prof::bench {
namespace {

constexpr std::size_t kRingBytes = std::size_t{4} << 20;
constexpr std::size_t kNodesPerEpoch = std::size_t{512} << 10;  // as a recording has them
constexpr std::size_t kQueueBytes = std::size_t{16} << 20;
constexpr std::size_t kOverflowBytes = std::size_t{32} << 20;
constexpr std::size_t kMostRecordBytes = 65'528;
constexpr std::uint64_t kEventId = 77;
constexpr std::size_t kTimeWord = 4;  // header, id, ip, pid and tid, time
constexpr std::uint64_t kStepNs = 10'000;
constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

double CpuSeconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::uint64_t Pair(std::uint64_t low, std::uint64_t high) { return low | high << 32; }

// The kernel's side of a ring.
class Ring {
 public:
  explicit Ring(std::size_t data_bytes)
      : data_words_(data_bytes / 8),
        words_(kPageWords + data_words_),
        ring_(perf::RingBuffer::OverMemory(std::as_writable_bytes(std::span(words_)))) {}
  perf::RingBuffer& ring() { return ring_; }

  bool Put(const std::vector<std::uint64_t>& record, std::uint64_t time_ns) {
    auto* page = reinterpret_cast<perf_event_mmap_page*>(words_.data());
    const std::uint64_t head = page->data_head;
    if (head - page->data_tail + 8 * record.size() > 8 * data_words_) return false;
    const std::size_t at = head / 8 % data_words_;
    const std::size_t first = std::min(record.size(), data_words_ - at);
    std::uint64_t* data = words_.data() + kPageWords;
    std::copy_n(record.begin(), first, data + at);
    std::copy(record.begin() + static_cast<std::ptrdiff_t>(first), record.end(), data);
    data[(at + kTimeWord) % data_words_] = time_ns;
    __atomic_store_n(&page->data_head, head + 8 * record.size(), __ATOMIC_RELEASE);
    return true;
  }

 private:
  static constexpr std::size_t kPageWords = 4096 / 8;
  std::size_t data_words_;
  std::vector<std::uint64_t> words_;
  perf::RingBuffer ring_;
};

// Takes the stream and keeps how long its stacks are.
class CountingSink final : public model::RecordSink {
 public:
  Status Append(const model::Record& record) override {
    if (const auto* node = std::get_if<model::StackNodeDef>(&record)) {
      lengths_.push_back(1 + LengthOf(node->parent));
      ++nodes_;
    } else if (const auto* sample = std::get_if<model::Sample>(&record)) {
      frames_ += LengthOf(sample->stack);
    } else if (std::holds_alternative<model::EpochBegin>(record)) {
      lengths_.clear();
    }
    return {};
  }
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  [[nodiscard]] std::uint32_t LengthOf(model::StackId stack) const {
    return model::IsRoot(stack) ? 0 : lengths_[stack - model::kStackRootCount];
  }
  std::vector<std::uint32_t> lengths_;  // of the nodes of this epoch
  std::uint64_t nodes_ = 0;
  std::uint64_t frames_ = 0;
};

collect::AttrPlan PlanOf(std::uint32_t dump_bytes) {
  collect::RecordOptions options;
  options.events = {perf::CpuClockEvent()};
  options.call_graph = model::CallGraphMode::kAuto;
  options.dump_bytes = dump_bytes;
  return *collect::PlanAttrs(options, {.privileged = true}, {}, false);
}

// What a recording has of its target, and the reader of one ring.
class Reader final : private collect::ProcessTable::Observer {
 public:
  Reader(std::uint32_t dump_bytes, Depth depth, model::RecordSink& sink)
      : plan_(PlanOf(dump_bytes)),
        index_(plan_, collect::SideBandAttr({}, true, false)),
        writer_(sink, modules_, kNodesPerEpoch),
        output_(depth == Depth::kShed ? collect::QueueState::kNearlyFull
                                      : collect::QueueState::kOpen) {
    index_.Add(kEventId, {.event = 0, .origin = collect::kEveryTask});
    writer_.Begin({}, {plan_.events[0].desc});
    pair_ = std::make_unique<collect::ReaderPair>(
        0,
        collect::ReaderPair::Shared{.events = index_,
                                    .target = target_,
                                    .writer = writer_,
                                    .output = [this] { return output_; }},
        std::vector{&samples_.ring()},
        std::make_unique<collect::SampleWalker>(plan_, model::CallGraphMode::kAuto,
                                                collect::RecordOptions{}.max_stack, true, modules_,
                                                writer_),
        kOverflowBytes);
  }

  // All side-band of the recording, exits left out: the samples are of one program, and threads are
  // not to be forgotten.
  void Learn(const test::PerfData& data) {
    for (const test::PerfData::Record& record : data.records()) {
      std::visit(
          [this](const auto& decoded) {
            using T = std::remove_cvref_t<decltype(decoded)>;
            if constexpr (std::is_same_v<T, perf::MmapRecord> ||
                          std::is_same_v<T, perf::CommRecord> ||
                          std::is_same_v<T, perf::ForkRecord>) {
              table_.Apply(decoded);
            }
          },
          data.Decode(record));
    }
    table_.Settle(kEverything);
  }
  bool Put(const std::vector<std::uint64_t>& sample) {
    return samples_.Put(sample, time_ns_ + kStepNs) && (time_ns_ += kStepNs) != 0;
  }
  void Pass(bool final) { pair_->Pass(final); }
  [[nodiscard]] const collect::StreamWriter& writer() const { return writer_; }
  [[nodiscard]] const collect::WalkCounts& walks() const { return pair_->walks(); }

 private:
  void OnRename(collect::ThreadState& thread, std::string_view name, std::uint64_t time_ns,
                bool exec) override {
    writer_.Rename(thread, name, time_ns, exec);
  }
  void OnThreadGone(collect::ThreadState&) override {}
  void OnNamesSettled(collect::ThreadState& thread, std::uint64_t time_ns) override {
    writer_.SettleNames(thread, time_ns);
  }

  HostFs fs_;
  collect::AttrPlan plan_;
  collect::EventIndex index_;
  collect::ModuleTable modules_{fs_};
  collect::ProcessTable table_{modules_, *this, collect::Following::kEverybody};
  collect::StreamWriter writer_;
  collect::QueueState output_;
  Ring side_band_{4096};
  Ring samples_{kRingBytes};
  collect::TargetState target_{index_, {&side_band_.ring()}, table_, {}, 1};
  std::unique_ptr<collect::ReaderPair> pair_;
  std::uint64_t time_ns_ = 0;
};

bool HasStack(const perf::SampleRecord& sample) {
  return sample.user_abi == PERF_SAMPLE_REGS_ABI_64 && !sample.user_stack.empty();
}

}  // namespace

Result<RecordedSamples> RecordedSamples::Read(const std::string& path) {
  PROF_TRY_ASSIGN(test::PerfData data, test::PerfData::Open(path));
  RecordedSamples result(std::move(data));
  std::map<std::uint32_t, std::size_t> samples_of;
  std::map<std::uint32_t, std::size_t> exec_of;  // the last one, by place in the recording
  const auto records = result.data_.records();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const perf::DecodedRecord decoded = result.data_.Decode(records[i]);
    if (const auto* sample = std::get_if<perf::SampleRecord>(&decoded)) {
      if (HasStack(*sample)) ++samples_of[sample->id.pid];
    } else if (const auto* comm = std::get_if<perf::CommRecord>(&decoded)) {
      if (comm->exec) exec_of[comm->pid] = i;
    }
  }
  if (samples_of.empty())
    return Fail(ErrorKind::kUnsupported, path + ": no sample has user registers and stack bytes",
                "record with perf record --call-graph dwarf,16384");
  const std::uint32_t pid = std::ranges::max_element(samples_of, {}, [](const auto& entry) {
                              return entry.second;
                            })->first;
  for (std::size_t i = exec_of[pid]; i < records.size(); ++i) {
    const perf::DecodedRecord decoded = result.data_.Decode(records[i]);
    const auto* sample = std::get_if<perf::SampleRecord>(&decoded);
    if (sample == nullptr || sample->id.pid != pid || !HasStack(*sample)) continue;
    const test::PerfData::Event& event = result.data_.events()[records[i].event];
    result.dump_bytes_ = event.attr.sample_stack_user;
    result.Encode(*sample, event.layout.regs_user);
  }
  return result;
}

// IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN, REGS_USER, STACK_USER, as collect/attr_plan.cc
// asks for them.
void RecordedSamples::Encode(const perf::SampleRecord& sample, std::uint64_t regs_user) {
  std::vector<std::uint64_t> words = {0,
                                      kEventId,
                                      sample.ip,
                                      Pair(sample.id.pid, sample.id.tid),
                                      0,  // the time is set when it is put into a ring
                                      Pair(sample.id.cpu, 0),
                                      sample.period,
                                      sample.callchain.size()};
  words.insert(words.end(), sample.callchain.begin(), sample.callchain.end());
  words.push_back(sample.user_abi);
  std::uint64_t mask = regs_user;
  for (const std::uint64_t value : sample.user_registers) {
    const std::uint64_t bit = mask & -mask;
    mask &= mask - 1;
    if ((unwind::RequiredUserRegisters() & bit) != 0) words.push_back(value);
  }
  // A record's length has 16 bits: of a large copy the end is left out, as the kernel does
  // (perf_sample_ustack_size()).
  const std::size_t stack = words.size() + 1;
  const std::size_t room = kMostRecordBytes - 8 * (stack + 1);
  const std::size_t copied = std::min<std::size_t>(dump_bytes_, room);
  const std::size_t used = std::min(sample.user_stack.size(), copied);
  words.push_back(copied);
  words.resize(stack + copied / 8);
  std::memcpy(words.data() + stack, sample.user_stack.data(), used);
  words.push_back(used);
  words[0] = PERF_RECORD_SAMPLE | std::uint64_t{sample.misc} << 32 | 8 * words.size() << 48;
  samples_.push_back(std::move(words));
}

Result<ReplayResult> RecordedSamples::Replay(Depth depth, std::size_t rounds) const {
  std::unique_ptr<store::Writer> file;
  std::optional<collect::QueuedSink> queue;
  if (depth == Depth::kStore) {
    PROF_TRY_ASSIGN(file, store::Writer::Create(UniqueFd(::open("/dev/null", O_WRONLY | O_CLOEXEC)),
                                                "/dev/null", {}));
    queue.emplace(*file, kQueueBytes);
  }
  CountingSink counting;
  Reader reader(dump_bytes_, depth, queue ? static_cast<model::RecordSink&>(*queue) : counting);
  reader.Learn(data_);
  const double before = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
  double filling = 0;
  ReplayResult result;
  std::size_t next = 0;
  const std::size_t all = rounds * samples_.size();
  while (next < all) {
    const double start = CpuSeconds(CLOCK_THREAD_CPUTIME_ID);
    while (next < all && reader.Put(samples_[next % samples_.size()])) ++next;
    filling += CpuSeconds(CLOCK_THREAD_CPUTIME_ID) - start;
    reader.Pass(false);
  }
  reader.Pass(true);
  if (queue) PROF_TRY(queue->Finish());
  if (file) PROF_TRY(file->Finish());
  result.seconds = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - before - filling;
  PROF_TRY(reader.writer().status());
  result.samples = reader.writer().samples();
  if (result.samples != all)
    return Fail(ErrorKind::kInternal, "the reader delivered " + std::to_string(result.samples) +
                                          " of " + std::to_string(all) + " samples");
  result.complete = reader.walks().complete;
  result.frames = counting.frames();
  result.nodes = counting.nodes();
  return result;
}

}  // namespace prof::bench
