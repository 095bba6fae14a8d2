#include "symbols/module_files.h"

#include <elf.h>
#include <sys/auxv.h>

#include <cstring>
#include <utility>
#include <vector>

#include "symbols/elf_symbols.h"

#include "prof/base/mapped_file.h"

namespace prof::symbols {
namespace {

using model::Module;
using model::ModuleKind;
using model::SymbolStatus;

std::unexpected<Refusal> Refuse(SymbolStatus status, std::string detail) {
  return std::unexpected(Refusal{status, std::move(detail)});
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

OpenModule::OpenModule(const ModuleFileOpener& opener, Module module, const ModuleFiles& files,
                       std::unique_ptr<ElfFile> file)
    : opener_(opener),
      module_(std::move(module)),
      root_(files.root),
      ask_server_(files.ask_server && opener.server_ != nullptr),
      file_(std::move(file)) {
  const bool needs_dwarf = opener.options_.inlines && !file_->HasDwarf();
  if (module_.kind != ModuleKind::kElf ||
      (!needs_dwarf && file_->FindType(SHT_SYMTAB) != nullptr)) {
    return;
  }
  debug_ = opener.finder_.Find(*file_, module_.path, root_);
  if (debug_.file == nullptr && ask_server_) {
    debug_.file = opener.AskServer(file_->build_id(), module_, server_failure_);
  }
}

const ElfFile* OpenModule::MiniDebugInfo() {
  if (!std::exchange(mini_opened_, true)) mini_ = OpenMiniDebugInfo(*file_);
  return mini_.get();
}

const ElfFile* OpenModule::dwarf_file() const {
  return file_->HasDwarf() ? file_.get() : debug_.file.get();
}

DwarfIndex* OpenModule::Dwarf(std::string& problem) {
  if (dwarf_file() == nullptr) return nullptr;
  if (!dwarf_) dwarf_ = OpenDwarf();
  if (*dwarf_) return (*dwarf_)->get();
  problem = "no DWARF: " + dwarf_->error().message;
  return nullptr;
}

Result<std::unique_ptr<DwarfIndex>> OpenModule::OpenDwarf() {
  const ElfOpener open = opener_.OpenerIn(root_);
  if (file_->HasDwarf()) {
    alternate_ = opener_.finder_.FindAlternate(*file_, module_.path, root_);
    return DwarfIndex::Open(*file_, {alternate_.get(), {module_.path}, open});
  }
  alternate_ = opener_.finder_.FindAlternate(*debug_.file, debug_.path, debug_.root);
  if (const auto id = DebugFileFinder::AlternateId(*debug_.file);
      alternate_ == nullptr && !id.empty() && ask_server_) {
    alternate_ = opener_.AskServer(id, module_, server_failure_);
  }
  return DwarfIndex::Open(*debug_.file, {alternate_.get(), {module_.path, debug_.path}, open});
}

ModuleFileOpener::ModuleFileOpener(const SymbolizerOptions& options)
    : options_(options), finder_(options.fs, options.debug_dirs) {
  if (!options.debuginfod) return;
  if (auto loaded = Debuginfod::Load(*options.debuginfod)) server_ = std::move(*loaded);
}

ModuleFileOpener::Opened ModuleFileOpener::Open(const Module& module,
                                                const ModuleFiles& files) const {
  if (module.kind == ModuleKind::kVdso) {
    auto vdso = OpenVdso(module);
    if (!vdso) return std::unexpected(std::move(vdso.error()));
    return std::unique_ptr<OpenModule>(new OpenModule(*this, module, {}, std::move(*vdso)));
  }
  auto file = OpenFile(module, files);
  if (!file) {
    const SymbolStatus status = file.error().status;
    if ((status != SymbolStatus::kFileMissing && status != SymbolStatus::kBuildIdMismatch) ||
        module.build_id.empty() || !files.ask_server || server_ == nullptr) {
      return std::unexpected(std::move(file.error()));
    }
    // A debug file has the symbol table, too.
    std::string failure;
    auto debug_file = AskServer(module.build_id, module, failure);
    if (debug_file == nullptr) return Refuse(status, file.error().detail + failure);
    file = std::move(debug_file);
  }
  return std::unique_ptr<OpenModule>(new OpenModule(*this, module, files, std::move(*file)));
}

std::expected<std::unique_ptr<ElfFile>, Refusal> ModuleFileOpener::OpenFile(
    const Module& module, const ModuleFiles& files) const {
  const bool held = !files.image.empty();
  if (held && !IsStillWhole(files.image)) {
    return Refuse(SymbolStatus::kBuildIdMismatch,
                  module.path + " was cut short after it had been loaded");
  }
  auto file = held ? ElfFile::FromMemory(files.image, module.path)
                   : ElfFile::Open(options_.fs.Path(module.path));
  if (!file) {
    const bool missing = file.error().kind == ErrorKind::kNotFound;
    return Refuse(missing ? SymbolStatus::kFileMissing : SymbolStatus::kUnreadable,
                  file.error().message);
  }
  const bool is_mapped_one = held && module.build_id.empty();
  if (auto difference = BuildIdDifference(module, **file, module.path);
      !is_mapped_one && !difference.empty()) {
    return Refuse(SymbolStatus::kBuildIdMismatch, std::move(difference));
  }
  return std::move(*file);
}

std::expected<std::unique_ptr<ElfFile>, Refusal> ModuleFileOpener::OpenVdso(
    const Module& module) const {
  auto file = ElfFile::FromBytes(OwnVdso(), "[vdso]");
  if (!file) return Refuse(SymbolStatus::kFileMissing, "this kernel maps no vdso");
  if (auto difference = BuildIdDifference(module, **file, "the vdso of the running kernel");
      !difference.empty()) {
    return Refuse(SymbolStatus::kBuildIdMismatch, std::move(difference));
  }
  if (module.build_id.empty() && !options_.running_kernel) {
    return Refuse(SymbolStatus::kFileMissing, "recorded on another kernel");
  }
  return std::move(*file);
}

std::unique_ptr<ElfFile> ModuleFileOpener::AskServer(const model::BuildId& id, const Module& module,
                                                     std::string& failure) const {
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

// Split DWARF is proven by an id of its own, so it may as well be outside the target's root.
ElfOpener ModuleFileOpener::OpenerIn(const RootDir* root) const {
  return [this, root](const std::string& path) {
    auto found = finder_.OpenElf(path, root);
    return found || root == nullptr ? std::move(found) : finder_.OpenElf(path, nullptr);
  };
}

}  // namespace prof::symbols
