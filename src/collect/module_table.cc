// Finds the files behind mappings and proves that they are the ones that ran.
#include "collect/module_table.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <sstream>

#include "prof/base/unique_fd.h"

namespace prof::collect {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::size_t kVdsoBytes = 2 * 4096;  // the image is one or two pages on every architecture

// Executable memory without a file of its own: JIT code, trampolines, code copied into memory
// files.
bool IsAnonymous(std::string_view path) {
  return path.empty() || path.front() != '/' || path.starts_with("//anon") ||
         path.starts_with("/dev/zero") || path.starts_with("/anon_hugepage") ||
         path.starts_with("/memfd:") || path.starts_with("/SYSV");
}

std::string IdentityKey(const MappedFileId& file, const std::string& path) {
  std::string key = path;
  key += '\0';
  if (!file.build_id.empty()) {
    key.append(reinterpret_cast<const char*>(file.build_id.bytes().data()),
               file.build_id.bytes().size());
  } else {
    key += std::to_string(file.device) + ':' + std::to_string(file.inode);
  }
  return key;
}

std::string MapFilesName(const MappedFileId& file) {
  char range[40];
  char* end = std::to_chars(range, range + 16, file.start.value, 16).ptr;
  *end++ = '-';
  end = std::to_chars(end, end + 16, file.end.value, 16).ptr;
  return {range, end};
}

// Null unless it is the file that was mapped.
std::unique_ptr<unwind::ElfImage> ImageOf(const UniqueFd& fd, const MappedFileId& file,
                                          const std::string& path) {
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  // A file system such as overlayfs or btrfs may show another device number than the mapping
  // does, so the inode decides.
  if (file.build_id.empty() && file.has_inode && status.st_ino != file.inode) return nullptr;
  auto mapped = MappedFile::FromFd(fd.get(), path);
  if (!mapped) return nullptr;
  auto image = unwind::ElfImage::FromFile(std::move(*mapped), path);
  if (!image) return nullptr;
  const bool same = file.build_id.empty() || (*image)->build_id() == file.build_id;
  return same ? std::move(*image) : nullptr;
}

}  // namespace

ModuleTable::ModuleTable(const HostFs& fs) : fs_(fs), roots_(fs) {
  unknown_ = Add({.kind = model::ModuleKind::kUnknown, .path = "[unknown]"}, {});
  kernel_ = Add({.kind = model::ModuleKind::kKernel, .path = "[kernel.kallsyms]"}, {});
  AddVdso();
  ReadKernelModules();
}

model::LoadedModule ModuleTable::Add(model::Module module, Opened opened) {
  const auto [it, added] =
      by_module_.emplace(module, static_cast<model::LoadedModule>(entries_.size()));
  if (added)
    entries_.Add({std::move(module), std::move(opened.image), std::move(opened.root), {}, {}});
  return it->second;
}

// The vdso is the same for every process of this boot, so prof's own copy serves.
void ModuleTable::AddVdso() {
  model::Module module{.kind = model::ModuleKind::kVdso, .path = "[vdso]"};
  std::unique_ptr<unwind::ElfImage> image;
  if (const unsigned long address = ::getauxval(AT_SYSINFO_EHDR); address != 0) {
    const std::span bytes(reinterpret_cast<const std::byte*>(address), kVdsoBytes);
    if (auto parsed = unwind::ElfImage::FromMemory(bytes, module.path)) {
      image = std::move(*parsed);
      module.build_id = image->build_id();
    }
  }
  vdso_ = Add(std::move(module), {.image = std::move(image), .root = nullptr, .at_path = true});
}

// /proc/modules: "name size references users state 0xaddress"; addresses are zero without
// permission.
void ModuleTable::ReadKernelModules() {
  const auto text = fs_.ReadFile("/proc/modules");
  if (!text) return;
  std::istringstream lines(*text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string name, references, users, state;
    std::uint64_t size = 0, address = 0;
    fields >> name >> size >> references >> users >> state >> std::hex >> address;
    if (!fields || address == 0) continue;
    const auto module =
        Add({.kind = model::ModuleKind::kKernelModule, .path = "[" + name + "]"}, {});
    kernel_modules_[address] = {address + size, module};
  }
}

model::LoadedModule ModuleTable::KernelAt(model::RuntimeAddr address) const {
  auto it = kernel_modules_.upper_bound(address.value);
  if (it == kernel_modules_.begin()) return kernel_;
  --it;
  return address.value < it->second.end ? it->second.module : kernel_;
}

const unwind::ElfImage* ModuleTable::Image(model::LoadedModule module) const {
  return module < entries_.size() ? entries_[module].image.get() : nullptr;
}

model::LoadedModule ModuleTable::Load(const MappedFileId& file) {
  if (file.path == "[vdso]") return vdso_;
  if (IsAnonymous(file.path)) {
    return LoadJit(file.pid);
  }
  std::string path(file.path);
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  if (IsJitDump(path)) return LoadJitDump(file, path);
  const std::string key = IdentityKey(file, path);
  if (const auto it = by_key_.find(key); it != by_key_.end()) return it->second;
  const model::LoadedModule module = LoadElf(file, std::move(path));
  by_key_.emplace(key, module);
  return module;
}

