// Events as text and as JSON.
#include "list_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace prof::tools {
namespace {

using perf::Availability;
using perf::CatalogEntry;
using perf::EventKind;
using perf::EventScope;

constexpr int kNameColumn = 2;
constexpr int kTextColumn = 32;
constexpr int kLeastText = 30;  // narrower terminals wrap by themselves
constexpr int kHintColumn = 4;

struct KindText {
  const char* key;
  const char* title;
};
KindText TextOf(EventKind kind) {
  switch (kind) {
    case EventKind::kHardware:
      return {"hardware", "Hardware events"};
    case EventKind::kCache:
      return {"cache", "Cache events"};
    case EventKind::kSoftware:
      return {"software", "Software events"};
    case EventKind::kPmu:
      return {"pmu", "PMU"};
    case EventKind::kTracepoint:
      return {"tracepoint", "Tracepoints"};
    case EventKind::kProbe:
      return {"probe", "Probes"};
    case EventKind::kPfm:
      return {"pfm", "CPU manual (libpfm4)"};
    case EventKind::kForm:
      return {"raw", "Events by number"};
    case EventKind::kMetric:
      return {"metric", "Metrics of prof stat"};
  }
  return {"", ""};
}

const char* ScopeKey(EventScope scope) {
  switch (scope) {
    case EventScope::kAny:
      return "any";
    case EventScope::kUserOnly:
      return "user_only";
    case EventScope::kCpuWide:
      return "cpu_wide";
  }
  return "";
}

// "count, sample", "count only: why", "no: why", with what is observed when that is not everything.
// Metrics are only counted.
std::string Verdict(EventKind kind, const Availability& availability) {
  std::string text = !availability.can_count      ? "no"
                     : kind == EventKind::kMetric ? "count"
                     : availability.can_sample    ? "count, sample"
                                                  : "count only";
  if (availability.can_count && availability.scope == EventScope::kUserOnly) {
    text += ", of user code";
  }
  if (availability.can_count && availability.scope == EventScope::kCpuWide) {
    text += ", of whole CPUs (-a)";
  }
  return availability.reason.empty() ? text : text + ": " + availability.reason;
}

// The events of a metric, with a blank where a line may end: behind commas, but not inside of
// pmu/terms/.
std::string EventsText(const std::vector<std::string>& events) {
  std::string text;
  bool in_terms = false;
  for (const std::string& event : events) {
    if (!text.empty()) text += ", ";
    for (const char c : event) {
      text += c;
      if (c == '/') in_terms = !in_terms;
      if (c == ',' && !in_terms) text += ' ';
    }
  }
  return text;
}

// Appends `text` from `column` on, which the last line of `out` has reached; later lines are
// indented to it. Words longer than a line stay whole.
void AppendWrapped(std::string& out, std::string_view text, int column, int indent, int width) {
  int at = column;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const int size = static_cast<int>(word.size());
    if (!first && at + 1 + size > width) {
      out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      at = indent;
    } else if (!first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += size;
    first = false;
  }
  out += '\n';
}

class TextRenderer {
 public:
  explicit TextRenderer(const ListStyle& style) : style_(style) {
    style_.width = std::max(style.width, kTextColumn + kLeastText);
  }

  // Events that belong under one heading.
  void Block(const std::vector<const CatalogEntry*>& entries) {
    const CatalogEntry& first = *entries.front();
    std::string heading = TextOf(first.kind).title;
    if (first.kind == EventKind::kPmu || first.kind == EventKind::kPfm)
      heading += " " + first.group;
    if (entries.size() > 1) heading += " (" + std::to_string(entries.size()) + ")";
    Heading(heading + ": " + Verdict(first.kind, first.availability), first.availability.hint);
    for (const CatalogEntry* entry : entries) Event(*entry);
  }

  void Heading(const std::string& text, const std::string& hint) {
    if (!out_.empty()) out_ += '\n';
    AppendWrapped(out_, text, 0, kHintColumn, style_.width);
    if (hint.empty()) return;
    out_ += std::string(kHintColumn, ' ');
    AppendWrapped(out_, "hint: " + hint, kHintColumn, kHintColumn, style_.width);
  }

