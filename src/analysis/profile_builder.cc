// Merges the epochs of a record stream into one Profile.
#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "analysis/profile_data.h"

#include "prof/base/huge_pages.h"

namespace prof::analysis {
namespace {

// Room for one sample more. Memory that is never touched costs nothing, copying samples and
// touching new memory for them does: so a large recording is given much room at once.
void Grow(std::vector<model::Sample>& samples) {
  constexpr std::size_t kSmall = 4096;
  constexpr std::size_t kMuch = std::size_t{1} << 20U;
  if (samples.size() < samples.capacity() || samples.size() < kSmall) return;
  samples.reserve(std::max(kMuch, samples.size() * 4));
  PreferHugePages(
      {reinterpret_cast<std::byte*>(samples.data()), samples.capacity() * sizeof(model::Sample)});
}

}  // namespace

// The methods named On* take one kind of record each and answer whether it made sense. Ids of an
// epoch are dense, so a definition that makes no sense still takes its place in the vectors below,
// as kNoIndex.
class ProfileBuilder::Impl {
 public:
  explicit Impl(std::vector<model::Sample> memory) {
    memory.clear();
    data().samples = std::move(memory);
  }
  Profile Build();
  void Take(const model::Record& record) {
    if (!std::visit([this](const auto& value) { return On(value); }, record)) ++bad_records_;
  }
  void Take(std::span<const model::Sample> samples) {
    for (const model::Sample& sample : samples) {
      if (!On(sample)) ++bad_records_;
    }
  }

 private:
  bool On(const model::RecordingInfo& info);
  bool On(const model::EventDef& def);
  bool On(const model::EpochBegin&);
  bool On(const model::ModuleDef& def);
  bool On(const model::ProcessDef& def);
  bool On(const model::ThreadDef& def);
  bool On(const model::ThreadRename& rename);
  bool On(const model::StackNodeDef& def);
  bool On(const model::Sample& sample);
  bool On(const model::Loss& loss);
  bool On(const model::ModuleSymbols& symbols);
  bool On(const model::CpuUsage& usage);
  bool On(const model::ModuleCode& code);
  bool On(const model::SourceFile& source);
  bool On(const model::CodeSummary& summary);
  bool On(const model::RecordingEnd& end);
  // Intervals and counters have views of their own.
  bool On(const model::Slice&) { return true; }
  bool On(const model::CounterReading&) { return true; }
  bool On(const model::SideDef&) { return true; }
  bool On(const model::MetricDef&) { return true; }
  bool On(const model::RunDef&) { return true; }

  ModuleIndex InternModule(const model::Module& module);
  ThreadIndex InternThread(const model::ThreadDef& def, std::uint32_t pid);
  std::uint32_t InternFrame(const StackFrame& frame);
  NodeIndex InternNode(const StackNode& node);
  void MergeNodes();
  void AddName(ThreadIndex thread, std::uint64_t time_ns, NameIndex name);
  void ExplainRoots();
  Profile::Data& data() { return *profile_.data_; }

  using ThreadKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // pid, tid, start
  struct KnownThread {
    ThreadIndex thread = kNoIndex;
    std::uint64_t epoch = 0;  // in which it was last defined
  };

