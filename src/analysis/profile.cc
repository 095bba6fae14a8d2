// Read access to a merged recording.
#include "prof/analysis/profile.h"

#include <algorithm>

#include "analysis/profile_data.h"

namespace prof::analysis {

Profile::Profile() : data_(std::make_unique<Data>()) {
  data_->unknown_comm = data_->names.Intern("[unknown]");
  data_->nothing_known.emplace_back();
  data_->frames.push_back({.address = {}});
  for (model::StackId root = 0; root < model::kStackRootCount; ++root) {
    data_->nodes.push_back({.parent = root, .frame = 0});
    data_->ends.push_back(static_cast<model::StackEnd>(root));
  }
}
Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;

const model::RecordingInfo& Profile::info() const { return data_->info; }
bool Profile::has_end() const { return data_->has_end; }
const model::RecordingEnd& Profile::end() const { return data_->end; }
std::span<const model::EventDesc> Profile::events() const { return data_->events; }
std::span<const ModuleState> Profile::modules() const { return data_->modules; }
std::span<const ThreadInfo> Profile::threads() const { return data_->threads; }
std::span<const model::Sample> Profile::samples() const { return data_->samples; }
std::vector<model::Sample> Profile::ReleaseMemory() && { return std::move(data_->samples); }
const SampleTimes& Profile::sample_times() const { return data_->sample_times; }
std::span<const StackNode> Profile::nodes() const { return data_->nodes; }
std::span<const StackFrame> Profile::frames() const { return data_->frames; }
std::span<const model::Loss> Profile::losses() const { return data_->losses; }
std::span<const model::CpuUsage> Profile::cpu_usage() const { return data_->cpu_usage; }
std::span<const model::ModuleCode> Profile::code() const { return data_->code; }
std::span<const model::SourceFile> Profile::sources() const { return data_->sources; }
const std::optional<model::CodeSummary>& Profile::code_summary() const {
  return data_->code_summary;
}
std::span<const Function> Profile::functions() const { return data_->locations.functions(); }

std::string_view Profile::Name(NameIndex name) const {
  return name < data_->names.size() ? data_->names.Text(name) : std::string_view{};
}

std::uint64_t Profile::JoinedSamples(model::EventId event) const {
  return data_->joined_samples[event];
}
model::StackEnd Profile::EndOf(NodeIndex leaf) const { return data_->ends[leaf]; }

NameIndex Profile::CommOf(ThreadIndex thread, std::uint64_t time_ns) const {
  if (thread >= data_->threads.size()) return data_->unknown_comm;
  const auto& names = data_->threads[thread].names;
  const auto later =
      std::ranges::upper_bound(names, time_ns, {}, [](const auto& entry) { return entry.first; });
  return later == names.begin() ? names.front().second : std::prev(later)->second;
}

std::span<const CodeLocation> Profile::Locations(NodeIndex node) const {
  const std::uint32_t address = FrameOf(node).address_index;
  return address == kNoIndex ? std::span<const CodeLocation>(data_->nothing_known)
                             : data_->locations.Of(address);
}

FunctionExtent Profile::ExtentOf(NodeIndex node) const {
  const std::uint32_t address = FrameOf(node).address_index;
  return address == kNoIndex ? FunctionExtent{} : data_->locations.ExtentOf(address);
}

bool Profile::IsUnoptimized(NodeIndex node) const {
  const std::uint32_t address = FrameOf(node).address_index;
  return address != kNoIndex && data_->locations.IsUnoptimized(address);
}

bool Profile::NeedsSymbols() const {
  return std::ranges::any_of(data_->locations.addresses(), [&](const auto& address) {
    const ModuleState& state = data_->modules[address.module];
    return !state.resolved && state.module.kind != model::ModuleKind::kUnknown;
  });
}

}  // namespace prof::analysis
