// Puts the catalogue together, and knows the events that need no file: generic ones and forms.
#include "prof/perf/event_catalog.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "perf/breakpoint_event.h"
#include "perf/catalog_parts.h"
#include "perf/event_descriptions.h"
#include "perf/generic_events.h"

namespace prof::perf {
namespace {

EventKind KindOf(const EventSpec& spec) {
  switch (spec.attr.type) {
    case PERF_TYPE_HARDWARE:
      return EventKind::kHardware;
    case PERF_TYPE_HW_CACHE:
      return EventKind::kCache;
    default:
      return EventKind::kSoftware;
  }
}

// Raw codes go to the same counters as cycles. A breakpoint is tried on a byte of our own.
void AddForms(const AvailabilityProbe& probe, EventCatalog& catalog) {
  CatalogEntry raw{.kind = EventKind::kForm,
                   .name = "rNNN",
                   .example = "r1a8",
                   .description =
                       "raw hardware event: its code in hexadecimal, as the CPU's manual "
                       "has it"};
  raw.availability = probe.Of(CyclesEvent());
  catalog.entries.push_back(std::move(raw));

  static const char watched = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&watched);
  const auto breakpoint = ParseBreakpoint("mem:" + std::to_string(address) + "/1:w");
  if (!breakpoint) return;
  CatalogEntry memory{
      .kind = EventKind::kForm,
      .name = "mem:ADDR[/LEN][:rwx]",
      .example = "mem:0x601040/8:w",
      .description =
          "hardware breakpoint: reads (r), writes (w) or execution (x) of LEN bytes, 1 "
          "to 8, at an address"};
  memory.availability = probe.Of(*breakpoint);
  catalog.entries.push_back(std::move(memory));
}

}  // namespace

void AddGenericEvents(const AvailabilityProbe& probe, EventCatalog& catalog) {
  for (const std::string& name : GenericEventNames()) {
    const EventSpec spec = *FindGenericEvent(name);
    const EventKind kind = KindOf(spec);
    // The table has the usual name before its synonyms.
    if (!catalog.entries.empty()) {
      CatalogEntry& last = catalog.entries.back();
      const EventSpec before = *FindGenericEvent(last.name);
      if (before.attr.type == spec.attr.type && before.attr.config == spec.attr.config) {
        last.aliases.push_back(name);
        continue;
      }
    }
    CatalogEntry entry{.kind = kind, .name = name, .description = DescribeGenericEvent(name)};
    if (spec.desc.unit == model::EventUnit::kNanoseconds) entry.unit = "ns";
    entry.availability = probe.Of(spec);
    catalog.entries.push_back(std::move(entry));
  }
}

EventCatalog ReadEventCatalog(const HostFs& fs, const CatalogOptions& options) {
  const AvailabilityProbe probe(fs, options.open);
  EventCatalog catalog;
  AddGenericEvents(probe, catalog);
  AddForms(probe, catalog);
  AddPmuEvents(fs, probe, catalog);
  AddTracepoints(fs, probe, catalog);
  if (options.pfm) AddPfmEvents(probe, catalog);
  std::ranges::sort(catalog.entries, {}, [](const CatalogEntry& entry) {
    return std::tie(entry.kind, entry.group, entry.name, entry.description);
  });
  return catalog;
}

}  // namespace prof::perf
