// Applies the rights at hand to perf_event_attr.
#include "collect/event_rights.h"

namespace prof::collect {
std::string ParanoidText(const perf::KernelLimits& limits) {
  return "kernel.perf_event_paranoid is " + std::to_string(limits.paranoid);
}

bool HappensInKernelOnly(const perf::EventSpec& event) {
  if (event.tracepoint) return !event.desc.name.starts_with("syscalls:");
  return perf::HappensInKernel(event.attr);
}

void LeaveGuestsOut(perf_event_attr& attr) {
  if (perf::IsOfTheCores(attr) && !attr.exclude_guest && !attr.exclude_host)
    attr.exclude_guest = 1;  // as perf: :G asks for guests
}

void RestrictToRights(perf_event_attr& attr, model::EventDesc& desc,
                      const perf::KernelLimits& limits) {
  if (!limits.MaySampleKernel() && !attr.exclude_kernel && !attr.exclude_user) {
    attr.exclude_kernel = attr.exclude_hv = 1;
    desc.restriction = ParanoidText(limits);
    if (desc.name.find(':') == std::string::npos) desc.name += ":u";
  }
  desc.excludes_kernel = attr.exclude_kernel != 0;
  desc.excludes_user = attr.exclude_user != 0;
}

}  // namespace prof::collect
