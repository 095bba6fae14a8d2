// Says in the user's words why an event could not be opened, and what would help.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "perf/generic_events.h"
#include "perf/spec_builder.h"

#include "prof/perf/event_open.h"

namespace prof::perf {
namespace {

struct Attempt {
  const OpenResult& result;
  const std::string& name;
  const perf_event_attr& attr;
  pid_t tid;
  int cpu;
  const KernelLimits& limits;
  EventUse use;

  [[nodiscard]] bool Samples() const { return use == EventUse::kSample; }
};

// "sampling" or "counting".
std::string Doing(const Attempt& attempt) { return attempt.Samples() ? "sampling" : "counting"; }

// What is not the user's event (side-band records) has no name.
std::string Subject(const Attempt& attempt) {
  return attempt.name.empty() ? "" : "event '" + attempt.name + "': ";
}

bool BelongsToSomebodyElse(pid_t tid) {
  struct stat status {};
  return tid > 0 && ::stat(("/proc/" + std::to_string(tid)).c_str(), &status) == 0 &&
         status.st_uid != ::geteuid();
}

// The process is to blame, not the event.
Error NotObservable(pid_t tid) {
  return {ErrorKind::kPermission,
          "process or thread " + std::to_string(tid) +
              " may not be observed: it belongs to another user or is protected (setuid)",
          "run as root or as the owner of the process"};
}

std::string ErrnoText(int error_number) {
  char buffer[128];
  return strerror_r(error_number, buffer, sizeof buffer);
}

std::string Paranoid(const KernelLimits& limits) {
  return "kernel.perf_event_paranoid is " + std::to_string(limits.paranoid);
}
std::string LowerParanoid(int value) {
  return "run as root, or: sudo sysctl kernel.perf_event_paranoid=" + std::to_string(value);
}

// Of the kernel's part of an event. User code alone is no way out where nothing happens there.
std::string KernelHint(const Attempt& attempt) {
  const bool kernel_alone =
      attempt.attr.type == PERF_TYPE_TRACEPOINT || HappensInKernel(attempt.attr);
  if (kernel_alone || attempt.name.empty()) return LowerParanoid(1);
  const std::string user = WithModifiers(attempt.name, "u");
  return (attempt.Samples() ? "sample user code only: -e "
                            : "count user code only: prof stat -e ") +
         user + "; or " + LowerParanoid(1);
}

// The rules are those of kernel/events/core.c and trace_event_perf.c. The latter asks for more than
// for other events of the kernel only where a tracepoint's fields are sampled.
Error ExplainPermission(const Attempt& attempt) {
  const KernelLimits& limits = attempt.limits;
  const auto denied = [&](const std::string& what, std::string hint) {
    return Error{ErrorKind::kPermission, Subject(attempt) + what, std::move(hint)};
  };
  if (!limits.privileged && BelongsToSomebodyElse(attempt.tid)) return NotObservable(attempt.tid);
  // Needs the lowest level of all, so that it is said first.
  if (attempt.tid == -1 && !limits.MayUseCpuWide()) {
    const std::string doing = attempt.Samples() ? "recording" : "counting";
    return denied(doing + " whole CPUs is not permitted (" + Paranoid(limits) + ")",
                  LowerParanoid(0) + "; or name a command or process");
  }
  // Values above 2 exist in the kernels of Debian, Ubuntu and Android: no events without rights.
  if (!limits.privileged && limits.paranoid > 2) {
    return denied(Doing(attempt) + " is not permitted at all (" + Paranoid(limits) + ")",
                  LowerParanoid(2));
  }
  if (attempt.attr.exclude_kernel == 0 && !limits.MaySampleKernel()) {
    return denied(Doing(attempt) + " the kernel is not permitted (" + Paranoid(limits) + ")",
                  KernelHint(attempt));
  }
  const bool fields = attempt.attr.type == PERF_TYPE_TRACEPOINT &&
                      (attempt.attr.sample_type & PERF_SAMPLE_RAW) != 0;
  if (fields && !limits.MaySampleTracepointFields()) {
    return denied("sampling the fields of tracepoints is not permitted (" + Paranoid(limits) + ")",
                  LowerParanoid(-1));
  }
  if (attempt.tid > 0 && !limits.privileged) return NotObservable(attempt.tid);
  return denied("refused: " + ErrnoText(attempt.result.error_number) +
                    ", although perf_event_paranoid would allow it",
                "a container or a security policy forbids it; for Docker: docker run --cap-add "
                "PERFMON --security-opt seccomp=unconfined");
}

std::string NotPrecise(const Attempt& attempt) {
  return attempt.Samples() ? "this machine cannot sample it precisely"
                           : "this machine cannot count it with the modifier p";
}

Error ExplainUnsupported(const Attempt& attempt) {
  const auto unsupported = [&](const std::string& what, std::string hint) {
    return Error{ErrorKind::kUnsupported, Subject(attempt) + what, std::move(hint)};
  };
  if (attempt.result.error_number == ENODEV && attempt.cpu >= 0) {
    return unsupported("CPU " + std::to_string(attempt.cpu) + " is offline or cannot count it",
                       "see /sys/devices/system/cpu/online; choose others with -C");
  }
  if (attempt.attr.precise_ip > 0) {
    return unsupported(NotPrecise(attempt), "try it without the modifier p");
  }
  if (attempt.attr.type == PERF_TYPE_TRACEPOINT) {
    return unsupported("this kernel has no such tracepoint",
                       "list them: sudo prof list tracepoint");
  }
  if (attempt.result.error_number == EOPNOTSUPP && attempt.Samples()) {
    return unsupported("the hardware can only count it, not sample it",
                       "count it: prof stat -e " + attempt.name);
  }
  return unsupported(
      "not supported on this machine (virtual machines often have no hardware counters)",
      attempt.Samples() ? "sample by time instead: -e cpu-clock"
                        : "prof list hw sw shows what can be counted here");
}

Error ExplainTooManyFiles(const Attempt& attempt) {
  if (attempt.result.error_number == ENFILE) {
    return {ErrorKind::kSystem, Subject(attempt) + "the whole system has too many open files",
            "sudo sysctl fs.file-max=1000000"};
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return {ErrorKind::kSystem,
          Subject(attempt) + "too many open files, the limit is " + std::to_string(limit.rlim_cur),
          std::string("raise it: ulimit -n 65536 (as root, when above the hard limit); or ") +
              (attempt.Samples() ? "record" : "count") + " fewer events, threads or CPUs"};
}

Error ExplainInvalid(const Attempt& attempt) {
  const perf_event_attr& attr = attempt.attr;
  const auto invalid = [&](const std::string& what, std::string hint) {
    return Error{ErrorKind::kUnsupported, Subject(attempt) + what, std::move(hint)};
  };
  if (attempt.cpu >= ::sysconf(_SC_NPROCESSORS_CONF)) {
    return {ErrorKind::kUsage, Subject(attempt) + "there is no CPU " + std::to_string(attempt.cpu),
            "see /sys/devices/system/cpu/online; choose others with -C"};
  }
  if (attempt.Samples() && attr.freq != 0 && attr.sample_freq > attempt.limits.max_sample_rate) {
    return invalid("a frequency of " + std::to_string(attr.sample_freq) +
                       " Hz is above the kernel's limit of " +
                       std::to_string(attempt.limits.max_sample_rate),
                   "use -F max, or: sudo sysctl kernel.perf_event_max_sample_rate=" +
                       std::to_string(attr.sample_freq));
  }
  if (attr.type == PERF_TYPE_BREAKPOINT) {
    return invalid("the CPU cannot watch this address in this way",
                   "use an address that is a multiple of the length (1, 2, 4 or 8), and :w, :rw or "
                   ":x; an address in the kernel needs root");
  }
  if (attr.inherit != 0 && (attr.sample_type & PERF_SAMPLE_READ) != 0) {
    return invalid("this kernel cannot read a group (modifier S) together with child processes",
                   "use kernel 6.12 or later, or record without children: -i");
  }
  if (attr.precise_ip > 0) {
    return invalid(NotPrecise(attempt), "try it without the modifier p");
  }
  if (attr.type == PERF_TYPE_TRACEPOINT) {
    return invalid("the kernel refused this tracepoint", "check the event and its --filter");
  }
  if (attr.type >= PERF_TYPE_MAX && attempt.Samples()) {
    return invalid("its PMU refuses to sample it (many PMUs can only count)",
                   "count it: prof stat -e " + attempt.name);
  }
  if (attr.type >= PERF_TYPE_MAX && attempt.tid != -1) {
    return invalid("its PMU refuses to count it for one process (PMUs outside of the cores cannot)",
                   "count whole CPUs: prof stat -a -e " + attempt.name);
  }
  return invalid("the kernel or the hardware refused this combination of settings",
                 "try it without modifiers and outside of a group");
}

Error ExplainBusy(const Attempt& attempt) {
  if (attempt.attr.type == PERF_TYPE_BREAKPOINT) {
    return {ErrorKind::kUnsupported, Subject(attempt) + "all hardware breakpoints are taken",
            "a CPU has about 4: use fewer mem: events, and end debuggers that hold some"};
  }
  return {ErrorKind::kUnsupported, Subject(attempt) + "the counter is taken by somebody else",
          "end other profilers; the NMI watchdog takes one: sudo sysctl kernel.nmi_watchdog=0"};
}

Error ExplainOther(const Attempt& attempt) {
  if (attempt.result.error_number == ENOSYS) {
    return {ErrorKind::kUnsupported,
            Subject(attempt) + "this kernel or sandbox has no perf_event_open",
            "use a kernel with CONFIG_PERF_EVENTS, outside of the sandbox"};
  }
  if (attempt.result.error_number == EOVERFLOW) {
    return {
        ErrorKind::kUnsupported,
        Subject(attempt) + "call chains deeper than the kernel's limit of " +
            std::to_string(attempt.limits.max_stack),
        "sudo sysctl kernel.perf_event_max_stack=" + std::to_string(attempt.attr.sample_max_stack)};
  }
  return {ErrorKind::kSystem,
          Subject(attempt) + "cannot be opened: " + ErrnoText(attempt.result.error_number), ""};
}

}  // namespace

Error ExplainOpenFailure(const OpenResult& result, const std::string& name,
                         const perf_event_attr& attr, pid_t tid, int cpu,
                         const KernelLimits& limits, EventUse use) {
  const Attempt attempt{result, name, attr, tid, cpu, limits, use};
  switch (result.failure) {
    case OpenFailure::kPermission:
      return ExplainPermission(attempt);
    case OpenFailure::kNoSuchEvent:
      return ExplainUnsupported(attempt);
    case OpenFailure::kTooManyFiles:
      return ExplainTooManyFiles(attempt);
    case OpenFailure::kNoSuchProcess:
      return {ErrorKind::kNotFound, "no such process or thread: " + std::to_string(tid),
              "it may have ended; look with: ps -eLf"};
    case OpenFailure::kInvalid:
      return ExplainInvalid(attempt);
    case OpenFailure::kBusy:
      return ExplainBusy(attempt);
    case OpenFailure::kNone:
    case OpenFailure::kOther:
      break;
  }
  return ExplainOther(attempt);
}

}  // namespace prof::perf
