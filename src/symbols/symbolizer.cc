// Resolves the addresses of one module: picks the source by its kind, proves its identity, merges
// symbol tables with DWARF.
#include "prof/symbols/symbolizer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "symbols/code_reader.h"
#include "symbols/jit_symbols.h"
#include "symbols/kallsyms.h"
#include "symbols/kernel_code.h"
#include "symbols/module_files.h"
#include "symbols/module_symbols.h"
#include "symbols/perf_map.h"

namespace prof::symbols {
namespace {

using model::AddressSymbols;
using model::FileAddr;
using model::Module;
using model::ModuleCode;
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

ModuleCode RefuseCode(const Module& module, std::span<const FunctionRange> functions,
                      std::string detail) {
  ModuleCode code = EmptyCode(module, functions);
  code.detail = std::move(detail);
  return code;
}

// What decides which files a module has.
struct OpenKey {
  Module module;
  const std::byte* image = nullptr;
  std::size_t image_bytes = 0;
  const RootDir* root = nullptr;
  bool ask_server = false;
  friend bool operator==(const OpenKey&, const OpenKey&) = default;
};

OpenKey KeyOf(const Module& module, const ModuleFiles& files) {
  return {module, files.image.data(), files.image.size(), files.root, files.ask_server};
}

}  // namespace

class Symbolizer::Impl {
 public:
  explicit Impl(SymbolizerOptions options) : options_(std::move(options)), opener_(options_) {}

  [[nodiscard]] const Debuginfod* server() const { return opener_.server(); }

  ModuleSymbols Resolve(const Module& module, Addresses addresses, const ModuleFiles& files) {
    switch (module.kind) {
      case ModuleKind::kElf:
      case ModuleKind::kVdso:
        return ResolveFile(module, addresses, files);
      case ModuleKind::kKernel:
      case ModuleKind::kKernelModule:
        return ResolveKernel(module, addresses);
      case ModuleKind::kJit:
        return ResolveJit(module, addresses, files);
      case ModuleKind::kUnknown:
        break;
    }
    return Refuse(module, SymbolStatus::kNoSymbols, "outside every known mapping");
  }

  ModuleCode ReadCode(const Module& module, std::span<const FunctionRange> functions,
                      const ModuleFiles& files) {
    switch (module.kind) {
      case ModuleKind::kElf:
      case ModuleKind::kVdso:
        return ReadFileCode(module, functions, files);
      case ModuleKind::kKernel:
      case ModuleKind::kKernelModule:
        return ReadKernelCode(opener_, options_, module, functions,
                              KnownKernelSymbols(module.path));
      case ModuleKind::kJit:
        return JitDumps(files.jit_dump_fds).ReadCode(module, functions, options_);
      case ModuleKind::kUnknown:
        break;
    }
    return RefuseCode(module, functions, "outside every known mapping");
  }

 private:
  // A kElf or kVdso module. Its files stay open for ReadCode().
  ModuleSymbols ResolveFile(const Module& module, Addresses addresses, const ModuleFiles& files) {
    Close();
    auto opened = opener_.Open(module, files);
    if (!opened) return Refuse(module, opened.error().status, std::move(opened.error().detail));
    open_ = std::move(*opened);
    open_key_ = KeyOf(module, files);
    std::string detail;
    std::vector<AddressSymbols> symbols =
        FromRanges(addresses, NameAddresses(*open_, addresses, detail));
    if (options_.inlines) AddDwarf(*open_, addresses, symbols, detail);
    if (detail.empty()) detail = module.path + " has no symbol table";
    detail += open_->server_failure();
    return Finish(module, std::move(detail), std::move(symbols));
  }

  ModuleCode ReadFileCode(const Module& module, std::span<const FunctionRange> functions,
                          const ModuleFiles& files) {
    if (open_ == nullptr || open_key_ != KeyOf(module, files)) {
      Close();
      auto opened = opener_.Open(module, files);
      if (!opened) return RefuseCode(module, functions, std::move(opened.error().detail));
      open_ = std::move(*opened);
      open_key_ = KeyOf(module, files);
    }
    return ReadElfCode(*open_, module, functions, options_);
  }