  Profile profile_;
  std::map<model::Module, ModuleIndex> modules_;
  std::map<ThreadKey, KnownThread> threads_;
  std::map<model::Module, std::size_t> code_;  // into the profile's
  IndexTable frames_;
  std::vector<NodeIndex> first_child_;  // of each node, as far as it has one
  IndexTable nodes_;                    // all children but the first of each node
  bool any_root_ = false;               // some sample has no node
  std::uint64_t bad_records_ = 0;
  // Of the current epoch: its ids to merged ones.
  std::uint64_t epoch_ = 0;
  std::vector<ModuleIndex> epoch_modules_;
  std::vector<std::uint32_t> epoch_pids_;
  std::vector<ThreadIndex> epoch_threads_;
  std::vector<NodeIndex> epoch_nodes_;
  std::vector<bool> epoch_joined_;        // of all nodes: whether it or one above it is kJoined
  std::vector<StackNode> pending_nodes_;  // after epoch_nodes_, not merged yet; ids of the epoch
};

bool ProfileBuilder::Impl::On(const model::RecordingInfo& info) {
  data().info = info;
  return true;
}

bool ProfileBuilder::Impl::On(const model::EventDef& def) {
  if (def.id != data().events.size()) return false;
  data().events.push_back(def.event);
  data().joined_samples.push_back(0);
  return true;
}

bool ProfileBuilder::Impl::On(const model::EpochBegin&) {
  MergeNodes();
  ++epoch_;
  epoch_modules_.clear();
  epoch_pids_.clear();
  epoch_threads_.clear();
  epoch_nodes_.clear();
  epoch_joined_.clear();
  return true;
}

ModuleIndex ProfileBuilder::Impl::InternModule(const model::Module& module) {
  const auto fresh = static_cast<ModuleIndex>(data().modules.size());
  const auto [entry, added] = modules_.try_emplace(module, fresh);
  if (added) data().modules.push_back({.module = module, .detail = {}});
  return entry->second;
}

bool ProfileBuilder::Impl::On(const model::ModuleDef& def) {
  if (def.id != epoch_modules_.size()) return false;
  epoch_modules_.push_back(InternModule(def.module));
  return true;
}

bool ProfileBuilder::Impl::On(const model::ProcessDef& def) {
  if (def.id != epoch_pids_.size()) return false;
  epoch_pids_.push_back(def.pid);
  return true;
}

bool ProfileBuilder::Impl::On(const model::ThreadDef& def) {
  if (def.id != epoch_threads_.size()) return false;
  const bool known_process = def.process < epoch_pids_.size();
  if (!known_process && def.process != model::kNoProcess) {
    epoch_threads_.push_back(kNoIndex);
    return false;
  }
  epoch_threads_.push_back(InternThread(def, known_process ? epoch_pids_[def.process] : 0));
  return true;
}

ThreadIndex ProfileBuilder::Impl::InternThread(const model::ThreadDef& def, std::uint32_t pid) {
  const NameIndex name = data().names.Intern(def.name);
  KnownThread& known = threads_[{pid, def.tid, def.start_ns}];
  // Within one epoch a second definition means another thread (ids are dense there), which happens
  // when ids are used again and start times are not known.
  if (known.thread == kNoIndex || known.epoch == epoch_) {
    known.thread = static_cast<ThreadIndex>(data().threads.size());
    const std::uint64_t since = def.start_ns == model::kUnknownTime ? 0 : def.start_ns;
    data().threads.push_back(
        {.pid = pid, .tid = def.tid, .start_ns = def.start_ns, .names = {{since, name}}});
  } else {
    // A later epoch may state the first or the newest name; one never seen is news since the last
    // sample.
    const auto& names = data().threads[known.thread].names;
    if (std::ranges::none_of(names, [&](const auto& entry) { return entry.second == name; })) {
      AddName(known.thread, std::max(data().sample_times.last_ns, names.back().first), name);
    }
  }
  known.epoch = epoch_;
  return known.thread;
}

void ProfileBuilder::Impl::AddName(ThreadIndex thread, std::uint64_t time_ns, NameIndex name) {
  auto& names = data().threads[thread].names;
  const auto after =
      std::ranges::upper_bound(names, time_ns, {}, [](const auto& entry) { return entry.first; });
  // An epoch may repeat the renames of those before it.
  if (after != names.begin() && *std::prev(after) == std::pair(time_ns, name)) return;
  names.insert(after, {time_ns, name});
}

bool ProfileBuilder::Impl::On(const model::ThreadRename& rename) {
  if (rename.thread >= epoch_threads_.size() || epoch_threads_[rename.thread] == kNoIndex)
    return false;
  AddName(epoch_threads_[rename.thread], rename.time_ns, data().names.Intern(rename.name));
  return true;
}

std::uint32_t ProfileBuilder::Impl::InternFrame(const StackFrame& frame) {
  auto& frames = data().frames;
  const auto fresh = static_cast<std::uint32_t>(frames.size());
  const std::uint64_t place =
      std::uint64_t{frame.module} << 2 | static_cast<std::uint64_t>(frame.kind);
  const std::uint32_t found =
      frames_.FindOrInsert(MixHash(frame.address.value, place), fresh, [&](std::uint32_t index) {
        const StackFrame& other = frames[index];
        return other.address == frame.address && other.module == frame.module &&
               other.kind == frame.kind;
      });
  if (found == fresh) {
    frames.push_back(frame);
    frames.back().address_index =
        data().locations.Intern(frame.module, model::LookupAddress(frame.address, frame.kind));
  }
  return found;
}

bool ProfileBuilder::Impl::On(const model::StackNodeDef& def) {
  const std::size_t next = epoch_nodes_.size() + pending_nodes_.size();
  if (def.id != next + model::kStackRootCount) return false;
  const bool known = model::IsRoot(def.parent) || def.parent - model::kStackRootCount < next;
  if (!known || def.frame.module >= epoch_modules_.size()) {
    pending_nodes_.push_back({.parent = kNoIndex});
    epoch_joined_.push_back(false);
    return false;
  }
  // A joined frame is the same place in the program as one that was seen: both are one node.
  const bool joined = def.frame.kind == model::FrameKind::kJoined;
  epoch_joined_.push_back(
      joined || (!model::IsRoot(def.parent) && epoch_joined_[def.parent - model::kStackRootCount]));
  const std::uint32_t frame =
      InternFrame({.module = epoch_modules_[def.frame.module],
                   .address = def.frame.address,
                   .kind = joined ? model::FrameKind::kReturn : def.frame.kind});
  pending_nodes_.push_back({.parent = def.parent, .frame = frame});
  return true;
}

// Most nodes have one child, which is their neighbour in memory; only the other ones are hashed.
NodeIndex ProfileBuilder::Impl::InternNode(const StackNode& node) {
  auto& nodes = data().nodes;
  const auto fresh = static_cast<NodeIndex>(nodes.size());
  first_child_.resize(fresh, kNoIndex);
  NodeIndex& first = first_child_[node.parent];
  NodeIndex found = first;
  if (first == kNoIndex) {
    found = first = fresh;
  } else if (nodes[first].frame != node.frame) {
    found = nodes_.FindOrInsert(MixHash(node.frame, node.parent), fresh, [&](std::uint32_t index) {
      return nodes[index].parent == node.parent && nodes[index].frame == node.frame;
    });
  }
  if (found == fresh) {
    nodes.push_back(node);
    data().ends.push_back(data().ends[node.parent]);
  }
  return found;
}

// Gives the pending nodes their merged ids, in a loop tight enough that cache misses overlap.
void ProfileBuilder::Impl::MergeNodes() {
  for (StackNode node : pending_nodes_) {
    if (node.parent != kNoIndex && !model::IsRoot(node.parent)) {
      node.parent = epoch_nodes_[node.parent - model::kStackRootCount];
      if (node.parent == kNoIndex) ++bad_records_;
    }
    epoch_nodes_.push_back(node.parent == kNoIndex ? kNoIndex : InternNode(node));
  }
  pending_nodes_.clear();
}

bool ProfileBuilder::Impl::On(const model::Sample& sample) {
  if (!pending_nodes_.empty()) MergeNodes();
  model::Sample merged = sample;
  if (sample.event >= data().events.size()) return false;
  if (sample.thread != model::kUnknownThread) {
    if (sample.thread >= epoch_threads_.size()) return false;
    merged.thread = epoch_threads_[sample.thread];
    if (merged.thread == kNoIndex) return false;
  }
  if (model::IsRoot(sample.stack)) {
    any_root_ = true;
  } else {
    const model::StackId place = sample.stack - model::kStackRootCount;
    if (place >= epoch_nodes_.size() || epoch_nodes_[place] == kNoIndex) return false;
    merged.stack = epoch_nodes_[place];
    if (epoch_joined_[place]) data().joined_samples[sample.event] += sample.count;
  }
  if (sample.time_ns != model::kUnknownTime) {
    SampleTimes& times = data().sample_times;
    times.first_ns = std::min(times.first_ns, sample.time_ns);
    times.last_ns = std::max(times.last_ns, sample.time_ns);
    ++times.known;
  }
  Grow(data().samples);
  data().samples.push_back(merged);
  return true;
}

bool ProfileBuilder::Impl::On(const model::Loss& loss) {
  data().losses.push_back(loss);
  return true;
}

bool ProfileBuilder::Impl::On(const model::ModuleSymbols& symbols) {
  const ModuleIndex module = InternModule(symbols.module);
  ModuleState& state = data().modules[module];
  state.status = symbols.status;
  state.detail = symbols.detail;
  state.resolved = true;
  data().locations.Apply(module, symbols, data().names);
  return true;
}

bool ProfileBuilder::Impl::On(const model::CpuUsage& usage) {
  data().cpu_usage.push_back(usage);
  return true;
}

// A module with much code comes in several records.
bool ProfileBuilder::Impl::On(const model::ModuleCode& code) {
  const auto [entry, added] = code_.try_emplace(code.module, data().code.size());
  if (added) {
    data().code.push_back(code);
  } else {
    auto& functions = data().code[entry->second].functions;
    functions.insert(functions.end(), code.functions.begin(), code.functions.end());
  }
  return true;
}

bool ProfileBuilder::Impl::On(const model::SourceFile& source) {
  data().sources.push_back(source);
  return true;
}

bool ProfileBuilder::Impl::On(const model::CodeSummary& summary) {
  data().code_summary = summary;
  return true;
}

bool ProfileBuilder::Impl::On(const model::RecordingEnd& end) {
  data().end = end;
  data().has_end = true;
  return true;
}

// Samples without even a pc count as one in "[unknown]".
void ProfileBuilder::Impl::ExplainRoots() {
  if (!any_root_) return;
  const ModuleIndex unknown =
      InternModule({.kind = model::ModuleKind::kUnknown, .path = "[unknown]", .build_id = {}});
  const std::uint32_t address = data().locations.Intern(unknown, {});
  data().frames.front() = {.module = unknown, .address = {}, .address_index = address};
}

Profile ProfileBuilder::Impl::Build() {
  MergeNodes();
  first_child_ = {};
  nodes_ = {};
  ExplainRoots();
  data().locations.Complete();
  for (model::ModuleCode& code : data().code) {
    std::ranges::sort(code.functions, {}, &model::FunctionCode::start);
  }
  if (bad_records_ > 0) {
    data().losses.push_back({.cause = model::LossCause::kBadRecord, .count = bad_records_});
  }
  return std::move(profile_);
}

ProfileBuilder::ProfileBuilder(std::vector<model::Sample> memory)
    : impl_(std::make_unique<Impl>(std::move(memory))) {}
ProfileBuilder::~ProfileBuilder() = default;

Status ProfileBuilder::Append(const model::Record& record) {
  impl_->Take(record);
  return {};
}

Status ProfileBuilder::AppendSamples(std::span<const model::Sample> samples) {
  impl_->Take(samples);
  return {};
}

Profile ProfileBuilder::Build() { return impl_->Build(); }

}  // namespace prof::analysis
