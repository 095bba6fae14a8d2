// Separate debug information of an ELF file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "symbols/elf_file.h"

#include "prof/base/host_fs.h"
#include "prof/base/root_dir.h"

namespace prof::symbols {

// A debug file and where it was found: what it names in turn starts from there.
struct DebugFile {
  std::unique_ptr<ElfFile> file;  // null: none
  std::string path;               // below `root`
  const RootDir* root = nullptr;  // borrowed; null: this file system
};

// Looks where distributions and gdb put debug files: build-ID folders, .gnu_debuglink beside the
// file, in .debug/ below it, and below each debug folder; all of that first in the root of the
// target. A file counts only when its build ID is the wanted one, or its checksum when neither file
// has a build ID. Never asks a server.
class DebugFileFinder {
 public:
  DebugFileFinder(HostFs fs, std::vector<std::string> debug_dirs)
      : fs_(std::move(fs)), debug_dirs_(std::move(debug_dirs)) {}

  // `path` is where `file` was found in the target's root: `root`, or the one of this file system.
  [[nodiscard]] DebugFile Find(const ElfFile& file, const std::string& path,
                               const RootDir* root) const;
  // The file that dwz moved common DWARF to (.gnu_debugaltlink); null when none is named or found.
  // `path` and `root`: where `debug_file` was found.
  [[nodiscard]] std::unique_ptr<ElfFile> FindAlternate(const ElfFile& debug_file,
                                                       const std::string& path,
                                                       const RootDir* root) const;
  // Any other file, by its absolute path.
  [[nodiscard]] Result<std::unique_ptr<ElfFile>> OpenElf(const std::string& path,
                                                         const RootDir* root) const;

  // The build ID of that file; empty when none is named.
  [[nodiscard]] static model::BuildId AlternateId(const ElfFile& debug_file);

 private:
  [[nodiscard]] Result<UniqueFd> OpenFile(const std::string& path, const RootDir* root) const;
  [[nodiscard]] DebugFile FindByBuildId(const model::BuildId& id, const RootDir* root) const;
  [[nodiscard]] DebugFile FindByLink(const ElfFile& file, const std::string& path,
                                     const RootDir* root) const;
  [[nodiscard]] bool HasCrc(const std::string& path, const RootDir* root, std::uint32_t crc) const;

  HostFs fs_;
  std::vector<std::string> debug_dirs_;
};

}  // namespace prof::symbols
