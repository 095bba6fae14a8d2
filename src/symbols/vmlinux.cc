// Finds the kernel's own ELF file.
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbols/elf_symbols.h"
#include "symbols/kernel_code.h"

namespace prof::symbols {
namespace {

// Kernels are moved by whole pages at least.
constexpr std::uint64_t kPageBytes = 4096;
// Functions that every kernel has, each with its name for itself.
constexpr std::array<std::string_view, 5> kAnchors = {"_stext", "vfs_read", "schedule", "kfree",
                                                      "do_exit"};

// The build ID in the notes of the running kernel; empty when there is none.
model::BuildId RunningBuildId(const HostFs& fs) {
  const auto notes = fs.ReadFile("/sys/kernel/notes");
  if (!notes) return {};
  const auto bytes = std::as_bytes(std::span(*notes));
  const auto padded = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
  for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= bytes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, bytes.data() + at, sizeof(note));
    const std::uint64_t name = at + sizeof(note);
    const std::uint64_t text = name + padded(note.n_namesz);
    const std::uint64_t end = text + padded(note.n_descsz);
    if (end > bytes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
        std::memcmp(bytes.data() + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
      return model::BuildId(bytes.subspan(text, note.n_descsz));
    }
    at = end;
  }
  return {};
}

std::vector<std::string> Candidates(const SymbolizerOptions& options, const model::BuildId& id) {
  if (!options.vmlinux.empty()) return {options.vmlinux};
  std::vector<std::string> paths;
  const std::string hex = id.Hex();
  for (const std::string& folder : options.debug_dirs) {
    if (hex.size() > 2) {
      paths.push_back(folder + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug");
    }
  }
  const auto release = options.fs.ReadLine("/proc/sys/kernel/osrelease");
  if (!options.running_kernel || !release) return paths;
  for (const std::string& folder : options.debug_dirs) {
    paths.push_back(folder + "/boot/vmlinux-" + *release);
    paths.push_back(folder + "/lib/modules/" + *release + "/vmlinux");
  }
  paths.push_back("/boot/vmlinux-" + *release);
  paths.push_back("/lib/modules/" + *release + "/build/vmlinux");
  return paths;
}

// Names of the kernel's functions, and where each was when it ran.
using Known = std::unordered_multimap<std::string_view, std::uint64_t>;

// How far above the file's addresses the functions ran; nothing when they do not agree.
std::optional<std::uint64_t> FindShift(OpenModule& files, const Known& known) {
  std::unordered_map<std::uint64_t, std::size_t> votes;
  const auto vote = [&](std::string_view name, std::uint64_t address) {
    for (auto [at, end] = known.equal_range(name); at != end; ++at) {
      const std::uint64_t shift = at->second - address;
      if (shift % kPageBytes == 0) ++votes[shift];
    }
  };
  if (!ForEachFunction(files.file(), SHT_SYMTAB, vote) && files.debug_file() != nullptr) {
    ForEachFunction(*files.debug_file(), SHT_SYMTAB, vote);
  }
  std::optional<std::uint64_t> best;
  std::size_t most = 0;
  for (const auto& [shift, count] : votes) {
    if (count == most) best.reset();
    if (count <= most) continue;
    most = count;
    best = shift;
  }
  return best;
}

}  // namespace

Result<Vmlinux> FindVmlinux(const ModuleFileOpener& opener, const SymbolizerOptions& options,
                            const model::Module& module, std::span<const FunctionRange> functions,
                            const Kallsyms* kernel) {
  model::Module file;
  file.kind = model::ModuleKind::kElf;
  file.build_id = module.build_id;
  if (file.build_id.empty() && options.running_kernel) file.build_id = RunningBuildId(options.fs);
  if (file.build_id.empty() && options.vmlinux.empty()) {
    return Fail(ErrorKind::kNotFound, "no vmlinux: no build ID tells which kernel it was");
  }
  std::string failure = "no vmlinux file of this kernel (a package like linux-image-" +
                        options.fs.ReadLine("/proc/sys/kernel/osrelease").value_or("RELEASE") +
                        "-dbg has it)";
  for (const std::string& path : Candidates(options, file.build_id)) {
    file.path = path;
    auto opened = opener.Open(file, {});
    if (!opened) {
      const bool missing = opened.error().status == model::SymbolStatus::kFileMissing;
      if (!missing || !options.vmlinux.empty()) failure = "no vmlinux: " + opened.error().detail;
      continue;
    }
    Known known;
    for (const FunctionRange& function : functions) {
      known.emplace(function.name, function.start.value);
    }
    for (const std::string_view anchor : kAnchors) {
      const std::uint64_t address = kernel == nullptr ? 0 : kernel->AddressOf(anchor);
      if (address != 0) known.emplace(anchor, address);
    }
    if (const auto shift = FindShift(**opened, known)) return Vmlinux{std::move(*opened), *shift};
    failure = path + ": its symbols do not tell where the kernel was loaded";
  }
  return Fail(ErrorKind::kNotFound, std::move(failure));
}

}  // namespace prof::symbols
