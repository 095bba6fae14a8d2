// Checks every reference of a data block's rows and pushes them as records.
#include "store/data_replay.h"

#include <utility>

namespace prof::store {
namespace {

std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

struct DataTable {
  Section section;
  TableSpec spec;
};
constexpr DataTable kDataTables[] = {
    {Section::kModules, schema::Modules::kSpec},   {Section::kProcesses, schema::Processes::kSpec},
    {Section::kThreads, schema::Threads::kSpec},   {Section::kRenames, schema::Renames::kSpec},
    {Section::kNodes, schema::Nodes::kSpec},       {Section::kSamples, schema::Samples::kSpec},
    {Section::kLosses, schema::Losses::kSpec},     {Section::kSlices, schema::Slices::kSpec},
    {Section::kCounters, schema::Counters::kSpec},
};

std::size_t IndexOf(Section section) { return static_cast<std::size_t>(section); }

}  // namespace

void DataReplay::BeginEpoch() {
  strings_.Clear();
  modules_ = IdMap{0, 0};
  processes_ = IdMap{0, 0};
  threads_ = IdMap{0, 0};
  nodes_ = IdMap{model::kStackRootCount, model::kStackRootCount};
}

DecodeOutcome DataReplay::Decode(std::span<const std::byte> payload) {
  bool unsupported = false;
  SectionList sections;
  if (!sections.Parse(payload, &unsupported)) return DecodeOutcome::kMalformed;
  for (const DataTable& part : kDataTables) {
    Table& table = tables_[IndexOf(part.section)];
    if (!sections.ReadTable(part.section, part.spec, table, &unsupported))
      return DecodeOutcome::kMalformed;
  }
  if (unsupported) return DecodeOutcome::kUnsupported;
  return strings_.Decode(sections.Get(Section::kStrings)) ? DecodeOutcome::kOk
                                                          : DecodeOutcome::kMalformed;
}

Status DataReplay::Replay(model::RecordSink& sink) {
  PROF_TRY(ReplayModules(sink));
  PROF_TRY(ReplayProcesses(sink));
  PROF_TRY(ReplayThreads(sink));
  PROF_TRY(ReplayNodes(sink));
  PROF_TRY(ReplayRenames(sink));
  PROF_TRY(ReplaySamples(sink));
  PROF_TRY(ReplayLosses(sink));
  PROF_TRY(ReplaySlices(sink));
  return ReplayCounters(sink);
}

std::uint64_t DataReplay::TakeDropped() { return std::exchange(dropped_, 0); }

std::optional<model::ProcessId> DataReplay::FindProcess(std::uint64_t id) const {
  if (id == model::kNoProcess) return model::kNoProcess;
  return processes_.Find(id);
}

std::optional<model::ThreadId> DataReplay::FindThread(std::uint64_t id) const {
  if (id == model::kUnknownThread) return model::kUnknownThread;
  return threads_.Find(id);
}

std::optional<model::StackId> DataReplay::FindStack(std::uint64_t id) const {
  if (id < model::kStackRootCount) return Low(id);
  return nodes_.Find(id);
}

Status DataReplay::ReplayModules(model::RecordSink& sink) {
  using Columns = schema::Modules;
  const Table& table = tables_[IndexOf(Section::kModules)];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    model::ModuleDef def;
    const bool usable = ReadModule(table, row, Columns::kKind, strings_, &def.module);
    const auto id = usable ? modules_.Define(table.At(row, Columns::kId)) : std::nullopt;
    if (!id) {
      ++dropped_;
      continue;
    }
    def.id = *id;
    PROF_TRY(sink.Append(model::Record(std::move(def))));
  }
  return {};
}

Status DataReplay::ReplayProcesses(model::RecordSink& sink) {
  using Columns = schema::Processes;
  const Table& table = tables_[IndexOf(Section::kProcesses)];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto parent = FindProcess(table.At(row, Columns::kParent));
    const auto id = parent ? processes_.Define(table.At(row, Columns::kId)) : std::nullopt;
    if (!id) {
      ++dropped_;
      continue;
    }
    PROF_TRY(
        sink.Append(model::Record(model::ProcessDef{.id = *id,
                                                    .pid = Low(table.At(row, Columns::kPid)),
                                                    .ns_pid = Low(table.At(row, Columns::kNsPid)),
                                                    .parent = *parent,
                                                    .start_ns = table.At(row, Columns::kStart)})));
  }
  return {};
}

Status DataReplay::ReplayThreads(model::RecordSink& sink) {
  using Columns = schema::Threads;
  const Table& table = tables_[IndexOf(Section::kThreads)];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto process = FindProcess(table.At(row, Columns::kProcess));
    const std::string* name = strings_.Find(table.At(row, Columns::kName));
    const bool usable = process && name != nullptr;
    const auto id = usable ? threads_.Define(table.At(row, Columns::kId)) : std::nullopt;
    if (!id) {
      ++dropped_;
      continue;
    }
    PROF_TRY(sink.Append(model::Record(model::ThreadDef{.id = *id,
                                                        .process = *process,
                                                        .tid = Low(table.At(row, Columns::kTid)),
                                                        .start_ns = table.At(row, Columns::kStart),
                                                        .name = *name})));
  }
  return {};
}

