// The test process seen as a sampled one: its mappings, its images, its registers and stack bytes.
#pragma once

#include <execinfo.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "prof/base/mapped_file.h"
#include "prof/model/address_space.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {

class TestImages final : public ImageTable {
 public:
  model::LoadedModule Add(std::unique_ptr<ElfImage> image) {
    images_.push_back(std::move(image));
    return static_cast<model::LoadedModule>(images_.size() - 1);
  }
  [[nodiscard]] const ElfImage* Image(model::LoadedModule module) const override {
    return module < images_.size() ? images_[module].get() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<ElfImage>> images_;
};

// Executable lines of /proc/self/maps and their files.
class SelfProcess {
 public:
  SelfProcess() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) AddLine(line);
  }

  [[nodiscard]] const model::AddressSpace& space() const { return space_; }
  [[nodiscard]] const TestImages& images() const { return images_; }
  [[nodiscard]] std::string PathOf(model::LoadedModule module) const {
    for (const auto& [path, known] : modules_) {
      if (known == module) return path;
    }
    return "";
  }

 private:
  void AddLine(const std::string& line) {
    std::istringstream fields(line);
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    char dash = 0;
    std::string permissions;
    std::string device;
    std::string inode;
    std::string path;
    fields >> std::hex >> start >> dash >> end >> permissions >> offset >> device >> inode >> path;
    if (permissions.size() < 3 || permissions[2] != 'x' || path == "[vsyscall]") return;
    if (path.empty()) offset = start;
    space_.Map({{start}, {end}, {offset}, ModuleOf(path, start, end)});
  }

  model::LoadedModule ModuleOf(const std::string& path, std::uint64_t start, std::uint64_t end) {
    if (const auto found = modules_.find(path); found != modules_.end()) return found->second;
    std::unique_ptr<ElfImage> image;
    if (path == "[vdso]") {
      const auto* bytes = reinterpret_cast<const std::byte*>(getauxval(AT_SYSINFO_EHDR));
      auto parsed = ElfImage::FromMemory({bytes, static_cast<std::size_t>(end - start)}, path);
      if (parsed) image = std::move(*parsed);
    } else if (auto file = MappedFile::Open(path)) {
      auto parsed = ElfImage::FromFile(std::move(*file), path);
      if (parsed) image = std::move(*parsed);
    }
    return modules_[path] = images_.Add(std::move(image));
  }

  TestImages images_;
  model::AddressSpace space_;
  std::map<std::string, model::LoadedModule> modules_;
};

inline Registers RegistersOf(const ucontext_t& context) {
  // By DWARF number.
  static constexpr std::array<int, 17> kGregs = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
      REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  Registers registers;
  for (std::size_t i = 0; i < kGregs.size(); ++i) {
    registers.value[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kGregs[i]]);
  }
  registers.valid = (std::uint64_t{1} << kGregs.size()) - 1;
  return registers;
}

// What a sample taken inside Take() would carry, and what glibc's own unwinder says.
struct Capture {
  Registers registers;
  std::vector<std::byte> stack;
  std::vector<std::uint64_t> expected;  // return addresses from Take's caller outwards

  [[nodiscard]] StackInput input() const { return {registers, stack}; }

  // The copy goes through the kernel: it stops where the stack does and no sanitizer objects.
  __attribute__((noinline)) void Take(std::size_t max_bytes = 65'528) {
    std::vector<void*> addresses(4096);
    const int count = backtrace(addresses.data(), static_cast<int>(addresses.size()));
    // Sanitizers put a frame of their own between backtrace() and this function.
    std::size_t first = 0;
    const auto end = static_cast<std::size_t>(count);
    while (first < end && addresses[first] != __builtin_return_address(0)) ++first;
    expected.clear();
    for (; first < end; ++first) {
      expected.push_back(reinterpret_cast<std::uint64_t>(addresses[first]));
    }
    ucontext_t context;
    getcontext(&context);
    registers = RegistersOf(context);
    stack.resize(max_bytes);
    const iovec to{stack.data(), stack.size()};
    const iovec from{reinterpret_cast<void*>(registers.sp().value), stack.size()};
    const ssize_t copied = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    stack.resize(copied < 0 ? 0 : static_cast<std::size_t>(copied));
  }
};

// The addresses of the frames from frame 1 on.
inline std::vector<std::uint64_t> Callers(const std::vector<UnwoundFrame>& frames) {
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 1; i < frames.size(); ++i) addresses.push_back(frames[i].address.value);
  return addresses;
}

}  // namespace prof::unwind
