// Parses /proc/kallsyms into a compact sorted block.
#include "symbols/kallsyms.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "symbols/kallsyms_cache.h"
#include "symbols/symbol_match.h"

#include "prof/base/unique_fd.h"

namespace prof::symbols {

// "ffffffff81000000 T _stext" or "ffffffffc0000000 t xfs_open\t[xfs]".
struct Kallsyms::Entry {
  std::uint64_t start = 0;
  std::uint32_t name = 0;  // offsets of NUL-terminated strings in the text; 0: the empty string
  std::uint32_t module = 0;
};

namespace {

constexpr std::uint64_t kPageBytes = 4096;
// So many lines with address zero at the beginning mean kptr_restrict; kernels without it begin
// with at most a few symbols of the per-CPU area at zero.
constexpr std::size_t kHiddenLines = 4096;

struct Line {
  std::uint64_t address = 0;
  char type = 0;
  std::string_view name;
  std::string_view module;
};

// Splits off the first line of `text`; false for a malformed one.
bool TakeLine(std::string_view& text, Line& line) {
  const void* newline = std::memchr(text.data(), '\n', text.size());
  const std::size_t size =
      newline == nullptr
          ? text.size()
          : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data());
  std::string_view rest = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  std::uint64_t address = 0;
  std::size_t at = 0;
  for (; at < rest.size() && at <= 16; ++at) {
    const char c = rest[at];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    address = address << 4 | static_cast<std::uint64_t>(digit);
  }
  if (at == 0 || at > 16 || rest.size() < at + 4 || rest[at] != ' ' || rest[at + 2] != ' ') {
    return false;
  }
  line.address = address;
  line.type = rest[at + 1];
  rest.remove_prefix(at + 3);
  const std::size_t tab = rest.find('\t');
  line.name = rest.substr(0, tab);
  line.module = tab == std::string_view::npos ? std::string_view() : rest.substr(tab + 1);
  return !line.name.empty();
}

bool IsText(char type) { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }

std::unexpected<Error> FailHidden() {
  return Fail(ErrorKind::kPermission,
              "kernel addresses are hidden; sudo sysctl kernel.kptr_restrict=0 shows them",
              "sudo sysctl kernel.kptr_restrict=0");
}

// Fails when the beginning of the file has addresses of zero only: the rest would be no better, and
// the kernel takes 50 ms to write it.
Status CheckVisible(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return FailErrno(errno, path);
  std::string start(1 << 16, '\0');
  const ssize_t size = ::read(fd.get(), start.data(), start.size());
  if (size < 0) return FailErrno(errno, path);
  std::string_view text = std::string_view(start).substr(0, static_cast<std::size_t>(size));
  text = text.substr(0, text.rfind('\n') + 1);
  bool any = false;
  for (Line line; !text.empty();) {
    if (!TakeLine(text, line)) continue;
    if (line.address != 0) return {};
    any = true;
  }
  if (any) return FailHidden();
  return {};
}

Symbol AsSymbol(const Line& line) {
  const bool weak = line.type == 'w' || line.type == 'W';
  return {.start = line.address,
          .binding = weak               ? Binding::kWeak
                     : line.type == 'T' ? Binding::kGlobal
                                        : Binding::kLocal,
          .name = line.name};
}

}  // namespace

