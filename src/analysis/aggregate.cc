// Adds up the samples of each event by stack and by what the sort keys ask of the sample itself.
#include "analysis/aggregate.h"

#include <algorithm>
#include <numeric>

#include "analysis/index_table.h"
#include "analysis/sample_filter.h"

namespace prof::analysis {
namespace {

// Times are told apart in steps of 100 ms, perf's --time-quantum.
constexpr std::uint64_t kTimeQuantumNs = 100'000'000;

class EventAggregate {
 public:
  EventAggregate(const Profile& profile, const TableOptions& options, const TimeBlocks& blocks)
      : profile_(profile), filter_(profile, options.filter), blocks_(blocks) {
    for (const SortKey key : options.sort) {
      const bool asks_the_sample = key == SortKey::kComm || key == SortKey::kPid ||
                                   key == SortKey::kTid || key == SortKey::kCpu ||
                                   key == SortKey::kTime;
      if (asks_the_sample) wanted_ |= 1U << static_cast<unsigned>(key);
    }
  }

  void Add(const model::Sample& sample) {
    result_.total_weight += sample.weight;
    result_.total_samples += sample.count;
    if (!result_.walked) {
      result_.walked = profile_.EndOf(sample.stack) != model::StackEnd::kNotWalked;
    }
    if (!filter_.Keeps(sample)) {
      result_.dropped_weight += sample.weight;
      result_.dropped_samples += sample.count;
      return;
    }
    const std::uint32_t context = ContextOf(sample);
    SampleGroup& group = GroupOf(sample.stack, context, BlockOf(sample.time_ns));
    group.weight += sample.weight;
    group.samples += sample.count;
  }

  EventGroups Finish() {
    groups_of_ = {};
    group_table_ = {};
    if (result_.contexts.size() > 1) SortByContext();
    return std::move(result_);
  }

 private:
  std::uint32_t BlockOf(std::uint64_t time_ns) {
    if (blocks_.count == 1) return 0;
    return time_ns == model::kUnknownTime ? untimed_++ % blocks_.count : blocks_.Of(time_ns);
  }

  // Most stacks are met in one context only; just the groups of further ones are hashed. Samples
  // come in the order of time, so that of a stack's blocks the newest is met again and again.
  SampleGroup& GroupOf(NodeIndex stack, std::uint32_t context, std::uint32_t block) {
    auto& groups = result_.groups;
    const auto fresh = static_cast<std::uint32_t>(groups.size());
    if (groups_of_.empty()) groups_of_.resize(profile_.nodes().size());
    const auto is = [&](std::uint32_t index) {
      return groups[index].stack == stack && groups[index].context == context &&
             groups[index].block == block;
    };
    auto& [first, newest] = groups_of_[stack];
    if (newest != kNoIndex && is(newest)) return groups[newest];
    if (first == kNoIndex) {
      first = newest = fresh;
    } else if (is(first)) {
      newest = first;
    } else {
      const std::uint64_t place = std::uint64_t{context} << 32 | block;
      newest = group_table_.FindOrInsert(MixHash(stack, place), fresh, is);
    }
    if (newest == fresh) groups.push_back({.stack = stack, .context = context, .block = block});
    return groups[newest];
  }

  // Leaves stacks in the order they came in: neighbours have much in common.
  void SortByContext() {
    std::vector<std::uint32_t> next(result_.contexts.size() + 1);
    for (const SampleGroup& group : result_.groups) ++next[group.context + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<SampleGroup> sorted(result_.groups.size());
    for (const SampleGroup& group : result_.groups) sorted[next[group.context]++] = group;
    result_.groups = std::move(sorted);
  }

  [[nodiscard]] bool Wants(SortKey key) const {
    return (wanted_ >> static_cast<unsigned>(key) & 1) != 0;
  }

  std::uint32_t ContextOf(const model::Sample& sample) {
    if (wanted_ == 0 && !result_.contexts.empty()) return 0;
    SampleContext context;
    const bool known = sample.thread < profile_.threads().size();
    if (Wants(SortKey::kComm)) context.comm = profile_.CommOf(sample.thread, sample.time_ns);
    if (Wants(SortKey::kPid) && known) context.pid = profile_.threads()[sample.thread].pid;
    if (Wants(SortKey::kTid) && known) context.tid = profile_.threads()[sample.thread].tid;
    if (Wants(SortKey::kCpu)) context.cpu = sample.cpu;
    if (Wants(SortKey::kTime)) {
      context.time_ns = sample.time_ns == model::kUnknownTime
                            ? model::kUnknownTime
                            : sample.time_ns - sample.time_ns % kTimeQuantumNs;
    }
    auto& contexts = result_.contexts;
    const auto fresh = static_cast<std::uint32_t>(contexts.size());
    const std::uint64_t ids = std::uint64_t{context.pid} << 32 | context.tid;
    const std::uint64_t rest = std::uint64_t{context.comm} << 32 | context.cpu;
    const std::uint32_t found = context_table_.FindOrInsert(
        MixHash(ids ^ context.time_ns, rest), fresh,
        [&](std::uint32_t index) { return contexts[index] == context; });
    if (found == fresh) contexts.push_back(context);
    return found;
  }

  const Profile& profile_;
  ThreadFilter filter_;
  TimeBlocks blocks_;
  std::uint32_t untimed_ = 0;
  unsigned wanted_ = 0;
  EventGroups result_;
  struct StackGroups {
    std::uint32_t first = kNoIndex;
    std::uint32_t newest = kNoIndex;
  };
  std::vector<StackGroups> groups_of_;  // by stack
  IndexTable group_table_;
  IndexTable context_table_;
};

}  // namespace

std::uint32_t TimeBlocks::Of(std::uint64_t time_ns) const {
  if (time_ns <= begin_ns || end_ns <= begin_ns) return 0;
  if (time_ns >= end_ns) return count - 1;
  const double share =
      static_cast<double>(time_ns - begin_ns) / static_cast<double>(end_ns - begin_ns);
  return std::min(static_cast<std::uint32_t>(share * count), count - 1);
}

std::vector<EventGroups> Aggregate(const Profile& profile, const TableOptions& options,
                                   const TimeBlocks& blocks) {
  std::vector<EventAggregate> events;
  events.reserve(profile.events().size());
  for (std::size_t i = 0; i < profile.events().size(); ++i) {
    events.emplace_back(profile, options, blocks);
  }
  for (const model::Sample& sample : profile.samples()) events[sample.event].Add(sample);
  std::vector<EventGroups> result;
  for (EventAggregate& event : events) result.push_back(event.Finish());
  return result;
}

}  // namespace prof::analysis
