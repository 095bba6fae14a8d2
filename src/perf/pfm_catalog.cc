// The catalogue's part from libpfm4.
#include <optional>

#include "perf/catalog_parts.h"
#include "perf/pfm_events.h"
#include "perf/pfm_library.h"

namespace prof::perf {

void AddPfmEvents(const AvailabilityProbe& probe, EventCatalog& catalog) {
  if (const auto& library = ThePfmLibrary(); !library) {
    catalog.gaps.push_back(
        {.kind = EventKind::kPfm, .reason = library.error().message, .hint = library.error().hint});
  }
  const PfmSession pfm;
  for (PfmTable& table : pfm.Tables()) {
    std::optional<Availability> availability;
    for (PfmEvent& event : table.events) {
      if (!availability) {
        // A few names are no event without more of them; the first that is one stands for all.
        const auto spec = pfm.Find(event.name);
        if (spec) availability = probe.Of(*spec);
      }
      CatalogEntry entry{.kind = EventKind::kPfm,
                         .group = table.pmu,
                         .name = std::move(event.name),
                         .description = std::move(event.description)};
      entry.long_description = table.description;
      catalog.entries.push_back(std::move(entry));
    }
    for (CatalogEntry& entry : catalog.entries) {
      if (entry.kind == EventKind::kPfm && entry.group == table.pmu && availability) {
        entry.availability = *availability;
      }
    }
  }
}

}  // namespace prof::perf