Result<Kallsyms> Kallsyms::Parse(std::string_view text) {
  std::vector<Line> lines;
  lines.reserve(text.size() / 48);
  bool hidden = !text.empty();
  std::size_t seen = 0;
  for (Line line; !text.empty();) {
    if (!TakeLine(text, line)) continue;
    hidden = hidden && line.address == 0;
    if (hidden && ++seen > kHiddenLines) break;
    if (line.address != 0 && IsText(line.type)) lines.push_back(line);
  }
  if (hidden && seen > 0) {
    return FailHidden();
  }
  if (lines.empty()) return Fail(ErrorKind::kBadData, "kallsyms has no text symbols");
  // The place in the text decides between equals, so that the result does not depend on the sort.
  std::ranges::sort(lines, {},
                    [](const Line& line) { return std::pair(line.address, line.name.data()); });

  std::vector<Entry> entries;
  entries.reserve(lines.size());
  std::string strings(1, '\0');
  std::unordered_map<std::string_view, std::uint32_t> modules{{{}, 0}};
  for (std::size_t i = 0; i < lines.size();) {
    const Line* best = &lines[i];
    for (const std::uint64_t address = best->address;
         i < lines.size() && lines[i].address == address; ++i) {
      if (IsBetterSymbol(AsSymbol(lines[i]), AsSymbol(*best))) best = &lines[i];
    }
    auto append = [&strings](std::string_view name) {
      const auto offset = static_cast<std::uint32_t>(strings.size());
      strings.append(name).push_back('\0');
      return offset;
    };
    auto module = modules.find(best->module);
    if (module == modules.end()) module = modules.emplace(best->module, append(best->module)).first;
    entries.push_back({best->address, append(best->name), module->second});
  }
  const std::uint64_t count = entries.size();
  Kallsyms result;
  result.memory_.resize(sizeof(count) + count * sizeof(Entry) + strings.size());
  std::byte* out = result.memory_.data();
  std::memcpy(out, &count, sizeof(count));
  std::memcpy(out + sizeof(count), entries.data(), count * sizeof(Entry));
  std::memcpy(out + sizeof(count) + count * sizeof(Entry), strings.data(), strings.size());
  PROF_CHECK(result.Attach(result.memory_));
  return result;
}

bool Kallsyms::Attach(std::span<const std::byte> block) {
  std::uint64_t count = 0;
  if (block.size() < sizeof(count)) return false;
  std::memcpy(&count, block.data(), sizeof(count));
  block = block.subspan(sizeof(count));
  if (count == 0 || count > block.size() / sizeof(Entry)) return false;
  count_ = static_cast<std::size_t>(count);
  entries_ = block.first(count_ * sizeof(Entry));
  const auto text = block.subspan(entries_.size());
  text_ = {reinterpret_cast<const char*>(text.data()), text.size()};
  return !text_.empty() && text_.back() == '\0';
}

std::string_view Kallsyms::Text(std::uint32_t offset) const {
  if (offset >= text_.size()) return {};
  return text_.data() + offset;  // the text ends with NUL
}

KernelSymbol Kallsyms::At(std::size_t index) const {
  Entry entry;
  std::memcpy(&entry, entries_.data() + index * sizeof(Entry), sizeof(Entry));
  return {.start = entry.start, .name = Text(entry.name), .module = Text(entry.module)};
}

KernelSymbol Kallsyms::Find(std::uint64_t address, std::string_view module) const {
  const KernelSymbol symbol = FindAny(address);
  return symbol.module == module ? symbol : KernelSymbol();
}

std::uint64_t Kallsyms::AddressOf(std::string_view name) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const KernelSymbol symbol = At(i);
    if (symbol.module.empty() && symbol.name == name) return symbol.start;
  }
  return 0;
}

KernelSymbol Kallsyms::FindAny(std::uint64_t address) const {
  std::size_t low = 0;
  for (std::size_t high = count_; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (At(middle).start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return {};
  KernelSymbol symbol = At(low - 1);
  // The last symbol of a module or of the kernel has no successor to end at; perf too gives it the
  // rest of its page.
  std::uint64_t end = (symbol.start / kPageBytes + 1) * kPageBytes;
  if (low < count_) {
    const KernelSymbol next = At(low);
    if (next.module == symbol.module || next.start < end) end = next.start;
  }
  if (address >= end) return {};
  symbol.size = end - symbol.start;
  return symbol;
}

Result<Kallsyms> Kallsyms::Load(const KallsymsSource& source, bool fresh) {
  if (!source.file.empty()) {
    PROF_TRY_ASSIGN(const std::string text, HostFs().ReadFile(source.file));
    return Parse(text);
  }
  const KallsymsCache cache(source.fs, source.cache_dir);
  if (!fresh) {
    if (auto cached = cache.Load()) return std::move(*cached);
  }
  PROF_TRY(CheckVisible(source.fs.Path("/proc/kallsyms")));
  PROF_TRY_ASSIGN(const std::string text, source.fs.ReadFile("/proc/kallsyms"));
  PROF_TRY_ASSIGN(Kallsyms parsed, Parse(text));
  if (!fresh) cache.Store(parsed);
  return parsed;
}

}  // namespace prof::symbols
