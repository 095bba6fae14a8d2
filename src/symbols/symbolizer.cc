// Resolves the addresses of one module: picks the source by its kind, proves its identity, merges
// symbol tables with DWARF.
#include "prof/symbols/symbolizer.h"

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "symbols/debug_file_finder.h"
#include "symbols/debuginfod.h"
#include "symbols/dwarf/dwarf_index.h"
#include "symbols/elf_symbols.h"
#include "symbols/kallsyms.h"
#include "symbols/perf_map.h"

#include "prof/base/mapped_file.h"

namespace prof::symbols {
namespace {

using model::AddressSymbols;
using model::FileAddr;
using model::Module;
using model::ModuleKind;
using model::ModuleSymbols;
using model::SymbolStatus;
using Addresses = std::span<const FileAddr>;

SymbolStatus StatusOf(const Error& error) {
  return error.kind == ErrorKind::kNotFound ? SymbolStatus::kFileMissing
                                            : SymbolStatus::kUnreadable;
}

ModuleSymbols Refuse(const Module& module, SymbolStatus status, std::string detail) {
  return {.module = module, .status = status, .detail = std::move(detail), .addresses = {}};
}

// kOk with all addresses, or kNoSymbols when not one of them has a name or a line.
ModuleSymbols Finish(const Module& module, std::string detail,
                     std::vector<AddressSymbols> addresses) {
  const bool any =
      std::ranges::any_of(addresses, [](const auto& symbols) { return !symbols.frames.empty(); });
  if (!any && !addresses.empty()) {
    return Refuse(module, SymbolStatus::kNoSymbols, detail + ": no symbol at the wanted addresses");
  }
  return {module, SymbolStatus::kOk, std::move(detail), std::move(addresses)};
}

std::vector<AddressSymbols> FromRanges(Addresses addresses, std::vector<NamedRange> ranges) {
  std::vector<AddressSymbols> result;
  result.reserve(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    result.emplace_back().address = addresses[i];
    if (ranges[i].name.empty()) continue;
    result.back().function_start = {ranges[i].start};
    result.back().function_size = ranges[i].size;
    result.back().frames.emplace_back().name = std::move(ranges[i].name);
  }
  return result;
}

// The image the kernel mapped into this process; all processes of one kernel and ABI share it.
std::vector<std::byte> OwnVdso() {
  const auto base = ::getauxval(AT_SYSINFO_EHDR);
  if (base == 0) return {};
  const auto* image = reinterpret_cast<const std::byte*>(base);
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  // The section headers come last.
  const std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  return {image, image + size};
}

// "" when the file is the one that ran, else how they differ.
std::string BuildIdDifference(const Module& module, const ElfFile& file, const std::string& name) {
  const auto or_none = [](const model::BuildId& id) { return id.empty() ? "none" : id.Hex(); };
  if (module.build_id.empty() && !module.replaced) return {};
  if (!module.build_id.empty() && module.build_id == file.build_id()) return {};
  if (module.build_id.empty()) {
    return name + " was replaced after it had been loaded, and no build ID tells which one ran";
  }
  return name + " on disk has build ID " + or_none(file.build_id()) + ", the profile " +
         module.build_id.Hex();
}

}  // namespace

class Symbolizer::Impl {
 public:
  explicit Impl(SymbolizerOptions options)
      : options_(std::move(options)), finder_(options_.fs, options_.debug_dirs) {
    if (!options_.debuginfod) return;
    if (auto loaded = Debuginfod::Load(*options_.debuginfod)) server_ = std::move(*loaded);
  }

  [[nodiscard]] const Debuginfod* server() const { return server_.get(); }

  ModuleSymbols Resolve(const Module& module, Addresses addresses, const ModuleFiles& files) {
    switch (module.kind) {
      case ModuleKind::kElf:
        return ResolveFile(module, addresses, files);
      case ModuleKind::kKernel:
      case ModuleKind::kKernelModule:
        return ResolveKernel(module, addresses);
      case ModuleKind::kVdso:
        return ResolveVdso(module, addresses);
      case ModuleKind::kJit:
        return ResolveJit(module, addresses, files);
      case ModuleKind::kUnknown:
        break;
    }
    return Refuse(module, SymbolStatus::kNoSymbols, "outside every known mapping");
  }

 private:
  ModuleSymbols ResolveFile(const Module& module, Addresses addresses, const ModuleFiles& files) {
    ModuleSymbols symbols = ResolveLocalFile(module, addresses, files);
    if ((symbols.status != SymbolStatus::kFileMissing &&
         symbols.status != SymbolStatus::kBuildIdMismatch) ||
        module.build_id.empty() || !files.ask_server || server_ == nullptr) {
      return symbols;
    }
    // A debug file has the symbol table, too.
    std::string failure;
    const auto debug_file = AskServer(module.build_id, module, failure);
    if (debug_file != nullptr) return ResolveElf(module, *debug_file, addresses, files);
    symbols.detail += failure;
    return symbols;
  }

