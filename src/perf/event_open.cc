// Opens perf events and probes which later features this kernel has.
#include "prof/perf/event_open.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace prof::perf {
namespace {

OpenFailure FailureOf(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
      return OpenFailure::kNoSuchEvent;
    case EACCES:
    case EPERM:
      return OpenFailure::kPermission;
    case EMFILE:
    case ENFILE:
      return OpenFailure::kTooManyFiles;
    case ESRCH:
      return OpenFailure::kNoSuchProcess;
    case EINVAL:
    case E2BIG:
      return OpenFailure::kInvalid;
    case EBUSY:
    case ENOSPC:
      return OpenFailure::kBusy;
    default:
      return OpenFailure::kOther;
  }
}

// An event that anybody may open on any machine: it counts nothing.
perf_event_attr ProbeAttr() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return attr;
}

bool Opens(const perf_event_attr& attr) { return OpenEvent(attr, 0, -1).fd.valid(); }

}  // namespace

OpenResult OpenEvent(const perf_event_attr& attr, pid_t tid, int cpu, int group_fd) {
  perf_event_attr copy = attr;  // the kernel writes the size it knows into it on E2BIG
  for (;;) {
    const long fd = ::syscall(SYS_perf_event_open, &copy, tid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0) return {.fd = UniqueFd(static_cast<int>(fd))};
    // A signal can interrupt the wait for a target in the middle of an execve.
    if (errno != EINTR) return {.fd = {}, .failure = FailureOf(errno), .error_number = errno};
  }
}

KernelFeatures ProbeKernelFeatures() {
  KernelFeatures features;
  perf_event_attr build_id = ProbeAttr();
  build_id.mmap = 1;
  build_id.mmap2 = 1;
  build_id.build_id = 1;
  features.build_id = Opens(build_id);

  perf_event_attr lost = ProbeAttr();
  lost.read_format = PERF_FORMAT_LOST;
  features.read_lost = Opens(lost);

  perf_event_attr inherited = ProbeAttr();
  inherited.inherit = 1;
  inherited.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
  inherited.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
  features.inherit_group_read = Opens(inherited);
  return features;
}

}  // namespace prof::perf
