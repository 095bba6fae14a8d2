// Applies the rights at hand to perf_event_attr.
#include "collect/event_rights.h"

namespace prof::collect {
namespace {

bool IsHardware(const perf_event_attr& attr) {
  return attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE ||
         attr.type == PERF_TYPE_RAW;
}

// PERF_COUNT_SW_CGROUP_SWITCHES, which is younger than some copies of <linux/perf_event.h>.
constexpr std::uint64_t kCgroupSwitches = 11;

}  // namespace

std::string ParanoidText(const perf::KernelLimits& limits) {
  return "kernel.perf_event_paranoid is " + std::to_string(limits.paranoid);
}

bool HappensInKernelOnly(const perf::EventSpec& event) {
  if (event.tracepoint) return !event.desc.name.starts_with("syscalls:");
  return event.attr.type == PERF_TYPE_SOFTWARE &&
         (event.attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
          event.attr.config == PERF_COUNT_SW_CPU_MIGRATIONS ||
          event.attr.config == kCgroupSwitches);
}

void LeaveGuestsOut(perf_event_attr& attr) {
  if (IsHardware(attr) && !attr.exclude_guest && !attr.exclude_host)
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