  ModuleSymbols ResolveLocalFile(const Module& module, Addresses addresses,
                                 const ModuleFiles& files) {
    const bool held = !files.image.empty();
    if (held && !IsStillWhole(files.image)) {
      return Refuse(module, SymbolStatus::kBuildIdMismatch,
                    module.path + " was cut short after it had been loaded");
    }
    auto file = held ? ElfFile::FromMemory(files.image, module.path)
                     : ElfFile::Open(options_.fs.Path(module.path));
    if (!file) return Refuse(module, StatusOf(file.error()), file.error().message);
    const bool is_mapped_one = held && module.build_id.empty();
    if (auto difference = BuildIdDifference(module, **file, module.path);
        !is_mapped_one && !difference.empty()) {
      return Refuse(module, SymbolStatus::kBuildIdMismatch, std::move(difference));
    }
    return ResolveElf(module, **file, addresses, files);
  }

  ModuleSymbols ResolveVdso(const Module& module, Addresses addresses) {
    auto file = ElfFile::FromBytes(OwnVdso(), "[vdso]");
    if (!file) return Refuse(module, SymbolStatus::kFileMissing, "this kernel maps no vdso");
    if (auto difference = BuildIdDifference(module, **file, "the vdso of the running kernel");
        !difference.empty()) {
      return Refuse(module, SymbolStatus::kBuildIdMismatch, std::move(difference));
    }
    if (module.build_id.empty() && !options_.running_kernel) {
      return Refuse(module, SymbolStatus::kFileMissing, "recorded on another kernel");
    }
    return ResolveElf(module, **file, addresses, {});
  }

  ModuleSymbols ResolveElf(const Module& module, const ElfFile& file, Addresses addresses,
                           const ModuleFiles& files) {
    const bool needs_dwarf = options_.inlines && !file.HasDwarf();
    DebugFile debug;
    std::string server_failure;
    if (module.kind == ModuleKind::kElf && (needs_dwarf || file.FindType(SHT_SYMTAB) == nullptr)) {
      debug = finder_.Find(file, module.path, files.root);
      if (debug.file == nullptr && files.ask_server && server_ != nullptr)
        debug.file = AskServer(file.build_id(), module, server_failure);
    }
    std::unique_ptr<ElfFile> mini;  // names of `match` may be borrowed from it
    std::string detail;
    SymbolMatch match(addresses);
    if (OfferElfSymbols(file, SHT_SYMTAB, match)) {
      detail = ".symtab";
    } else if (debug.file != nullptr && OfferElfSymbols(*debug.file, SHT_SYMTAB, match)) {
      detail = ".symtab of " + debug.file->name();
    } else {
      mini = OpenMiniDebugInfo(file);
      if (mini != nullptr && OfferElfSymbols(*mini, SHT_SYMTAB, match)) detail = ".gnu_debugdata";
      if (OfferElfSymbols(file, SHT_DYNSYM, match))
        detail += detail.empty() ? ".dynsym" : ", .dynsym";
    }
    std::vector<NamedRange> ranges = FindPltEntries(file, addresses);
    const std::vector<Symbol> best = match.Best();
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (!best[i].name.empty()) {
        ranges[i] = {best[i].start, best[i].size, std::string(best[i].name)};
      }
    }
    std::vector<AddressSymbols> symbols = FromRanges(addresses, std::move(ranges));
    if (options_.inlines) {
      if (file.HasDwarf()) {
        const auto alternate = finder_.FindAlternate(file, module.path, files.root);
        AddDwarf(file, {alternate.get(), {module.path}, OpenerIn(files.root)}, addresses, symbols,
                 detail);
      } else if (debug.file != nullptr) {
        auto alternate = finder_.FindAlternate(*debug.file, debug.path, debug.root);
        if (const auto id = DebugFileFinder::AlternateId(*debug.file);
            alternate == nullptr && !id.empty() && files.ask_server && server_ != nullptr) {
          alternate = AskServer(id, module, server_failure);
        }
        AddDwarf(*debug.file, {alternate.get(), {module.path, debug.path}, OpenerIn(files.root)},
                 addresses, symbols, detail);
      }
    }
    if (detail.empty()) detail = module.path + " has no symbol table";
    detail += server_failure;
    return Finish(module, std::move(detail), std::move(symbols));
  }

  // Split DWARF is proven by an id of its own, so it may as well be outside the target's root.
  ElfOpener OpenerIn(const RootDir* root) const {
    return [this, root](const std::string& path) {
      auto found = finder_.OpenElf(path, root);
      return found || root == nullptr ? std::move(found) : finder_.OpenElf(path, nullptr);
    };
  }

  // Null, and why in `failure`, when no server gave a file with this build ID.
  std::unique_ptr<ElfFile> AskServer(const model::BuildId& id, const Module& module,
                                     std::string& failure) {
    auto fd = server_->Find(id, std::string(module.ShortName()));
    if (!fd) {
      failure = "; debuginfod: " + fd.error().message;
      return nullptr;
    }
    auto file = ElfFile::FromFd(std::move(*fd), "debuginfod's " + id.Hex());
    if (file && (*file)->build_id() == id) return std::move(*file);
    failure = "; debuginfod: the server's file is another one";
    return nullptr;
  }

