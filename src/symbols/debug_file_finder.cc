// Finds separate debug files and proves that they belong to the program.
#include "symbols/debug_file_finder.h"

#include <fcntl.h>
#include <lzma.h>

#include <cerrno>
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

struct AlternateLink {
  std::string name;
  model::BuildId id;  // empty: no link
};

// A NUL-terminated path, then the build ID of that file.
AlternateLink ReadAlternateLink(const ElfFile& file) {
  const ElfSection* section = file.Find(".gnu_debugaltlink");
  if (section == nullptr) return {};
  const std::string_view bytes = file.Bytes(*section);
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return {};
  const std::string_view id = bytes.substr(end + 1);
  return {std::string(bytes.substr(0, end)),
          model::BuildId(std::as_bytes(std::span(id.data(), id.size())))};
}

std::string Folder(const std::string& path) {
  return path.substr(0, path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
}

}  // namespace

Result<UniqueFd> DebugFileFinder::OpenFile(const std::string& path, const RootDir* root) const {
  if (root != nullptr) return root->OpenFile(path);
  const std::string full = fs_.Path(path);
  UniqueFd fd(::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return FailErrno(errno, full);
  return fd;
}

Result<std::unique_ptr<ElfFile>> DebugFileFinder::OpenElf(const std::string& path,
                                                          const RootDir* root) const {
  PROF_TRY_ASSIGN(UniqueFd fd, OpenFile(path, root));
  return ElfFile::FromFd(std::move(fd), root == nullptr ? fs_.Path(path) : path);
}

bool DebugFileFinder::HasCrc(const std::string& path, const RootDir* root,
                             std::uint32_t crc) const {
  const auto fd = OpenFile(path, root);
  if (!fd) return false;
  const auto file = MappedFile::FromFd(fd->get(), path);
  if (!file) return false;
  const auto bytes = file->bytes();
  return ::lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0) == crc;
}

DebugFile DebugFileFinder::FindByBuildId(const model::BuildId& id, const RootDir* root) const {
  const std::string hex = id.Hex();
  if (hex.size() < 4) return {};
  for (const std::string& dir : debug_dirs_) {
    std::string path = dir + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
    auto found = OpenElf(path, root);
    if (found && (*found)->build_id() == id) return {std::move(*found), std::move(path), root};
  }
  return {};
}

DebugFile DebugFileFinder::FindByLink(const ElfFile& file, const std::string& path,
                                      const RootDir* root) const {
  const model::BuildId& id = file.build_id();
  const auto link = ReadDebugLink(file);
  if (!link) return {};
  const std::string folder = Folder(path);
  std::vector<std::string> candidates = {folder + "/" + link->name,
                                         folder + "/.debug/" + link->name};
  for (const std::string& dir : debug_dirs_) {
    candidates.push_back(dir + folder + "/" + link->name);
  }
  for (std::string& candidate : candidates) {
    if (candidate == path) continue;
    auto found = OpenElf(candidate, root);
    if (!found) continue;
    const bool proven = id.empty()
                            ? (*found)->build_id().empty() && HasCrc(candidate, root, link->crc)
                            : (*found)->build_id() == id;
    if (proven) return {std::move(*found), std::move(candidate), root};
  }
  return {};
}

DebugFile DebugFileFinder::Find(const ElfFile& file, const std::string& path,
                                const RootDir* root) const {
  for (const RootDir* place : {root, static_cast<const RootDir*>(nullptr)}) {
    if (auto found = FindByBuildId(file.build_id(), place); found.file != nullptr) return found;
    if (auto found = FindByLink(file, path, place); found.file != nullptr) return found;
    if (place == nullptr) break;
  }
  return {};
}

model::BuildId DebugFileFinder::AlternateId(const ElfFile& debug_file) {
  return ReadAlternateLink(debug_file).id;
}

std::unique_ptr<ElfFile> DebugFileFinder::FindAlternate(const ElfFile& debug_file,
                                                        const std::string& path,
                                                        const RootDir* root) const {
  const auto [name, id] = ReadAlternateLink(debug_file);
  if (id.empty()) return nullptr;
  // A relative path starts at the file that names it.
  const std::string full = name.starts_with('/') ? name : Folder(path) + "/" + name;
  auto found = OpenElf(full, root);
  if (found && (*found)->build_id() == id) return std::move(*found);
  auto by_id = FindByBuildId(id, root);
  if (by_id.file == nullptr && root != nullptr) by_id = FindByBuildId(id, nullptr);
  return std::move(by_id.file);
}

}  // namespace prof::symbols
