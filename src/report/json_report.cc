// Writes the whole report as one JSON object.
#include "prof/report/json_report.h"

#include "report/json_parts.h"
#include "report/key_names.h"
#include "report/number_text.h"

#include "prof/report/text_report.h"

namespace prof::report {
namespace {

Json KnownJson(std::uint64_t number) {
  return number == model::kNotKnown ? Json(nullptr) : Json(number);
}

Json RecordingJson(const ReportData& data) {
  const model::RecordingInfo& info = data.info;
  Json json = {
      {"prof_version", info.prof_version},
      {"command_line", info.command_line},
      {"hostname", info.hostname},
      {"os_release", info.os_release},
      {"arch", info.arch},
      {"cpu_model", info.cpu_model},
      {"cpus_online", info.cpus_online},
      {"boot_id", info.boot_id},
      {"target", TargetName(info.target)},
      {"target_command", info.target_command},
      {"call_graph", CallGraphModeName(info.call_graph)},
      {"stack_dump_bytes", info.stack_dump_bytes},
      {"max_stack", info.max_stack},
      {"start",
       {{"monotonic_ns", info.start.monotonic_ns}, {"realtime_ns", info.start.realtime_ns}}},
      {"notes", info.notes}};
  if (data.end) {
    const model::RecordingEnd& end = *data.end;
    json["end"] = {{"samples", end.samples},
                   {"sampling_begin_ns", end.sampling_begin_ns},
                   {"sampling_end_ns", end.sampling_end_ns},
                   {"target_cpu_ns", end.target_cpu_ns},
                   {"prof_cpu_ns", end.prof_cpu_ns},
                   {"idle_ns", end.idle_ns},
                   {"recorded_cpus", end.recorded_cpus},
                   {"exit_status", end.exit_status},
                   {"notes", end.notes},
                   {"other_cpu_ns", KnownJson(end.other_cpu_ns)},
                   {"steal_ns", KnownJson(end.steal_ns)}};
  } else {
    json["end"] = nullptr;
  }
  return json;
}

Json StackEndJson(const analysis::StackEndShare& share) {
  Json worst = Json::array();
  for (const auto& [name, samples] : share.worst_modules)
    worst.push_back({{"module", name}, {"samples", samples}});
  return {{"end", model::StackEndName(share.end)},
          {"samples", share.samples},
          {"worst_modules", worst}};
}

Json EventHonestyJson(const analysis::EventHonesty& honesty) {
  Json ends = Json::array();
  for (const analysis::StackEndShare& share : honesty.stack_ends)
    ends.push_back(StackEndJson(share));
  Json gaps = Json::array();
  for (const analysis::CpuGap& gap : honesty.cpu_gaps) {
    gaps.push_back({{"comm", gap.comm},
                    {"used_ns", gap.used_ns},
                    {"sampled_ns", gap.sampled_ns},
                    {"processes", gap.processes},
                    {"unsampled_processes", gap.unsampled_processes},
                    {"unsampled_used_ns", gap.unsampled_used_ns}});
  }
  Json top = {{"name", honesty.top_name},
              {"share", honesty.top_share},
              {"low", honesty.top_low},
              {"high", honesty.top_high}};
  return {{"event", honesty.event},
          {"samples", honesty.samples},
          {"weight", honesty.weight},
          {"walked_samples", honesty.walked_samples},
          {"complete_share", honesty.complete_share},
          {"joined_samples", honesty.joined_samples},
          {"stack_ends", std::move(ends)},
          {"cpu_used_ns", honesty.cpu_used_ns},
          {"cpu_sampled_ns", honesty.cpu_sampled_ns},
          {"cpu_by_command", std::move(gaps)},
          {"top", std::move(top)}};
}

Json HonestyJson(const ReportData& data) {
  Json losses = Json::array();
  for (const analysis::LossTotal& loss : data.honesty.losses) {
    losses.push_back(
        {{"cause", LossCauseName(loss.cause)}, {"count", loss.count}, {"at_least", loss.at_least}});
  }
  Json events = Json::array();
  for (const analysis::EventHonesty& honesty : data.honesty.events)
    events.push_back(EventHonestyJson(honesty));
  Json unresolved = Json::array();
  for (const UnresolvedModule& module : data.unresolved) {
    unresolved.push_back({{"module", module.name},
                          {"status", SymbolStatusName(module.status)},
                          {"detail", module.detail},
                          {"samples", module.samples}});
  }
  Json unoptimized = Json::array();
  for (const analysis::UnoptimizedModule& module : data.honesty.unoptimized_modules)
    unoptimized.push_back({{"module", module.name}, {"samples", module.samples}});
  return {{"seconds", data.honesty.seconds},
          {"lines", HonestyLines(data)},
          {"losses", std::move(losses)},
          {"events", std::move(events)},
          {"modules_without_symbols", std::move(unresolved)},
          {"unoptimized_modules", std::move(unoptimized)}};
}

Json CallNodesJson(const std::vector<analysis::CallNode>& nodes) {
  Json list = Json::array();
  for (const analysis::CallNode& node : nodes) {
    Json json = {{"name", node.name},
                 {"inlined", node.inlined},
                 {"weight", node.weight},
                 {"samples", node.samples},
                 {"own_weight", node.own_weight},
                 {"own_samples", node.own_samples},
                 {"pruned_weight", node.pruned_weight}};
    if (!node.children.empty()) json["children"] = CallNodesJson(node.children);
    list.push_back(std::move(json));
  }
  return list;
}

Json RowJson(const analysis::TableRow& row, const analysis::EventTable& table,
             const std::vector<analysis::SortKey>& sort) {
  const auto total = static_cast<double>(table.total_weight);
  Json json;
  for (std::size_t i = 0; i < sort.size() && i < row.keys.size(); ++i)
    json[KeyName(sort[i])] = row.keys[i];
  json["level"] = row.level == 'k' ? "kernel" : "user";
  json["self_percent"] = 100 * Share(static_cast<double>(row.self_weight), total);
  json["self_weight"] = row.self_weight;
  json["self_samples"] = row.self_samples;
  if (table.children) {
    json["children_percent"] = 100 * Share(static_cast<double>(row.children_weight), total);
    json["children_weight"] = row.children_weight;
    json["children_samples"] = row.children_samples;
  }
  const Interval interval =
      WilsonInterval(table.children ? row.children_samples : row.self_samples, table.total_samples);
  json["interval_percent"] = {100 * interval.low, 100 * interval.high};
  if (!row.call_graph.empty()) json["call_graph"] = CallNodesJson(row.call_graph);
  return json;
}

Json TableJson(const analysis::EventTable& table, const std::vector<analysis::SortKey>& sort) {
  Json rows = Json::array();
  for (const analysis::TableRow& row : table.rows) rows.push_back(RowJson(row, table, sort));
  return {{"event", table.event},
          {"total_weight", table.total_weight},
          {"total_samples", table.total_samples},
          {"filtered_samples", table.filtered_samples},
          {"hidden_rows", table.hidden_rows},
          {"order", table.order == analysis::CallGraphOrder::kCaller ? "caller" : "callee"},
          {"rows", std::move(rows)}};
}

Json ThreadsJson(const ReportData& data) {
  Json threads = Json::array();
  for (const ThreadTotal& thread : data.threads) {
    threads.push_back({{"pid", thread.pid},
                       {"tid", thread.tid},
                       {"comm", thread.comm},
                       {"samples", thread.samples},
                       {"weights", thread.weights}});
  }
  return threads;
}

}  // namespace

std::string RenderJson(const ReportData& data) {
  Json events = Json::array();
  for (const model::EventDesc& event : data.events) events.push_back(EventJson(event));
  Json sort = Json::array();
  for (const analysis::SortKey key : data.sort) sort.push_back(KeyName(key));
  Json tables = Json::array();
  for (const analysis::EventTable& table : data.tables)
    tables.push_back(TableJson(table, data.sort));
  const Json json = {{"format", "prof-report"},      {"version", 1},
                     {"file", FileJson(data.file)},  {"recording", RecordingJson(data)},
                     {"events", std::move(events)},  {"honesty", HonestyJson(data)},
                     {"threads", ThreadsJson(data)}, {"filters", data.filters},
                     {"sort", std::move(sort)},      {"tables", std::move(tables)}};
  return DumpJson(json);
}

}  // namespace prof::report
