// Writes the honesty block: what the recording could not see, and which option would have helped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/head_text.h"
#include "report/number_text.h"

#include "prof/report/text_report.h"

namespace prof::report {
namespace {

using analysis::CpuGap;
using analysis::EventHonesty;
using model::LossCause;
using model::StackEnd;

constexpr double kGapShare = 0.05;   // a difference of CPU time used and sampled that gets a line
constexpr double kSmallComm = 0.01;  // comms below this share of the CPU time get none
constexpr std::size_t kMostGaps = 5;
constexpr double kHintShare = 0.01;  // broken stacks, modules without symbols
constexpr std::size_t kMostModules = 3;
// From these shares of the machine's CPU time on, load gets a line.
constexpr double kMuchLoad = 0.20;
constexpr double kMuchSteal = 0.02;
constexpr std::uint64_t kFewSamples = 1000;  // below, the interval of the top row is said

std::string Rate(const model::EventDesc& event) {
  if (event.sampling_value == 0) return {};
  if (event.mode == model::SamplingMode::kFrequency)
    return fmt::format(", {} Hz", event.sampling_value);
  if (event.sampling_value == 1) return ", every hit";
  const char* unit = event.unit == model::EventUnit::kNanoseconds ? " ns" : "";
  return fmt::format(", one sample per {}{}", event.sampling_value, unit);
}

std::string EventLine(const model::EventDesc& event, const EventHonesty& honesty, double seconds) {
  std::string line = event.name;
  if (!event.replaces.empty()) {
    line += fmt::format(" instead of {}", event.replaces);
    if (!event.replaced_because.empty()) line += fmt::format(" ({})", event.replaced_because);
  }
  line += fmt::format("{}: {} samples in {}", Rate(event), honesty.samples, SecondsText(seconds));
  if (!event.restriction.empty())
    line += fmt::format("; {} not permitted: {}", event.excludes_kernel ? "kernel" : "more",
                        event.restriction);
  return line;
}

std::string ProcessesText(std::uint64_t count) {
  return count == 1 ? "1 process" : std::to_string(count) + " processes";
}

constexpr std::uint32_t kMostDumpBytes = 65'528;  // the kernel's limit, sample_stack_user
constexpr const char* kCopyMore = "record with --call-graph dwarf,65528 to copy more of the stack";
constexpr const char* kCopyNoMore =
    "longer than the kernel can copy; --call-graph fp if the code keeps frame pointers";

struct StackAdvice {
  StackEnd end;
  const char* text;
  bool more_copied = false;  // a larger copy mends it
};
// What would mend stacks that ended so.
constexpr StackAdvice kStackAdvice[] = {
    {StackEnd::kTruncated, kCopyMore, true},
    {StackEnd::kNoUnwindInfo,
     "code without unwind information; --call-graph fp if it keeps frame pointers"},
    {StackEnd::kUnreadable, kCopyMore, true},
    {StackEnd::kMaxDepth, "record with a larger --max-stack"},
    {StackEnd::kUnsupportedAbi, "32-bit code is not unwound; its functions are still found"},
    {StackEnd::kShed, "record with a lower -F or --call-graph fp"},
    {StackEnd::kFramePointers, "frame-pointer chains cannot be verified; -g without fp can"},
    {StackEnd::kOtherStack,
     "what a signal interrupted, or who resumed a coroutine, is on a stack that is not copied; the "
     "frames shown are right"},
};

std::string Modules(const analysis::StackEndShare& share) {
  std::string text;
  for (std::size_t i = 0; i < std::min(share.worst_modules.size(), kMostModules); ++i) {
    text += (i == 0 ? "" : ", ") + share.worst_modules[i].first;
  }
  return text.empty() ? text : " (" + text + ")";
}

// With --call-graph fp the kernel cuts stacks, at --max-stack or at its own limit.
std::string AdviceText(const StackAdvice& advice, const model::RecordingInfo& info) {
  if (advice.more_copied && info.stack_dump_bytes >= kMostDumpBytes) return kCopyNoMore;
  if (advice.end != StackEnd::kMaxDepth ||
      info.call_graph != model::CallGraphMode::kFramePointers) {
    return advice.text;
  }
  return fmt::format(
      "the kernel delivered {} frames; for more: sudo sysctl kernel.perf_event_max_stack={}, or a "
      "larger --max-stack where that was the limit",
      info.max_stack, std::max<std::uint32_t>(1024, 2 * info.max_stack));
}

void AddStackLines(const EventHonesty& honesty, const std::string& prefix,
                   const model::RecordingInfo& info, std::vector<std::string>& lines) {
  if (honesty.walked_samples == 0) return;
  const auto walked = static_cast<double>(honesty.walked_samples);
  std::string line = prefix + "stacks: " + ShareText(honesty.complete_share) + " complete";
  std::vector<std::string> hints;
  for (const analysis::StackEndShare& share : honesty.stack_ends) {
    if (share.end == StackEnd::kComplete || share.samples == 0) continue;
    const double part = static_cast<double>(share.samples) / walked;
    line +=
        fmt::format(", {} {}{}", ShareText(part), model::StackEndName(share.end), Modules(share));
    for (const StackAdvice& advice : kStackAdvice) {
      if (advice.end != share.end || part < kHintShare) continue;
      hints.push_back(
          fmt::format("{}: {}", model::StackEndName(share.end), AdviceText(advice, info)));
    }
  }
  lines.push_back(std::move(line));
  for (std::string& hint : hints) lines.push_back("  " + hint);
  if (honesty.joined_samples != 0) {
    const double part = static_cast<double>(honesty.joined_samples) / walked;
    lines.push_back("  " + ShareText(part) +
                    " of the stacks were completed from earlier samples of the same thread; "
                    "--no-join leaves them cut");
  }
}

std::string LossLine(const analysis::LossTotal& loss) {
  const std::string count = (loss.at_least ? "at least " : "") + std::to_string(loss.count);
  switch (loss.cause) {
    case LossCause::kKernelRing:
      return "lost " + count +
             " samples: the kernel's ring was full; record with a larger -m, a lower -F or a "
             "smaller --call-graph dwarf,SIZE";
    case LossCause::kThrottled:
      return "throttled " + count +
             " times: the kernel stopped the event for exceeding its rate; record with a lower -F";
    case LossCause::kSideBandRing:
      return "lost " + count +
             " records of mappings and processes; /proc was read again, some samples may be "
             "misnamed";
    case LossCause::kQueueFull:
      return "lost " + count +
             " samples: the output could not keep up; record to a faster disk or reader (-o), or "
             "with a lower -F";
    case LossCause::kStackShed:
      return "gave up " + count +
             " stacks: prof could not keep up; record with a lower -F, a smaller --call-graph "
             "dwarf,SIZE or --call-graph fp";
    case LossCause::kStackCut:
      return "cut " + count +
             " stacks to 8 KB: prof could not keep up; record with a larger -m, a lower -F or "
             "--call-graph fp";
    case LossCause::kBadRecord:
      return "skipped " + count + " records that make no sense (a damaged file?)";
    case LossCause::kUnattributed:
      return "no name for the threads of " + count +
             " samples: they ended before /proc could tell; the samples are in the report";
    case LossCause::kWriteError:
      return "lost " + count + " records: the output could not be written";
  }
  return "lost " + count + " records";
}

// Why time of a comm was not sampled, as far as is known.
std::string GapReason(const model::EventDesc& event, double gap_share) {
  if (event.excludes_kernel) {
    const char* why =
        event.restriction.empty() ? "[kernel: left out by the event]" : "[kernel: not permitted]";
    return fmt::format("{} {}", why, ShareText(gap_share));
  }
  if (event.excludes_user)
    return fmt::format("[user: left out by the event] {}", ShareText(gap_share));
  return ShareText(gap_share) + " not sampled";
}

// Whether sampling every `period_ns` alone explains the difference: two periods, or two standard
// deviations of a count.
bool IsChance(double difference_ns, double used_ns, double period_ns) {
  const double periods = period_ns > 0 ? used_ns / period_ns : 0;
  return difference_ns <= period_ns * std::max(2.0, 2 * std::sqrt(periods));
}

// Samples that stand for more time than was used hide nothing, and a command's surplus is mostly
// time that the kernel accounts to the name its process had last. Only the sum is worth a line.
std::string SurplusLine(const EventHonesty& honesty, double period_ns) {
  const auto used = static_cast<double>(honesty.cpu_used_ns);
  const double surplus = static_cast<double>(honesty.cpu_sampled_ns) - used;
  if (surplus <= kGapShare * used || IsChance(surplus, used, period_ns)) return {};
  return fmt::format("samples stand for {} more than was used: shares are right, seconds too high",
                     ShareText(surplus / used));
}

// The line of one comm; empty when its samples cover what it used.
std::string GapLine(const CpuGap& gap, const model::EventDesc& event, double total_ns,
                    double period_ns) {
  const auto used = static_cast<double>(gap.used_ns);
  const auto sampled = static_cast<double>(gap.sampled_ns);
  const double missing = used - sampled;
  if (used < kSmallComm * total_ns || missing <= kGapShare * used ||
      IsChance(missing, used, period_ns))
    return {};
  if (static_cast<double>(gap.unsampled_used_ns) >= missing / 2) {
    return fmt::format("{}: {} ended before {} first sample: {} not seen", gap.comm,
                       ProcessesText(gap.unsampled_processes),
                       gap.unsampled_processes == 1 ? "its" : "their",
                       NanosecondsText(gap.unsampled_used_ns));
  }
  std::string line =
      fmt::format("{}: {} ({} used, {} sampled)", gap.comm, GapReason(event, missing / used),
                  SecondsText(used / 1e9), SecondsText(sampled / 1e9));
  if (static_cast<double>(gap.unsampled_used_ns) >= missing / 10)
    line += fmt::format("; {} ended without a sample: {}", ProcessesText(gap.unsampled_processes),
                        NanosecondsText(gap.unsampled_used_ns));
  return line;
}

void AddGapLines(const EventHonesty& honesty, const model::EventDesc& event,
                 const std::string& prefix, std::vector<std::string>& lines) {
  if (honesty.cpu_used_ns == 0) return;
  lines.push_back(fmt::format("{}CPU time: {} used, {} sampled", prefix,
                              NanosecondsText(honesty.cpu_used_ns),
                              NanosecondsText(honesty.cpu_sampled_ns)));
  const double period =
      Share(static_cast<double>(honesty.weight), static_cast<double>(honesty.samples));
  if (std::string line = SurplusLine(honesty, period); !line.empty()) lines.push_back("  " + line);
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const CpuGap& gap : honesty.cpu_gaps) {
    std::string line = GapLine(gap, event, static_cast<double>(honesty.cpu_used_ns), period);
    if (line.empty()) continue;
    if (shown++ < kMostGaps) {
      lines.push_back("  " + line);
    } else {
      ++more;
    }
  }
  if (more > 0) lines.push_back(fmt::format("  and {} more commands with a gap above 5 %", more));
}

void AddCostLine(const ReportData& data, std::vector<std::string>& lines) {
  if (!data.end) return;
  const model::RecordingEnd& end = *data.end;
  const double seconds = data.honesty.seconds;
  std::string line;
  if (end.target_cpu_ns > 0) {
    line = fmt::format("target: {} CPU in {} wall; ", NanosecondsText(end.target_cpu_ns),
                       SecondsText(seconds));
  }
  const double cpus = static_cast<double>(std::max<std::uint64_t>(end.recorded_cpus, 1));
  if (end.idle_ns > 0) {
    line += fmt::format("idle: {} of {} CPUs; ",
                        ShareText(Share(static_cast<double>(end.idle_ns) / 1e9, seconds * cpus)),
                        end.recorded_cpus);
  }
  lines.push_back(line + "prof itself: " + NanosecondsText(end.prof_cpu_ns) + " CPU");
}

const char* StatusText(model::SymbolStatus status) {
  switch (status) {
    case model::SymbolStatus::kOk:
      return "ok";
    case model::SymbolStatus::kNoSymbols:
      return "no symbols";
    case model::SymbolStatus::kFileMissing:
      return "file missing";
    case model::SymbolStatus::kBuildIdMismatch:
      return "file replaced since (another build ID)";
    case model::SymbolStatus::kUnreadable:
      return "file unreadable";
    case model::SymbolStatus::kNotPermitted:
      return "kernel addresses hidden (kptr_restrict)";
  }
  return "";
}

void AddModuleLine(const ReportData& data, std::vector<std::string>& lines) {
  std::string line;
  for (const UnresolvedModule& module : data.unresolved) {
    const double share =
        Share(static_cast<double>(module.samples), static_cast<double>(data.samples));
    if (share < kHintShare) continue;
    const std::string why = module.detail.empty() ? StatusText(module.status) : module.detail;
    line += fmt::format("{}{} {} ({}{}{})", line.empty() ? "no symbols: " : "; ", module.name,
                        ShareText(share), why, module.hint.empty() ? "" : ": ", module.hint);
  }
  if (!line.empty()) lines.push_back(std::move(line));
}

void AddUnoptimizedLine(const ReportData& data, std::vector<std::string>& lines) {
  std::string line;
  for (const analysis::UnoptimizedModule& module : data.honesty.unoptimized_modules) {
    const double share =
        Share(static_cast<double>(module.samples), static_cast<double>(data.samples));
    line += fmt::format("{}{} {}", line.empty() ? "compiled without optimization (-O0): " : ", ",
                        module.name, ShareText(share));
  }
  if (!line.empty()) lines.push_back(std::move(line));
}

void AddLoadLines(const analysis::MachineLoad& load, std::vector<std::string>& lines) {
  if (load.other.value_or(0) > kMuchLoad) {
    lines.push_back(fmt::format("other programs used {} of the machine's CPU time meanwhile",
                                ShareText(*load.other)));
  }
  if (load.steal.value_or(0) > kMuchSteal) {
    lines.push_back(fmt::format("the hypervisor took {} of the machine's CPU time meanwhile",
                                ShareText(*load.steal)));
  }
}

void AddEventLines(const ReportData& data, const EventHonesty& honesty,
                   std::vector<std::string>& lines) {
  if (honesty.event >= data.events.size()) return;
  const model::EventDesc& event = data.events[honesty.event];
  const std::string prefix = data.events.size() > 1 ? event.name + ": " : "";
  lines.push_back(EventLine(event, honesty, data.honesty.seconds));
  AddGapLines(honesty, event, prefix, lines);
  AddStackLines(honesty, prefix, data.info, lines);
  if (honesty.samples > 0 && honesty.samples < kFewSamples && !honesty.top_name.empty()) {
    lines.push_back(fmt::format("{}few samples: {} is {:.0f} % (95 %: {:.0f} to {:.0f} %)", prefix,
                                honesty.top_name, 100 * honesty.top_share, 100 * honesty.top_low,
                                100 * honesty.top_high));
  }
}

}  // namespace

std::vector<std::string> HonestyLines(const ReportData& data) {
  std::vector<std::string> lines = FileLines(data.file);
  for (const EventHonesty& honesty : data.honesty.events) AddEventLines(data, honesty, lines);
  for (const analysis::LossTotal& loss : data.honesty.losses) {
    if (loss.count > 0) lines.push_back(LossLine(loss));
  }
  AddModuleLine(data, lines);
  AddUnoptimizedLine(data, lines);
  AddCostLine(data, lines);
  AddLoadLines(data.honesty.load, lines);
  for (const std::string& note : data.info.notes) lines.push_back("note: " + note);
  if (data.end) {
    for (const std::string& note : data.end->notes) lines.push_back("note: " + note);
  }
  return lines;
}

}  // namespace prof::report
