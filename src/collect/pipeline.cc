// Builds the readers of a recording and joins them with the writer.
#include "collect/pipeline.h"

#include <algorithm>
#include <utility>

namespace prof::collect {
namespace {

constexpr std::size_t kNodesPerEpoch = 512 * 1024;     // about 40 MB of tables here and in a reader
constexpr std::size_t kQueueBytes = 16 * 1024 * 1024;  // of records for the sink
constexpr std::size_t kMostOverflowBytes = 32 * 1024 * 1024;  // of copied stacks, per reader
constexpr std::size_t kOverflowBytes = 64 * 1024 * 1024;      // of all readers

}  // namespace

Pipeline::Pipeline(model::RecordSink& sink, ModuleTable& modules)
    : modules_(modules), queue_(sink, kQueueBytes), writer_(queue_, modules, kNodesPerEpoch) {}

Status Pipeline::Build(const RecordOptions& options, EventSet& events, ProcessTable& processes,
                       SampleScope scope) {
  std::vector<perf::RingBuffer*> side_band;
  for (CpuRings& cpu : events.rings()) side_band.push_back(&cpu.side_band());
  const auto plan = PlanReaders(options.readers, side_band.size());
  target_ = std::make_unique<TargetState>(events.index(), std::move(side_band), processes,
                                          std::move(scope), plan.size());
  const std::size_t overflow_bytes = std::min(kMostOverflowBytes, kOverflowBytes / plan.size());
  std::vector<Readers::Reader> readers;
  for (std::size_t number = 0; number < plan.size(); ++number)
    readers.push_back(MakeReader(number, plan[number], options, events, overflow_bytes));
  PROF_TRY_ASSIGN(target_ended_, WakeEvent::Create());
  PROF_TRY_ASSIGN(readers_, Readers::Create(std::move(readers), [this] {
                    if (target_->live_threads() == 0) target_ended_->Signal();
                  }));
  return {};
}

Readers::Reader Pipeline::MakeReader(std::size_t number, const std::vector<std::size_t>& cpus,
                                     const RecordOptions& options, EventSet& events,
                                     std::size_t overflow_bytes) {
  std::vector<perf::RingBuffer*> samples;
  Readers::Reader reader;
  for (const std::size_t index : cpus) {
    CpuRings& cpu = events.rings()[index];
    samples.push_back(&cpu.samples());
    reader.ring_fds.push_back(cpu.side_band_fd.get());
    reader.ring_fds.push_back(cpu.sample_fd.get());
    if (options.readers.pinned) reader.pin_to_cpu = cpu.cpu;
  }
  reader.pair = std::make_unique<ReaderPair>(
      number,
      ReaderPair::Shared{.events = events.index(),
                         .target = *target_,
                         .writer = writer_,
                         .output = [this] { return queue_.state(); }},
      samples,
      std::make_unique<SampleWalker>(events.plan(), options.call_graph, options.max_stack,
                                     options.join, modules_, writer_),
      overflow_bytes);
  return reader;
}

void Pipeline::FinishReading() {
  readers_->Finish();
  writer_.Flush();
}

}  // namespace prof::collect