model::LoadedModule ModuleTable::LoadJit(std::uint32_t pid) {
  if (const auto it = jit_.find(pid); it != jit_.end()) return it->second;
  const model::LoadedModule module = Add({.kind = model::ModuleKind::kJit,
                                          .path = "/tmp/perf-" + std::to_string(pid) + ".map",
                                          .pid = pid},
                                         {});
  entries_[module].jit =
      DescribeJitProcess(fs_, static_cast<pid_t>(pid), roots_.Of(static_cast<pid_t>(pid)));
  jit_.emplace(pid, module);
  return module;
}

// The mapping has no code: it tells where the process describes its JIT code.
model::LoadedModule ModuleTable::LoadJitDump(const MappedFileId& file, const std::string& path) {
  const model::LoadedModule module = LoadJit(file.pid);
  if (file.has_inode) {
    const std::string proc = "/proc/" + std::to_string(file.pid);
    // Its name may be gone by now, and so may the process.
    const std::string others[] = {proc + "/root" + path, proc + "/map_files/" + MapFilesName(file),
                                  path};
    HoldJitDump(fs_, path, others, file.inode, entries_[module].jit);
  }
  return module;
}

std::uint32_t ModuleTable::NamespacePid(std::uint32_t pid) const {
  const auto ids = ReadProcessIds(fs_, static_cast<pid_t>(pid));
  return ids ? ids->ns_pid : 0;
}

// A mount namespace takes its /tmp along the moment its last process ends, so the map of running
// JIT code is opened early; it may come later than the code does, hence more than one try.
void ModuleTable::AddHit(model::LoadedModule module, model::FileAddr lookup_address) {
  Entry& entry = entries_[module];
  if (!entry.hits.insert(lookup_address).second) return;
  if (entry.module.kind != model::ModuleKind::kJit || !std::has_single_bit(entry.hits.size()))
    return;
  const std::lock_guard lock(perf_map_mutex_);
  if (entry.jit.perf_map == nullptr) HoldPerfMap(fs_, entry.jit);
}

void ModuleTable::ProcessGone(std::uint32_t pid) {
  const auto it = jit_.find(pid);
  if (it == jit_.end()) return;
  JitProcess& process = entries_[it->second].jit;
  const std::lock_guard lock(perf_map_mutex_);
  if (process.perf_map == nullptr) HoldPerfMap(fs_, process);
}

model::LoadedModule ModuleTable::LoadElf(const MappedFileId& file, std::string path) {
  model::Module module{
      .kind = model::ModuleKind::kElf, .path = std::move(path), .build_id = file.build_id};
  Opened opened = OpenImage(file, module.path);
  if (opened.image != nullptr && module.build_id.empty()) {
    module.build_id = opened.image->build_id();
  }
  if (module.build_id.empty()) {
    // Nothing but the inode tells files apart that share a path: two builds, two containers.
    module.replaced = !opened.at_path;
    if (by_module_.contains(module)) module.pid = file.pid;
  } else {
    module.replaced = opened.image == nullptr;
  }
  return Add(std::move(module), std::move(opened));
}

ModuleTable::Opened ModuleTable::OpenImage(const MappedFileId& file, const std::string& path) {
  const std::string proc = "/proc/" + std::to_string(file.pid);
  const auto open = [&](const std::string& candidate) {
    return UniqueFd(
        ::open(fs_.Path(candidate).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  };
  if (auto image = ImageOf(open(proc + "/root" + path), file, path)) {
    auto root = roots_.Of(static_cast<pid_t>(file.pid));
    const bool at_path = root == nullptr;
    return {std::move(image), std::move(root), at_path};
  }
  if (auto image = ImageOf(open(proc + "/map_files/" + MapFilesName(file)), file, path))
    return {std::move(image), roots_.Of(static_cast<pid_t>(file.pid)), false};
  if (auto image = ImageOf(open(path), file, path)) return {std::move(image), nullptr, true};
  if (file.build_id.empty() && !file.has_inode) return {};
  // The process is gone, but another one of its container may have been seen.
  for (const TargetRoots::Known& known : roots_.known()) {
    auto fd = known.root->OpenFile(path);
    if (!fd) continue;
    if (auto image = ImageOf(std::move(*fd), file, path))
      return {std::move(image), known.root, false};
  }
  return {};
}

std::vector<HitModule> ModuleTable::Hits() const {
  std::vector<HitModule> hits;
  for (std::size_t module = 0; module < entries_.size(); ++module) {
    const Entry& entry = entries_[module];
    if (entry.hits.empty()) continue;
    HitModule hit{.module = entry.module, .addresses = {entry.hits.begin(), entry.hits.end()}};
    if (entry.module.kind == model::ModuleKind::kElf) {
      hit.root = entry.root;
      if (entry.image != nullptr) hit.file = entry.image->bytes();
    } else if (entry.module.kind == model::ModuleKind::kJit) {
      hit.root = entry.jit.root;
      hit.perf_map_path = entry.jit.perf_map_path;
      hit.perf_map = entry.jit.perf_map;
      for (const JitProcess::Dump& dump : entry.jit.dumps) hit.jit_dumps.push_back(dump.fd.get());
      hit.user = entry.jit.user;
      hit.process_start_s = entry.jit.start_s;
    }
    std::ranges::sort(hit.addresses);
    hits.push_back(std::move(hit));
  }
  return hits;
}

}  // namespace prof::collect
