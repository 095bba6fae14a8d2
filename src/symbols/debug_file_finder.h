// Separate debug information of an ELF file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

#include "prof/base/host_fs.h"

namespace prof::symbols {

// Looks where distributions and gdb put debug files: build-ID folders, .gnu_debuglink beside the
// file, in .debug/ below it, and below each debug folder. A file counts only when its build ID is
// the wanted one, or its checksum when neither file has a build ID. Never asks a server.
class DebugFileFinder {
 public:
  DebugFileFinder(HostFs fs, std::vector<std::string> debug_dirs)
      : fs_(std::move(fs)), debug_dirs_(std::move(debug_dirs)) {}

  // `path` is where `file` was found, without the root of the file system. Null: there is none.
  [[nodiscard]] std::unique_ptr<ElfFile> Find(const ElfFile& file, const std::string& path) const;
  // The file that dwz moved common DWARF to (.gnu_debugaltlink); null when none is named or found.
  [[nodiscard]] std::unique_ptr<ElfFile> FindAlternate(const ElfFile& debug_file) const;

 private:
  [[nodiscard]] std::unique_ptr<ElfFile> FindByBuildId(const model::BuildId& id) const;

  HostFs fs_;
  std::vector<std::string> debug_dirs_;
};

}  // namespace prof::symbols