  std::string Take() { return std::move(out_); }

 private:
  void Event(const CatalogEntry& entry) {
    std::string names(kNameColumn, ' ');
    names += entry.name;
    for (const std::string& alias : entry.aliases) names += " or " + alias;
    out_ += names;
    std::string text = style_.descriptions ? entry.description : "";
    if (!text.empty() && !entry.example.empty()) text += ", such as " + entry.example;
    if (!text.empty() && !entry.events.empty()) text += "; from " + EventsText(entry.events);
    if (text.empty()) {
      out_ += '\n';
    } else {
      const int reached = static_cast<int>(names.size());
      if (reached + 1 > kTextColumn) {
        out_ += '\n' + std::string(kTextColumn, ' ');
      } else {
        out_ += std::string(static_cast<std::size_t>(kTextColumn - reached), ' ');
      }
      AppendWrapped(out_, text, kTextColumn, kTextColumn, style_.width);
    }
    if (style_.long_descriptions) LongDescription(entry.long_description);
  }

  void LongDescription(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      out_ += std::string(kTextColumn, ' ');
      AppendWrapped(out_, text.substr(0, end), kTextColumn, kTextColumn + 2, style_.width);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  ListStyle style_;
  std::string out_;
};

bool SameBlock(const CatalogEntry& a, const CatalogEntry& b) {
  // Systems of tracepoints are in their names.
  const bool by_group = a.kind == EventKind::kPmu || a.kind == EventKind::kPfm;
  return a.kind == b.kind && (!by_group || a.group == b.group) && a.availability == b.availability;
}

}  // namespace

std::string RenderListText(const ListSelection& selection, const ListStyle& style) {
  // Entries of one block need not be neighbours: a CPU may lack every second cache event.
  std::vector<std::vector<const CatalogEntry*>> blocks;
  for (const CatalogEntry& entry : selection.entries) {
    // Only the blocks of this entry's kind can be its own, and they are the last ones.
    auto block = blocks.rbegin();
    while (block != blocks.rend() && block->front()->kind == entry.kind &&
           !SameBlock(*block->front(), entry)) {
      ++block;
    }
    if (block == blocks.rend() || block->front()->kind != entry.kind) {
      blocks.push_back({&entry});
    } else {
      block->push_back(&entry);
    }
  }
  TextRenderer renderer(style);
  for (const auto& block : blocks) renderer.Block(block);
  for (const EventKind kind : selection.empty_kinds) {
    renderer.Heading(std::string(TextOf(kind).title) + ": none on this machine", "");
  }
  for (const perf::CatalogGap& gap : selection.gaps) {
    renderer.Heading(std::string(TextOf(gap.kind).title) + ": not listed, " + gap.reason, gap.hint);
  }
  return renderer.Take();
}

std::string RenderListJson(const ListSelection& selection) {
  using Json = nlohmann::ordered_json;
  Json events = Json::array();
  for (const CatalogEntry& entry : selection.entries) {
    const Availability& availability = entry.availability;
    events.push_back({{"name", entry.name},
                      {"aliases", entry.aliases},
                      {"kind", TextOf(entry.kind).key},
                      {"group", entry.group},
                      {"example", entry.example},
                      {"events", entry.events},
                      {"unit", entry.unit},
                      {"scale", entry.scale},
                      {"description", entry.description},
                      {"long_description", entry.long_description},
                      {"can_count", availability.can_count},
                      {"can_sample", availability.can_sample},
                      {"scope", ScopeKey(availability.scope)},
                      {"reason", availability.reason},
                      {"hint", availability.hint}});
  }
  Json gaps = Json::array();
  for (const perf::CatalogGap& gap : selection.gaps) {
    gaps.push_back({{"kind", TextOf(gap.kind).key}, {"reason", gap.reason}, {"hint", gap.hint}});
  }
  const Json all = {{"events", std::move(events)}, {"gaps", std::move(gaps)}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prof::tools
