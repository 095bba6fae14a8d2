// Which events `prof list` shows.
#pragma once

#include <string>
#include <vector>

#include "prof/perf/event_catalog.h"

namespace prof::tools {

struct ListSelection {
  std::vector<perf::CatalogEntry> entries;  // in the catalogue's order, each once
  std::vector<perf::CatalogGap> gaps;       // of the kinds that were asked for
  // Kinds asked for by their word that this machine has no events of.
  std::vector<perf::EventKind> empty_kinds;
  std::vector<std::string> unmatched;  // words that select nothing
};

// Each word is a kind (hw, sw, cache, pmu, tracepoint, probe, pfm, raw, metric, and perf's longer
// words for them), a glob over whole names ("sched:*"), or a part of a name. A word that is in no
// name is looked for in the descriptions. Case never matters. No words: everything.
ListSelection SelectEvents(perf::EventCatalog catalog, const std::vector<std::string>& words);

}  // namespace prof::tools