  // Replaces each symbol by its inline chain, which ends in that symbol.
  static void AddDwarf(OpenModule& module, Addresses addresses,
                       std::vector<AddressSymbols>& symbols, std::string& detail) {
    const auto note = [&detail](const std::string& text) {
      detail += (detail.empty() ? "" : ", ") + text;
    };
    std::string problem;
    DwarfIndex* index = module.Dwarf(problem);
    if (index == nullptr) return problem.empty() ? void() : note(problem);
    std::vector<std::string_view> names;
    for (const AddressSymbols& symbol : symbols) {
      names.push_back(symbol.frames.empty() ? std::string_view() : symbol.frames.back().name);
    }
    std::vector<DwarfLocation> locations = index->Lookup(addresses, names);
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
      target.unoptimized = location.unoptimized;
    }
    const std::string problems = index->Problems();
    note("DWARF of " + module.dwarf_file()->name() +
         (problems.empty() ? "" : " (" + problems + ")"));
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

  // Null when there are none.
  const Kallsyms* KnownKernelSymbols(const std::string& path) {
    if (options_.kallsyms.empty() && !options_.running_kernel) return nullptr;
    const Result<Kallsyms>& kernel = KernelSymbols(path);
    return kernel ? &*kernel : nullptr;
  }

  // A jitdump file knows lines and sizes, so the perf map is for what none of them has.
  ModuleSymbols ResolveJit(const Module& module, Addresses addresses, const ModuleFiles& files) {
    JitDumps dumps(files.jit_dump_fds);
    std::string detail = dumps.Names();
    std::vector<AddressSymbols> symbols = dumps.Resolve(addresses, options_.inlines);
    const bool all = std::ranges::none_of(symbols, [](const auto& s) { return s.frames.empty(); });
    if (dumps.empty() || !all) {
      const std::string& path = files.perf_map_path.empty() ? module.path : files.perf_map_path;
      const auto text = ReadJitMap(path, module, files);
      if (!text && dumps.empty()) {
        std::string why = text.error().message;
        AddDetail(why, dumps.problems());
        return Refuse(module, StatusOf(text.error()), std::move(why));
      }
      if (text) AddFromPerfMap(*text, symbols);
      if (text || text.error().kind != ErrorKind::kNotFound) {
        AddDetail(detail, text ? path : text.error().message);
      }
    }
    AddDetail(detail, dumps.problems());
    return Finish(module, std::move(detail), std::move(symbols));
  }

  static void AddFromPerfMap(std::string_view text, std::vector<AddressSymbols>& symbols) {
    std::vector<FileAddr> missing;
    for (const AddressSymbols& symbol : symbols) {
      if (symbol.frames.empty()) missing.push_back(symbol.address);
    }
    std::vector<AddressSymbols> found = FromRanges(missing, FindInPerfMap(text, missing));
    auto next = found.begin();
    for (AddressSymbols& symbol : symbols) {
      if (symbol.frames.empty()) symbol = std::move(*next++);
    }
  }

  Result<std::string> ReadJitMap(const std::string& path, const Module& module,
                                 const ModuleFiles& files) const {
    const PerfMapOwner owner{module.pid, files.user, files.process_start_s};
    if (files.perf_map_fd >= 0) return ReadPerfMap(files.perf_map_fd, path, options_.fs, owner);
    PROF_TRY_ASSIGN(const UniqueFd fd, OpenPerfMap(options_.fs, files.root, path));
    return ReadPerfMap(fd.get(), path, options_.fs, owner);
  }

  void Close() {
    open_.reset();
    open_key_.reset();
  }

  SymbolizerOptions options_;
  ModuleFileOpener opener_;  // reads options_
  std::unique_ptr<OpenModule> open_;
  std::optional<OpenKey> open_key_;
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

model::ModuleCode Symbolizer::ReadCode(const model::Module& module,
                                       std::span<const FunctionRange> functions,
                                       const ModuleFiles& files) {
  return impl_->ReadCode(module, functions, files);
}

}  // namespace prof::symbols
