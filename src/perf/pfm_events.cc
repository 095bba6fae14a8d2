// Encodes event names with libpfm4.
#include "perf/pfm_events.h"

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "perf/spec_builder.h"

namespace prof::perf {

PfmSession::PfmSession() : usable_(pfm_initialize() == PFM_SUCCESS) {}

PfmSession::~PfmSession() {
  if (usable_) pfm_terminate();
}

std::optional<EventSpec> PfmSession::Find(const std::string& name) const {
  if (!usable_) return std::nullopt;
  perf_event_attr attr{};
  pfm_perf_encode_arg_t arg{};
  arg.attr = &attr;
  arg.size = sizeof arg;
  // All levels, so that only what the name says is excluded.
  const int levels = PFM_PLM0 | PFM_PLM3 | PFM_PLMH;
  if (pfm_get_os_event_encoding(name.c_str(), levels, PFM_OS_PERF_EVENT_EXT, &arg) != PFM_SUCCESS) {
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
  if (!usable_) return names;
  for (int pmu = 0; pmu < PFM_PMU_MAX; ++pmu) {
    // These two only repeat the kernel's generic names and tracepoints.
    if (pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW) continue;
    pfm_pmu_info_t pmu_info{};
    pmu_info.size = sizeof pmu_info;
    const bool known = pfm_get_pmu_info(static_cast<pfm_pmu_t>(pmu), &pmu_info) == PFM_SUCCESS;
    if (!known || pmu_info.is_present == 0) continue;
    for (int event = pmu_info.first_event; event != -1; event = pfm_get_event_next(event)) {
      pfm_event_info_t info{};
      info.size = sizeof info;
      if (pfm_get_event_info(event, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS) {
        names.emplace_back(info.name);
      }
    }
  }
  return names;
}

}  // namespace prof::perf
