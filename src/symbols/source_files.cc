#include "prof/symbols/source_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "prof/base/checksum.h"
#include "prof/base/unique_fd.h"

namespace prof::symbols {
namespace {

// "/a/b/c" without so many folders: "/b/c" with 1, "/c" with 2. Empty when there are fewer.
std::string_view WithoutFolders(std::string_view path, std::uint32_t count) {
  for (; count > 0; --count) {
    const std::size_t name = path.find_first_not_of('/');
    const std::size_t slash = name == std::string_view::npos ? name : path.find('/', name);
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash);
  }
  return path;
}

// A place to look at: below the target's root, or in this file system.
struct Place {
  std::string path;
  bool in_root = false;
};

std::vector<Place> PlacesOf(const SourceOptions& options, const std::string& path, bool has_root) {
  std::vector<Place> places;
  for (const std::string& folder : options.folders) {
    for (std::string_view rest = path; !rest.empty(); rest = WithoutFolders(rest, 1)) {
      const std::size_t name = rest.find_first_not_of('/');
      if (name == std::string_view::npos) break;
      places.push_back({folder + "/" + std::string(rest.substr(name)), false});
    }
  }
  if (!path.starts_with('/')) return places;
  if (options.strip_folders > 0 || !options.prefix.empty()) {
    const std::string_view rest = WithoutFolders(path, options.strip_folders);
    if (!rest.empty()) places.push_back({options.prefix + std::string(rest), false});
  }
  if (has_root) places.push_back({path, true});
  places.push_back({path, false});
  return places;
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Result<SourceText> ReadText(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return FailErrno(errno, path);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorKind::kBadData, path + ": not a regular file");
  const auto too_large = [&path] {
    return Fail(ErrorKind::kBadData, path + ": too large for a source file");
  };
  if (static_cast<std::uint64_t>(status.st_size) > kMaxSourceBytes) return too_large();
  constexpr std::size_t kStep = 1 << 14;
  std::string text;
  text.reserve(static_cast<std::size_t>(status.st_size) + kStep);
  for (;;) {
    const std::size_t used = text.size();
    text.resize(used + kStep);
    const ssize_t got = ::read(fd, text.data() + used, text.size() - used);
    text.resize(used + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno(errno, path);
    if (got == 0) break;
    if (text.size() > kMaxSourceBytes) return too_large();  // it grew
  }
  return SourceText{.found_at = path,
                    .lines = LinesOf(text),
                    .bytes = text.size(),
                    .checksum = Crc32c(std::as_bytes(std::span(text))),
                    .modified_s = status.st_mtim.tv_sec};
}

}  // namespace

Result<SourceText> ReadSource(const SourceOptions& options, const std::string& path,
                              const RootDir* root) {
  // Of all places the first error that is more than a missing file.
  Error failure{ErrorKind::kNotFound, path + ": no such source file",
                "--source-path names the folder that has it"};
  for (const Place& place : PlacesOf(options, path, root != nullptr)) {
    Result<UniqueFd> fd;
    if (place.in_root) {
      fd = root->OpenFile(place.path);
    } else {
      const std::string full = options.fs.Path(place.path);
      fd = UniqueFd(::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
      if (!fd->valid()) fd = FailErrno(errno, place.path);
    }
    auto text = fd ? ReadText(fd->get(), place.path) : std::unexpected(fd.error());
    if (text) return text;
    if (failure.kind == ErrorKind::kNotFound && text.error().kind != ErrorKind::kNotFound) {
      failure = std::move(text).error();
    }
  }
  return std::unexpected(std::move(failure));
}

}  // namespace prof::symbols
