// The mappings of recorded processes and the files behind them, record by record.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "prof/model/address_space.h"
#include "prof/perf/record_decoder.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::test {

// Opens the files as they are now: read a recording on the machine, and in the state, it was made.
class RecordedProcesses final : public unwind::ImageTable {
 public:
  // In order of time. Heeds MMAP, FORK and the COMM of an exec, passes over the rest.
  void Apply(const perf::DecodedRecord& record);

  // Empty for a process that mapped nothing.
  [[nodiscard]] const model::AddressSpace& SpaceOf(std::uint32_t pid) { return spaces_[pid]; }
  [[nodiscard]] const unwind::ElfImage* Image(model::LoadedModule module) const override {
    return module < modules_.size() ? modules_[module].image.get() : nullptr;
  }
  // As the kernel reported it.
  [[nodiscard]] std::string PathOf(model::LoadedModule module) const {
    return module < modules_.size() ? modules_[module].path : "[unknown]";
  }

 private:
  struct Module {
    std::string path;
    std::unique_ptr<unwind::ElfImage> image;  // null: JIT memory, or no readable ELF file
  };
  void Map(const perf::MmapRecord& record);
  model::LoadedModule ModuleOf(const std::string& path);

  std::map<std::uint32_t, model::AddressSpace> spaces_;  // by pid
  std::vector<Module> modules_;
  std::map<std::string, model::LoadedModule> by_path_;
};

}  // namespace prof::test