  // Replaces each symbol by its inline chain, which ends in that symbol.
  static void AddDwarf(const ElfFile& file, DwarfCompanions companions, Addresses addresses,
                       std::vector<AddressSymbols>& symbols, std::string& detail) {
    const auto note = [&detail](const std::string& text) {
      detail += (detail.empty() ? "" : ", ") + text;
    };
    auto index = DwarfIndex::Open(file, std::move(companions));
    if (!index) return note("no DWARF: " + index.error().message);
    std::vector<std::string_view> names;
    for (const AddressSymbols& symbol : symbols) {
      names.push_back(symbol.frames.empty() ? std::string_view() : symbol.frames.back().name);
    }
    std::vector<DwarfLocation> locations = (*index)->Lookup(addresses, names);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      DwarfLocation& location = locations[i];
      if (location.frames.empty()) continue;
      AddressSymbols& target = symbols[i];
      if (!target.frames.empty()) {
        // The symbol table knows clones (".cold", ".isra.0") that DWARF calls by their origin.
        location.frames.back().name = std::move(target.frames.front().name);
      } else {
        target.function_start = {location.function_start};
        target.function_size = location.function_size;
      }
      target.frames = std::move(location.frames);
    }
    const std::string problems = (*index)->Problems();
    note("DWARF of " + file.name() + (problems.empty() ? "" : " (" + problems + ")"));
  }

  ModuleSymbols ResolveKernel(const Module& module, Addresses addresses) {
    if (options_.kallsyms.empty() && !options_.running_kernel) {
      return Refuse(module, SymbolStatus::kFileMissing,
                    "recorded on another boot or kernel; its kallsyms file is needed");
    }
    const Result<Kallsyms>& kernel = KernelSymbols(module.path);
    if (!kernel) {
      const bool hidden = kernel.error().kind == ErrorKind::kPermission;
      return Refuse(module, hidden ? SymbolStatus::kNotPermitted : StatusOf(kernel.error()),
                    kernel.error().message);
    }
    const std::string_view column =
        module.kind == ModuleKind::kKernel ? std::string_view() : module.path;
    std::vector<NamedRange> ranges(addresses.size());
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const KernelSymbol symbol = kernel->Find(addresses[i].value, column);
      ranges[i] = {symbol.start, symbol.size, std::string(symbol.name)};
    }
    return Finish(module, options_.kallsyms.empty() ? "/proc/kallsyms" : options_.kallsyms,
                  FromRanges(addresses, std::move(ranges)));
  }

  // Code in brackets that is no loaded module ("[bpf]", "[__builtin__ftrace]") appears and goes
  // within a boot, so no cache is right about it.
  const Result<Kallsyms>& KernelSymbols(const std::string& path) {
    const bool fresh = path == "[bpf]" || path.starts_with("[__builtin");
    std::optional<Result<Kallsyms>>& slot = fresh ? fresh_kernel_ : kernel_;
    if (!slot) {
      slot = Kallsyms::Load({options_.fs, options_.kallsyms, options_.cache_dir}, fresh);
    }
    return *slot;
  }

  ModuleSymbols ResolveJit(const Module& module, Addresses addresses, const ModuleFiles& files) {
    const std::string& path = files.perf_map_path.empty() ? module.path : files.perf_map_path;
    const auto text = ReadJitMap(path, module, files);
    if (!text) return Refuse(module, StatusOf(text.error()), text.error().message);
    return Finish(module, path, FromRanges(addresses, FindInPerfMap(*text, addresses)));
  }

  Result<std::string> ReadJitMap(const std::string& path, const Module& module,
                                 const ModuleFiles& files) const {
    const PerfMapOwner owner{module.pid, files.user, files.process_start_s};
    if (files.perf_map_fd >= 0) return ReadPerfMap(files.perf_map_fd, path, options_.fs, owner);
    PROF_TRY_ASSIGN(const UniqueFd fd, OpenPerfMap(options_.fs, files.root, path));
    return ReadPerfMap(fd.get(), path, options_.fs, owner);
  }

  SymbolizerOptions options_;
  DebugFileFinder finder_;
  std::unique_ptr<Debuginfod> server_;
  std::optional<Result<Kallsyms>> kernel_;
  std::optional<Result<Kallsyms>> fresh_kernel_;
};

Symbolizer::Symbolizer(SymbolizerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

Symbolizer::~Symbolizer() = default;

Status CheckDebuginfod() {
  const auto loaded = Debuginfod::Load({});
  return loaded ? Status() : std::unexpected(loaded.error());
}

bool Symbolizer::AsksServers() const { return impl_->server() != nullptr; }

DebuginfodCounts Symbolizer::debuginfod_counts() const {
  return impl_->server() == nullptr ? DebuginfodCounts{} : impl_->server()->counts();
}

model::ModuleSymbols Symbolizer::Resolve(const model::Module& module,
                                         std::span<const model::FileAddr> addresses,
                                         const ModuleFiles& files) {
  return impl_->Resolve(module, addresses, files);
}

}  // namespace prof::symbols
