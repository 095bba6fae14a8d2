// Encodes event names with libpfm4.
#include "perf/pfm_events.h"

#include <set>

#include "perf/pfm_library.h"
#include "perf/spec_builder.h"

namespace prof::perf {

namespace {

template <class Visit>
void ForEachEvent(const PfmLibrary& pfm, const Visit& visit) {
  for (int pmu = 0; pmu < PFM_PMU_MAX; ++pmu) {
    // These two only repeat the kernel's generic names and tracepoints.
    if (pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW) continue;
    pfm_pmu_info_t pmu_info{};
    pmu_info.size = sizeof pmu_info;
    const bool known = pfm.get_pmu_info(static_cast<pfm_pmu_t>(pmu), &pmu_info) == PFM_SUCCESS;
    if (!known || pmu_info.is_present == 0) continue;
    for (int event = pmu_info.first_event; event != -1; event = pfm.get_event_next(event)) {
      pfm_event_info_t info{};
      info.size = sizeof info;
      if (pfm.get_event_info(event, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS) visit(pmu_info, info);
    }
  }
}

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

// The event with each of its unit masks; alone when it has none.
std::vector<PfmEvent> WithMasks(const PfmLibrary& pfm, const pfm_event_info_t& info) {
  std::vector<PfmEvent> events;
  for (int i = 0; i < info.nattrs; ++i) {
    pfm_event_attr_info_t mask{};
    mask.size = sizeof mask;
    if (pfm.get_event_attr_info(info.idx, i, PFM_OS_PERF_EVENT, &mask) != PFM_SUCCESS) continue;
    if (mask.type != PFM_ATTR_UMASK) continue;
    events.push_back({.name = std::string(info.name) + ":" + mask.name,
                      .description = TextOf(info.desc) + ": " + TextOf(mask.desc)});
  }
  if (events.empty()) events.push_back({.name = info.name, .description = TextOf(info.desc)});
  return events;
}

}  // namespace

PfmSession::PfmSession() {
  const Result<PfmLibrary>& library = ThePfmLibrary();
  if (library && library->initialize() == PFM_SUCCESS) library_ = &*library;
}

PfmSession::~PfmSession() {
  if (library_ != nullptr) library_->terminate();
}

std::optional<EventSpec> PfmSession::Find(const std::string& name) const {
  if (library_ == nullptr) return std::nullopt;
  perf_event_attr attr{};
  pfm_perf_encode_arg_t arg{};
  arg.attr = &attr;
  arg.size = sizeof arg;
  // All levels, so that only what the name says is excluded.
  const int levels = PFM_PLM0 | PFM_PLM3 | PFM_PLMH;
  if (library_->get_os_event_encoding(name.c_str(), levels, PFM_OS_PERF_EVENT_EXT, &arg) !=
      PFM_SUCCESS) {
    return std::nullopt;
  }
  EventSpec spec = MakeSpec(attr.type, attr.config, name);
  attr.size = sizeof attr;
  spec.attr = attr;
  spec.tracepoint = attr.type == PERF_TYPE_TRACEPOINT;
  if (attr.sample_period != 0) {
    spec.desc.mode =
        attr.freq != 0 ? model::SamplingMode::kFrequency : model::SamplingMode::kPeriod;
    spec.desc.sampling_value = attr.sample_period;
  }
  spec.desc.excludes_user = attr.exclude_user != 0;
  spec.desc.excludes_kernel = attr.exclude_kernel != 0;
  spec.desc.precise = static_cast<std::uint8_t>(attr.precise_ip);
  return spec;
}

std::vector<std::string> PfmSession::Names() const {
  std::vector<std::string> names;
  if (library_ != nullptr) {
    ForEachEvent(*library_, [&](const pfm_pmu_info_t& /*pmu*/, const pfm_event_info_t& info) {
      names.emplace_back(info.name);
    });
  }
  return names;
}

std::vector<PfmTable> PfmSession::Tables() const {
  std::vector<PfmTable> tables;
  if (library_ == nullptr) return tables;
  std::set<std::string> taken;
  ForEachEvent(*library_, [&](const pfm_pmu_info_t& pmu, const pfm_event_info_t& info) {
    if (tables.empty() || tables.back().pmu != pmu.name) {
      tables.push_back({.pmu = pmu.name, .description = pmu.desc, .events = {}});
    }
    for (PfmEvent& event : WithMasks(*library_, info)) {
      if (!taken.insert(event.name).second) event.name.insert(0, tables.back().pmu + "::");
      tables.back().events.push_back(std::move(event));
    }
  });
  return tables;
}

}  // namespace prof::perf