Status DataReplay::ReplayRenames(model::RecordSink& sink) {
  using Columns = schema::Renames;
  const Table& table = tables_[IndexOf(Section::kRenames)];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto thread = threads_.Find(table.At(row, Columns::kThread));
    const std::string* name = strings_.Find(table.At(row, Columns::kName));
    if (!thread || name == nullptr) {
      ++dropped_;
      continue;
    }
    PROF_TRY(
        sink.Append(model::Record(model::ThreadRename{.thread = *thread,
                                                      .time_ns = table.At(row, Columns::kTime),
                                                      .exec = table.At(row, Columns::kExec) != 0,
                                                      .name = *name})));
  }
  return {};
}

Status DataReplay::ReplayNodes(model::RecordSink& sink) {
  using Columns = schema::Nodes;
  const Table& table = tables_[IndexOf(Section::kNodes)];
  model::Record record = model::StackNodeDef{};
  auto& def = std::get<model::StackNodeDef>(record);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    // A parent must be defined already: no file can make a cycle.
    const auto parent = FindStack(table.At(row, Columns::kParent));
    const auto module = modules_.Find(table.At(row, Columns::kModule));
    const auto id = parent && module ? nodes_.Define(table.At(row, Columns::kId)) : std::nullopt;
    if (!id) {
      ++dropped_;
      continue;
    }
    def.id = *id;
    def.parent = *parent;
    def.frame = {.module = *module,
                 .kind = static_cast<model::FrameKind>(table.At(row, Columns::kKind)),
                 .address = {table.At(row, Columns::kAddress)}};
    PROF_TRY(sink.Append(record));
  }
  return {};
}

Status DataReplay::ReplaySamples(model::RecordSink& sink) {
  using Columns = schema::Samples;
  const Table& table = tables_[IndexOf(Section::kSamples)];
  samples_.clear();
  if (table.rows() == 0) return {};
  samples_.reserve(table.rows());
  const auto times = table.Column(Columns::kTime);
  const auto threads = table.Column(Columns::kThread);
  const auto cpus = table.Column(Columns::kCpu);
  const auto events = table.Column(Columns::kEvent);
  const auto weights = table.Column(Columns::kWeight);
  const auto counts = table.Column(Columns::kTimes);
  const auto stacks = table.Column(Columns::kStack);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto thread = FindThread(threads[row]);
    const auto event = events_.Find(events[row]);
    const auto stack = FindStack(stacks[row]);
    if (!thread || !event || !stack) [[unlikely]] {
      ++dropped_;
      continue;
    }
    samples_.push_back({.time_ns = times[row],
                        .thread = *thread,
                        .cpu = Low(cpus[row]),
                        .event = *event,
                        .weight = weights[row],
                        .count = counts[row],
                        .stack = *stack});
  }
  return sink.AppendSamples(samples_);
}

Status DataReplay::ReplayLosses(model::RecordSink& sink) {
  using Columns = schema::Losses;
  const Table& table = tables_[IndexOf(Section::kLosses)];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cause = static_cast<model::LossCause>(table.At(row, Columns::kCause));
    PROF_TRY(
        sink.Append(model::Record(model::Loss{.cause = cause,
                                              .time_ns = table.At(row, Columns::kTime),
                                              .cpu = Low(table.At(row, Columns::kCpu)),
                                              .count = table.At(row, Columns::kTimes),
                                              .at_least = table.At(row, Columns::kAtLeast) != 0})));
  }
  return {};
}

Status DataReplay::ReplaySlices(model::RecordSink& sink) {
  using Columns = schema::Slices;
  const Table& table = tables_[IndexOf(Section::kSlices)];
  model::Record record = model::Slice{};
  auto& slice = std::get<model::Slice>(record);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string* lane = strings_.Find(table.At(row, Columns::kLane));
    const std::string* name = strings_.Find(table.At(row, Columns::kName));
    const std::string* category = strings_.Find(table.At(row, Columns::kCategory));
    const auto thread = FindThread(table.At(row, Columns::kThread));
    const auto stack = FindStack(table.At(row, Columns::kStack));
    if (lane == nullptr || name == nullptr || category == nullptr || !thread || !stack) {
      ++dropped_;
      continue;
    }
    slice.lane = *lane;
    slice.name = *name;
    slice.category = *category;
    slice.begin_ns = table.At(row, Columns::kBegin);
    slice.duration_ns = table.At(row, Columns::kDuration);
    slice.thread = *thread;
    slice.stack = *stack;
    slice.correlation = table.At(row, Columns::kCorrelation);
    PROF_TRY(sink.Append(record));
  }
  return {};
}

Status DataReplay::ReplayCounters(model::RecordSink& sink) {
  using Columns = schema::Counters;
  const Table& table = tables_[IndexOf(Section::kCounters)];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto event = events_.Find(table.At(row, Columns::kEvent));
    const auto thread = FindThread(table.At(row, Columns::kThread));
    if (!event || !thread) {
      ++dropped_;
      continue;
    }
    PROF_TRY(sink.Append(
        model::Record(model::CounterReading{.run = Low(table.At(row, Columns::kRun)),
                                            .event = *event,
                                            .cpu = Low(table.At(row, Columns::kCpu)),
                                            .thread = *thread,
                                            .time_ns = table.At(row, Columns::kTime),
                                            .value = table.At(row, Columns::kValue),
                                            .enabled_ns = table.At(row, Columns::kEnabled),
                                            .running_ns = table.At(row, Columns::kRunning)})));
  }
  return {};
}

}  // namespace prof::store
