// Writes a whole diff as one JSON object. Numbers that are not finite become null.
#include "report/json_parts.h"
#include "report/key_names.h"

#include "prof/report/diff_formats.h"

namespace prof::report {
namespace {

using analysis::diff::CallerChange;
using analysis::diff::Change;
using analysis::diff::ChangeTest;
using analysis::diff::DiffRow;
using analysis::diff::DiffTree;
using analysis::diff::EventDiff;
using analysis::diff::Presence;
using analysis::diff::ProfileDiff;
using analysis::diff::RunFacts;
using analysis::diff::Side;
using analysis::diff::SideTotals;
using analysis::diff::TotalChange;
using analysis::diff::TotalVerdict;
using analysis::statistics::CountTest;
using analysis::statistics::CountUnits;

const char* VerdictName(TotalVerdict verdict) {
  switch (verdict) {
    case TotalVerdict::kLower:
      return "lower";
    case TotalVerdict::kHigher:
      return "higher";
    case TotalVerdict::kNoDifferenceShown:
      return "no_difference_shown";
    case TotalVerdict::kTooNoisy:
      return "too_noisy";
    case TotalVerdict::kTooFewRuns:
      return "too_few_runs";
  }
  return "";
}

const char* PresenceName(Presence presence) {
  switch (presence) {
    case Presence::kBoth:
      return "both";
    case Presence::kAppeared:
      return "appeared";
    case Presence::kGone:
      return "gone";
  }
  return "";
}

const char* LevelName(char level) { return level == 'k' ? "kernel" : "user"; }

Json IntervalJson(const analysis::statistics::Interval& interval) {
  return Json::array({interval.low, interval.high});
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ChangeJson(const Change& change) {
  Json json = {{"before", change.before},
               {"after", change.after},
               {"delta", change.Delta()},
               {"before_samples", change.before_samples},
               {"after_samples", change.after_samples},
               {"significant", change.IsSignificant()}};
  if (change.test) {
    const ChangeTest& test = *change.test;
    json["test"] = {{"interval", IntervalJson(test.interval)},
                    {"p", test.p},
                    {"adjusted_p", test.adjusted_p},
                    {"detectable", test.detectable}};
  } else {
    json["test"] = nullptr;
  }
  return json;
}

// As deep as callers are written; below, "callers" is null instead of a list.
constexpr int kDeepest = 250;

Json CallersJson(const std::vector<CallerChange>& callers, int depth) {
  if (depth > kDeepest) return nullptr;
  Json list = Json::array();
  for (const CallerChange& caller : callers) {
    list.push_back({{"name", caller.name},
                    {"level", LevelName(caller.level)},
                    {"inlined", caller.inlined},
                    {"change", ChangeJson(caller.change)},
                    {"callers", CallersJson(caller.callers, depth + 1)}});
  }
  return list;
}

Json RowJson(const ProfileDiff& diff, const EventDiff& event, std::size_t index) {
  const DiffRow& row = event.rows[index];
  Json json = Json::object();
  for (std::size_t i = 0; i < diff.keys.size() && i < row.keys.size(); ++i)
    json[KeyName(diff.keys[i])] = row.keys[i];
  json["level"] = LevelName(row.level);
  json["presence"] = PresenceName(row.presence);
  json["was"] = row.was.empty() ? Json(nullptr) : Json(row.was);
  json["self"] = ChangeJson(row.self);
  json["children"] = event.walked ? ChangeJson(row.children) : Json(nullptr);
  json["callers"] =
      index < event.callers.size() ? CallersJson(event.callers[index], 1) : Json(nullptr);
  return json;
}

Json TreeJson(const std::optional<DiffTree>& tree) {
  if (!tree) return nullptr;
  Json nodes = Json::array();
  for (const DiffTree::Node& node : tree->nodes) {
    nodes.push_back({{"name", node.name},
                     {"parent", node.parent},
                     {"size", node.size},
                     {"level", LevelName(node.level)},
                     {"inlined", node.inlined},
                     {"self_before", node.self_before},
                     {"self_after", node.self_after},
                     {"total", ChangeJson(node.total)}});
  }
  return {{"names", tree->names}, {"nodes", std::move(nodes)}};
}

Json SideJson(const SideTotals& side) {
  return {
      {"runs", side.runs}, {"mean", side.mean}, {"whole", side.whole}, {"samples", side.samples}};
}

Json TotalJson(const TotalChange& total) {
  return {{"verdict", VerdictName(total.verdict)},
          {"change", ChangeJson(total.change)},
          {"share", OrNull(total.share)},
          {"share_interval",
           total.share_interval ? IntervalJson(*total.share_interval) : Json(nullptr)},
          {"smallest_p", total.smallest_p},
          {"runs_needed", total.runs_needed},
          {"detectable_share", OrNull(total.detectable_share)},
          {"noise", total.noise}};
}

const char* AmountName(const EventDiff& event) {
  switch (event.unit.unit) {
    case model::EventUnit::kNanoseconds:
      return "seconds";
    case model::EventUnit::kBytes:
      return "bytes";
    case model::EventUnit::kCount:
      return "count";
  }
  return "";
}

Json EventDiffJson(const ProfileDiff& diff, const EventDiff& event) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < event.rows.size(); ++i) rows.push_back(RowJson(diff, event, i));
  return {{"event", EventJson(event.event)},
          {"amounts", AmountName(event)},
          {"per", event.unit.per_second ? "second" : "run"},
          {"before", SideJson(event.before)},
          {"after", SideJson(event.after)},
          {"total", TotalJson(event.total)},
          {"tested_by", event.units == CountUnits::kBlocks ? "blocks" : "runs"},
          {"test", event.test == CountTest::kPermutation ? "permutation" : "moderated_t"},
          {"variation", event.variation},
          {"widened", event.widened},
          {"walked", event.walked},
          {"filtered_samples", event.filtered_samples},
          {"rows", std::move(rows)},
          {"scarce", {{"rows", event.scarce_rows}, {"change", ChangeJson(event.scarce)}}},
          {"tree", TreeJson(event.tree)}};
}

Json RunJson(const RunFacts& run) {
  const model::RecordingInfo& info = run.info;
  return {{"side", run.side == Side::kBefore ? "before" : "after"},
          {"file", run.name},
          {"complete", run.complete},
          {"seconds", run.seconds},
          {"samples", run.samples},
          {"prof_version", info.prof_version},
          {"hostname", info.hostname},
          {"os_release", info.os_release},
          {"arch", info.arch},
          {"cpu_model", info.cpu_model},
          {"cpus_online", info.cpus_online},
          {"target", TargetName(info.target)},
          {"target_command", info.target_command},
          {"call_graph", CallGraphModeName(info.call_graph)},
          {"start_realtime_ns", info.start.realtime_ns}};
}

}  // namespace

std::string RenderDiffJson(const ProfileDiff& diff) {
  Json runs = Json::array();
  for (const RunFacts& run : diff.runs) runs.push_back(RunJson(run));
  Json keys = Json::array();
  for (const analysis::SortKey key : diff.keys) keys.push_back(KeyName(key));
  Json events = Json::array();
  for (const EventDiff& event : diff.events) events.push_back(EventDiffJson(diff, event));
  const Json json = {{"format", "prof-diff"},     {"version", 1},
                     {"alpha", diff.alpha},       {"keys", std::move(keys)},
                     {"warnings", diff.warnings}, {"notes", diff.notes},
                     {"runs", std::move(runs)},   {"events", std::move(events)}};
  return DumpJson(json);
}

}  // namespace prof::report
