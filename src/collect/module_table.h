// The modules of a session: what every executable mapping belongs to, and which of their addresses
// samples hit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collect/growing_table.h"
#include "collect/jit_process.h"
#include "collect/target_roots.h"

#include "prof/base/host_fs.h"
#include "prof/collect/record_session.h"
#include "prof/model/address_space.h"
#include "prof/model/module.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::collect {

// A mapping as the kernel or /proc/PID/maps described it.
struct MappedFileId {
  std::string_view path;
  std::uint32_t pid = 0;
  model::RuntimeAddr start, end;
  model::BuildId build_id;   // when the kernel gave it
  bool has_inode = false;    // device and inode are known
  std::uint64_t device = 0;  // makedev()
  std::uint64_t inode = 0;
};

// Opens each distinct file once, while its process is still there (through /proc/PID/root, then
// map_files, then the plain path, then the roots of other targets), and proves that it is the
// mapped one: by build ID when the kernel gave one, else by device and inode. Files that were
// replaced since have no image. Images hold memory, no descriptors. Owned by the session; grows
// only. Load() is called under the lock of TargetState, AddHit() under that of StreamWriter;
// everything about a module that is known already may be read by any thread.
class ModuleTable final : public unwind::ImageTable {
 public:
  explicit ModuleTable(const HostFs& fs);

  model::LoadedModule Load(const MappedFileId& file);
  // The kernel, or the kernel module that covers `address`.
  [[nodiscard]] model::LoadedModule KernelAt(model::RuntimeAddr address) const;
  [[nodiscard]] model::LoadedModule unknown() const { return unknown_; }
  [[nodiscard]] const model::Module& module(model::LoadedModule module) const {
    return entries_[module].module;
  }
  [[nodiscard]] const unwind::ElfImage* Image(model::LoadedModule module) const override;

  // The process's pid in its own pid namespace; 0 when it is gone.
  [[nodiscard]] std::uint32_t NamespacePid(std::uint32_t pid) const;
  // Its last thread ended: what names its JIT code may go at any time. Called as Load() is.
  void ProcessGone(std::uint32_t pid);

  void AddHit(model::LoadedModule module, model::FileAddr lookup_address);
  [[nodiscard]] std::vector<HitModule> Hits() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    model::Module module;
    std::unique_ptr<unwind::ElfImage> image;
    std::shared_ptr<const RootDir> root;  // where the file is, when that is not prof's own root
    JitProcess jit;                       // kJit only
    std::unordered_set<model::FileAddr> hits;
  };
  struct Opened {
    std::unique_ptr<unwind::ElfImage> image;
    std::shared_ptr<const RootDir> root;
    bool at_path = false;  // it is what the path names in prof's own root
  };
  model::LoadedModule Add(model::Module module, Opened opened);
  model::LoadedModule LoadJit(std::uint32_t pid);
  model::LoadedModule LoadJitDump(const MappedFileId& file, const std::string& path);
  model::LoadedModule LoadElf(const MappedFileId& file, std::string path);
  Opened OpenImage(const MappedFileId& file, const std::string& path);
  void AddVdso();
  void ReadKernelModules();

  HostFs fs_;
  TargetRoots roots_;
  GrowingTable<Entry> entries_;
  std::unordered_map<std::string, model::LoadedModule> by_key_;  // path and what proves identity
  std::map<model::Module, model::LoadedModule> by_module_;
  std::unordered_map<std::uint32_t, model::LoadedModule> jit_;  // by pid
  std::mutex perf_map_mutex_;  // guards Entry::jit.perf_map: AddHit() and ProcessGone() open it
  struct KernelRange {
    std::uint64_t end = 0;
    model::LoadedModule module = 0;
  };
  std::map<std::uint64_t, KernelRange> kernel_modules_;  // by start
  model::LoadedModule kernel_ = 0, unknown_ = 0, vdso_ = 0;
};

}  // namespace prof::collect
