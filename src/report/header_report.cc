// Prints what was recorded where (--header) and how many records of each kind a file has (--stats).
#include "prof/report/header_report.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <string_view>

#include "report/key_names.h"
#include "report/number_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

// As in model::Record.
constexpr std::array<std::string_view, std::variant_size_v<model::Record>> kKindNames = {
    "RECORDING_INFO", "EVENT",       "EPOCH",         "MODULE", "PROCESS", "THREAD",
    "THREAD_RENAME",  "STACK_NODE",  "SAMPLE",        "LOSS",   "SLICE",   "COUNTER",
    "MODULE_SYMBOLS", "CPU_USAGE",   "RECORDING_END", "SIDE",   "METRIC",  "RUN",
    "MODULE_CODE",    "SOURCE_FILE", "CODE_SUMMARY"};
static_assert(kKindNames.back() == "CODE_SUMMARY");

std::string DateText(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local);
  return text.data();
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

class HeaderText {
 public:
  void Add(std::string_view name, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("# {} : {}\n", name, Printable(value));
  }
  std::string Take() { return "# ========\n" + text_ + "# ========\n#\n"; }

 private:
  std::string text_;
};

std::string EventText(const model::EventDesc& event) {
  std::string text =
      fmt::format("name = {}, type = {}, config = {:#x}, {} = {}", event.name, event.attr_type,
                  event.attr_config,
                  event.mode == model::SamplingMode::kFrequency ? "sample_freq" : "sample_period",
                  event.sampling_value);
  if (event.excludes_kernel) text += ", exclude_kernel = 1";
  if (event.excludes_user) text += ", exclude_user = 1";
  if (event.precise > 0) text += fmt::format(", precise_ip = {}", event.precise);
  return text;
}

std::string CountText(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// What of code and sources is in the file, and what is not.
std::string CodeText(const std::optional<model::CodeSummary>& code) {
  if (!code) return "not in the file; prof annotate reads them where the programs lie";
  std::string text = "code of " + CountText(code->functions, "function");
  if (code->functions_left_out > 0) {
    text += fmt::format(", {} colder with {} of the samples left out", code->functions_left_out,
                        ShareText(code->left_out_share));
  }
  if (code->functions_without_code > 0) {
    text += fmt::format(", {} unreadable", code->functions_without_code);
  }
  if (!code->source_wanted) return text + "; no source text (--no-embed-source)";
  text += "; " + CountText(code->source_bytes, "byte") + " of source text";
  if (code->source_lines_left_out > 0) {
    text += ", " + CountText(code->source_lines_left_out, "line") + " with samples left out";
  }
  return text;
}

// Empty where it is not known.
std::string LoadText(const std::optional<double>& share) {
  return share ? ShareText(*share) + " of the machine's CPU time" : std::string();
}

std::string StatLine(std::string_view name, std::uint64_t count, std::uint64_t total) {
  std::string line = fmt::format("{:>16} events: {:>10}", name, count);
  if (total > 0)
    line += fmt::format("  ({:4.1f}%)",
                        100 * Share(static_cast<double>(count), static_cast<double>(total)));
  return line + '\n';
}

}  // namespace

void RecordCounts::Add(const model::Record& record) {
  ++by_kind[record.index()];
  if (const auto* sample = std::get_if<model::Sample>(&record)) ++samples[sample->event];
}

std::string RenderHeader(const ReportData& data) {
  const model::RecordingInfo& info = data.info;
  HeaderText header;
  if (info.start.realtime_ns > 0) header.Add("captured on   ", DateText(info.start.realtime_ns));
  header.Add("data size     ", std::to_string(data.file.bytes));
  header.Add("hostname", info.hostname);
  header.Add("os release", info.os_release);
  header.Add("prof version", info.prof_version);
  header.Add("arch", info.arch);
  header.Add("nrcpus online", std::to_string(info.cpus_online));
  header.Add("cpudesc", info.cpu_model);
  header.Add("boot id", info.boot_id);
  header.Add("cmdline", Joined(info.command_line));
  header.Add("target", std::string(TargetName(info.target)) +
                           (info.target_command.empty() ? "" : ": " + Joined(info.target_command)));
  std::string call_graph = CallGraphModeName(info.call_graph);
  if (info.stack_dump_bytes > 0)
    call_graph += fmt::format(", {} bytes of stack", info.stack_dump_bytes);
  if (info.max_stack > 0) call_graph += fmt::format(", at most {} frames", info.max_stack);
  header.Add("call graph", call_graph);
  for (const model::EventDesc& event : data.events) header.Add("event", EventText(event));
  header.Add("code and sources", CodeText(data.code));
  if (data.end) {
    const double begin = static_cast<double>(data.end->sampling_begin_ns) / 1e9;
    const double end = static_cast<double>(data.end->sampling_end_ns) / 1e9;
    header.Add("sampling began", fmt::format("{:.6f}", begin));
    header.Add("sampling ended", fmt::format("{:.6f}", end));
    header.Add("sample duration", fmt::format("{:10.3f} ms", (end - begin) * 1e3));
    header.Add("other programs", LoadText(data.honesty.load.other));
    header.Add("hypervisor took", LoadText(data.honesty.load.steal));
    if (!info.target_command.empty())
      header.Add("exit status", std::to_string(data.end->exit_status));
  }
  return header.Take();
}

std::string RenderStats(const RecordCounts& counts, const ReportData& data) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts.by_kind) total += count;
  std::string text = "\nAggregated stats:\n" + StatLine("TOTAL", total, 0);
  for (std::size_t kind = 0; kind < counts.by_kind.size(); ++kind) {
    if (counts.by_kind[kind] > 0) text += StatLine(kKindNames[kind], counts.by_kind[kind], total);
  }
  for (const auto& [event, count] : counts.samples) {
    const std::string name = event < data.events.size() ? Printable(data.events[event].name)
                                                        : fmt::format("event {}", event);
    text += name + " stats:\n" + StatLine("SAMPLE", count, 0);
  }
  return text;
}

}  // namespace prof::report
