// The files that a module's symbols, lines and code come from.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "symbols/debug_file_finder.h"
#include "symbols/debuginfod.h"
#include "symbols/dwarf/dwarf_index.h"
#include "symbols/elf_file.h"

#include "prof/model/module.h"
#include "prof/model/record.h"
#include "prof/symbols/symbolizer.h"

namespace prof::symbols {

// Why a module has no file.
struct Refusal {
  model::SymbolStatus status = model::SymbolStatus::kFileMissing;
  std::string detail;
};

class ModuleFileOpener;

// The opened files of one module, proven to be its own. Borrows the image and the root that it was
// opened with. Not thread-safe.
class OpenModule {
 public:
  OpenModule(const OpenModule&) = delete;
  OpenModule& operator=(const OpenModule&) = delete;

  // What ran, or the debug file a server has of it.
  [[nodiscard]] const ElfFile& file() const { return *file_; }
  // Null: none found, or not looked for because `file` has all that is wanted.
  [[nodiscard]] const ElfFile* debug_file() const { return debug_.file.get(); }
  // The symbol table in .gnu_debugdata; null when there is none. Unpacked when first asked for.
  const ElfFile* MiniDebugInfo();
  // Opened when first asked for; null when there is none or it is broken, `problem` then says so
  // (empty: there is none).
  DwarfIndex* Dwarf(std::string& problem);
  // Which file has the DWARF.
  [[nodiscard]] const ElfFile* dwarf_file() const;
  // What servers that were asked did not give; empty, or to be put behind a text.
  [[nodiscard]] const std::string& server_failure() const { return server_failure_; }

 private:
  friend ModuleFileOpener;
  OpenModule(const ModuleFileOpener& opener, model::Module module, const ModuleFiles& files,
             std::unique_ptr<ElfFile> file);
  Result<std::unique_ptr<DwarfIndex>> OpenDwarf();

  const ModuleFileOpener& opener_;
  model::Module module_;
  const RootDir* root_;
  bool ask_server_;
  // Each borrows from those above it.
  std::unique_ptr<ElfFile> file_;
  std::unique_ptr<ElfFile> mini_;
  bool mini_opened_ = false;
  DebugFile debug_;
  std::unique_ptr<ElfFile> alternate_;
  std::optional<Result<std::unique_ptr<DwarfIndex>>> dwarf_;
  std::string server_failure_;
};

// Finds them. Not thread-safe.
class ModuleFileOpener {
 public:
  using Opened = std::expected<std::unique_ptr<OpenModule>, Refusal>;

  explicit ModuleFileOpener(const SymbolizerOptions& options);

  // An ELF file (kElf) or the vdso (kVdso), under the conditions of Symbolizer::Resolve(). Must not
  // outlive this object.
  [[nodiscard]] Opened Open(const model::Module& module, const ModuleFiles& files) const;

  // Null: servers cannot be asked.
  [[nodiscard]] const Debuginfod* server() const { return server_.get(); }

 private:
  friend OpenModule;
  [[nodiscard]] std::expected<std::unique_ptr<ElfFile>, Refusal> OpenFile(
      const model::Module& module, const ModuleFiles& files) const;
  [[nodiscard]] std::expected<std::unique_ptr<ElfFile>, Refusal> OpenVdso(
      const model::Module& module) const;
  // Null, and why in `failure`, when no server gave a file with this build ID.
  [[nodiscard]] std::unique_ptr<ElfFile> AskServer(const model::BuildId& id,
                                                   const model::Module& module,
                                                   std::string& failure) const;
  [[nodiscard]] ElfOpener OpenerIn(const RootDir* root) const;

  const SymbolizerOptions& options_;
  DebugFileFinder finder_;
  std::unique_ptr<Debuginfod> server_;
};

}  // namespace prof::symbols
