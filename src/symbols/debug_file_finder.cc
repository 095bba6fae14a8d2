// Finds separate debug files and proves that they belong to the program.
#include "symbols/debug_file_finder.h"

#include <lzma.h>

#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "prof/base/mapped_file.h"

namespace prof::symbols {
namespace {

struct DebugLink {
  std::string name;
  std::uint32_t crc = 0;
};

// A NUL-terminated file name, padded to 4 bytes, then the CRC-32 of the whole debug file.
std::optional<DebugLink> ReadDebugLink(const ElfFile& file) {
  const ElfSection* section = file.Find(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  const std::string_view bytes = file.Bytes(*section);
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::size_t crc_at = (end + 4) / 4 * 4;
  if (crc_at + 4 > bytes.size()) return std::nullopt;
  DebugLink link{std::string(bytes.substr(0, end))};
  std::memcpy(&link.crc, bytes.data() + crc_at, sizeof(link.crc));
  if (link.name.find('/') != std::string::npos) return std::nullopt;
  return link;
}

bool HasCrc(const std::string& path, std::uint32_t crc) {
  const auto file = MappedFile::Open(path);
  if (!file) return false;
  const auto bytes = file->bytes();
  return ::lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0) == crc;
}

std::string Folder(const std::string& path) {
  return path.substr(0, path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
}

}  // namespace

std::unique_ptr<ElfFile> DebugFileFinder::FindByBuildId(const model::BuildId& id) const {
  const std::string hex = id.Hex();
  if (hex.size() < 4) return nullptr;
  for (const std::string& dir : debug_dirs_) {
    auto found = ElfFile::Open(
        fs_.Path(dir + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug"));
    if (found && (*found)->build_id() == id) return std::move(*found);
  }
  return nullptr;
}

std::unique_ptr<ElfFile> DebugFileFinder::Find(const ElfFile& file, const std::string& path) const {
  const model::BuildId& id = file.build_id();
  if (auto found = FindByBuildId(id)) return found;
  const auto link = ReadDebugLink(file);
  if (!link) return nullptr;
  const std::string folder = Folder(path);
  std::vector<std::string> candidates = {folder + "/" + link->name,
                                         folder + "/.debug/" + link->name};
  for (const std::string& dir : debug_dirs_) {
    candidates.push_back(dir + folder + "/" + link->name);
  }
  for (const std::string& candidate : candidates) {
    if (candidate == path) continue;
    const std::string full = fs_.Path(candidate);
    auto found = ElfFile::Open(full);
    if (!found) continue;
    const bool proven = id.empty() ? (*found)->build_id().empty() && HasCrc(full, link->crc)
                                   : (*found)->build_id() == id;
    if (proven) return std::move(*found);
  }
  return nullptr;
}

std::unique_ptr<ElfFile> DebugFileFinder::FindAlternate(const ElfFile& debug_file) const {
  // A NUL-terminated path, then the build ID of that file.
  const ElfSection* section = debug_file.Find(".gnu_debugaltlink");
  if (section == nullptr) return nullptr;
  const std::string_view bytes = debug_file.Bytes(*section);
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return nullptr;
  const std::string_view id_bytes = bytes.substr(end + 1);
  const model::BuildId id(std::as_bytes(std::span(id_bytes.data(), id_bytes.size())));
  if (id.empty()) return nullptr;
  const std::string name(bytes.substr(0, end));
  // A relative path starts at the file that names it, whose name() has the root already.
  auto found = ElfFile::Open(name.starts_with('/') ? fs_.Path(name)
                                                   : Folder(debug_file.name()) + "/" + name);
  if (found && (*found)->build_id() == id) return std::move(*found);
  return FindByBuildId(id);
}

}  // namespace prof::symbols
