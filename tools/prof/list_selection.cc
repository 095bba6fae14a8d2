// Matches the words of `prof list` against the catalogue.
#include "list_selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace prof::tools {
namespace {

using perf::CatalogEntry;
using perf::EventKind;

constexpr std::pair<std::string_view, EventKind> kKindWords[] = {
    {"hw", EventKind::kHardware},
    {"hardware", EventKind::kHardware},
    {"cache", EventKind::kCache},
    {"hwcache", EventKind::kCache},
    {"sw", EventKind::kSoftware},
    {"software", EventKind::kSoftware},
    {"pmu", EventKind::kPmu},
    {"tracepoint", EventKind::kTracepoint},
    {"tracepoints", EventKind::kTracepoint},
    {"probe", EventKind::kProbe},
    {"kprobe", EventKind::kProbe},
    {"uprobe", EventKind::kProbe},
    {"pfm", EventKind::kPfm},
    {"raw", EventKind::kForm},
    {"metric", EventKind::kMetric},
    {"metrics", EventKind::kMetric},
};

std::optional<EventKind> KindOf(std::string_view word) {
  for (const auto& [name, kind] : kKindWords) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

bool Matches(const std::string& lower_word, bool glob, const std::string& name) {
  const std::string lower = Lower(name);
  if (!glob) return lower.find(lower_word) != std::string::npos;
  return ::fnmatch(lower_word.c_str(), lower.c_str(), 0) == 0;
}

// A PMU's event is also met by its name alone: "cpu/slots/" by "slots".
bool MatchesAName(const std::string& word, bool glob, const CatalogEntry& entry) {
  if (Matches(word, glob, entry.name)) return true;
  const std::size_t slash = entry.name.find('/');
  if (glob && entry.kind == EventKind::kPmu && slash != std::string::npos &&
      Matches(word, glob, entry.name.substr(slash + 1, entry.name.size() - slash - 2))) {
    return true;
  }
  return std::ranges::any_of(entry.aliases,
                             [&](const std::string& alias) { return Matches(word, glob, alias); });
}

class Selector {
 public:
  explicit Selector(const perf::EventCatalog& catalog)
      : catalog_(catalog), chosen_(catalog.entries.size(), false) {}

  void AddKind(EventKind kind, ListSelection& selection) {
    const bool any = Choose([&](const CatalogEntry& entry) { return entry.kind == kind; });
    bool gap = false;
    // Probes are in tracefs as well.
    const EventKind read = kind == EventKind::kProbe ? EventKind::kTracepoint : kind;
    for (const perf::CatalogGap& missing : catalog_.gaps) {
      if (missing.kind != read) continue;
      gap = true;
      const bool said = std::ranges::any_of(
          selection.gaps, [&](const auto& known) { return known.kind == missing.kind; });
      if (!said) selection.gaps.push_back(missing);
    }
    if (!any && !gap &&
        std::ranges::find(selection.empty_kinds, kind) == selection.empty_kinds.end())
      selection.empty_kinds.push_back(kind);
  }

  bool AddWord(const std::string& word) {
    const bool glob = word.find_first_of("*?[") != std::string::npos;
    const std::string lower = Lower(word);
    return Choose([&](const CatalogEntry& entry) { return MatchesAName(lower, glob, entry); }) ||
           Choose(
               [&](const CatalogEntry& entry) { return Matches(lower, glob, entry.description); });
  }

  [[nodiscard]] const std::vector<bool>& chosen() const { return chosen_; }

 private:
  template <class Predicate>
  bool Choose(const Predicate& wanted) {
    bool any = false;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (!wanted(catalog_.entries[i])) continue;
      chosen_[i] = true;
      any = true;
    }
    return any;
  }

  const perf::EventCatalog& catalog_;
  std::vector<bool> chosen_;
};

}  // namespace

ListSelection SelectEvents(perf::EventCatalog catalog, const std::vector<std::string>& words) {
  ListSelection selection;
  if (words.empty()) {
    selection.entries = std::move(catalog.entries);
    selection.gaps = std::move(catalog.gaps);
    return selection;
  }
  Selector selector(catalog);
  for (const std::string& word : words) {
    if (const auto kind = KindOf(Lower(word))) {
      selector.AddKind(*kind, selection);
    } else if (!selector.AddWord(word)) {
      selection.unmatched.push_back(word);
    }
  }
  for (std::size_t i = 0; i < catalog.entries.size(); ++i) {
    if (selector.chosen()[i]) selection.entries.push_back(std::move(catalog.entries[i]));
  }
  return selection;
}

}  // namespace prof::tools
