// Describes the machine from uname and /proc.
#include "collect/host_info.h"

#include <elf.h>
#include <sys/utsname.h>

#include <cstring>

#include "prof/base/clock.h"
#include "prof/perf/event_open.h"

namespace prof::collect {
namespace {

std::string CpuModel(const HostFs& fs) {
  constexpr std::size_t kFirstCpu = 4096;
  const auto text = fs.ReadStart("/proc/cpuinfo", kFirstCpu);
  if (!text) return "";
  const auto at = text->find("model name");
  const auto colon = text->find(": ", at);
  if (at == std::string::npos || colon == std::string::npos) return "";
  return text->substr(colon + 2, text->find('\n', colon) - colon - 2);
}

// /sys/kernel/notes is a sequence of ELF notes: namesz, descsz, type, name, desc, each padded to 4
// bytes.
std::string KernelBuildId(const HostFs& fs) {
  const auto notes = fs.ReadFile("/sys/kernel/notes");
  if (!notes) return "";
  std::string_view rest = *notes;
  while (rest.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header{};
    std::memcpy(&header, rest.data(), sizeof header);
    const std::size_t name_size = (header.n_namesz + 3U) & ~3U;
    const std::size_t desc_size = (header.n_descsz + 3U) & ~3U;
    if (rest.size() < sizeof header + name_size + desc_size) break;
    const std::string_view desc = rest.substr(sizeof header + name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID)
      return model::BuildId(std::as_bytes(std::span(desc.data(), desc.size()))).Hex();
    rest.remove_prefix(sizeof header + name_size + desc_size);
  }
  return "";
}

}  // namespace

model::RecordingInfo DescribeHost(const HostFs& fs) {
  model::RecordingInfo info;
  info.prof_version = PROF_VERSION;
  utsname names{};
  ::uname(&names);
  info.hostname = names.nodename;
  info.os_release = names.release;
  info.arch = names.machine;
  info.cpu_model = CpuModel(fs);
  if (const auto cpus = perf::OnlineCpus(fs))
    info.cpus_online = static_cast<std::uint32_t>(cpus->size());
  info.boot_id = fs.ReadLine("/proc/sys/kernel/random/boot_id").value_or("");
  info.kernel_build_id = KernelBuildId(fs);
  const ClockReading now = ReadClocks();
  info.start = {now.monotonic_ns, now.realtime_ns, now.boottime_ns};
  return info;
}

}  // namespace prof::collect
