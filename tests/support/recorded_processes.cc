// Follows recorded side-band records.
#include "support/recorded_processes.h"

#include <sys/auxv.h>

#include <utility>
#include <variant>

#include "prof/base/mapped_file.h"

namespace prof::test {

void RecordedProcesses::Apply(const perf::DecodedRecord& record) {
  if (const auto* mmap = std::get_if<perf::MmapRecord>(&record)) {
    Map(*mmap);
  } else if (const auto* fork = std::get_if<perf::ForkRecord>(&record)) {
    if (fork->pid != fork->parent_pid) spaces_[fork->pid] = spaces_[fork->parent_pid];
  } else if (const auto* comm = std::get_if<perf::CommRecord>(&record)) {
    if (comm->exec) spaces_[comm->pid].Clear();
  }
}

void RecordedProcesses::Map(const perf::MmapRecord& record) {
  constexpr std::uint64_t kKernelHalf = std::uint64_t{1} << 63;
  if (!record.executable || (record.start & kKernelHalf) != 0) return;
  const std::string path(record.path);
  const bool file = path.starts_with("/") && !path.starts_with("//anon") &&
                    !path.starts_with("/memfd:") && !path.starts_with("/dev/zero");
  // JIT memory keeps its runtime addresses.
  const std::uint64_t offset = file || path == "[vdso]" ? record.file_offset : record.start;
  spaces_[record.pid].Map(
      {{record.start}, {record.start + record.length}, {offset}, ModuleOf(path)});
}

model::LoadedModule RecordedProcesses::ModuleOf(const std::string& path) {
  const auto [it, added] =
      by_path_.emplace(path, static_cast<model::LoadedModule>(modules_.size()));
  if (!added) return it->second;
  Module module{path, nullptr};
  if (path == "[vdso]") {
    constexpr std::size_t kVdsoBytes = 2 * 4096;
    const auto* bytes = reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));
    if (bytes != nullptr) {
      auto image = unwind::ElfImage::FromMemory({bytes, kVdsoBytes}, path);
      if (image) module.image = std::move(*image);
    }
  } else if (path.starts_with("/")) {
    if (auto file = MappedFile::Open(path)) {
      auto image = unwind::ElfImage::FromFile(std::move(*file), path);
      if (image) module.image = std::move(*image);
    }
  }
  modules_.push_back(std::move(module));
  return it->second;
}

}  // namespace prof::test
