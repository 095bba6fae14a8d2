// Indexes jitdump files and reads single functions out of them.
#include "symbols/jit_dump.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "prof/base/byte_reader.h"

namespace prof::symbols {
namespace {

static_assert(std::endian::native == std::endian::little);  // as ByteReader reads

constexpr std::uint32_t kMagic = 0x4a695444;  // "JiTD" as a number
constexpr std::uint32_t kSwappedMagic = 0x4454694a;
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 40;
constexpr std::size_t kPrefixBytes = 16;  // of each record
constexpr std::size_t kLoadBytes = 56;    // of a load before its name
constexpr std::size_t kMoveBytes = 64;
constexpr std::size_t kDebugBytes = 32;  // of debug information before its entries

enum RecordId : std::uint32_t { kLoad = 0, kMove = 1, kDebugInfo = 2 };

constexpr std::size_t kPieceBytes = 256 << 10;
constexpr std::size_t kMaxNameBytes = 64 << 10;
constexpr std::size_t kMaxDebugBytes = 4 << 20;  // of one function
// Debug information comes right before its load, or with few records of other threads between.
constexpr std::size_t kMaxPendingDebug = 1 << 12;

// V8 adds this to all addresses of lines, as `perf inject` puts the code behind an ELF header
// (v8/src/diagnostics/perf-jit.cc).
constexpr std::uint64_t kElfHeaderShift = 0x40;
constexpr std::size_t kShiftProbes = 64;  // functions looked at to see whether this JIT does

#if defined(__x86_64__)
constexpr std::uint16_t kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kOwnMachine = EM_AARCH64;
#else
constexpr std::uint16_t kOwnMachine = EM_NONE;
#endif

bool IsRange(std::uint64_t start, std::uint64_t size) {
  return size != 0 && size <= ~std::uint64_t{0} - start;
}

// The path of a source: module scripts of JavaScript are URLs.
std::string_view PathOf(std::string_view name) {
  constexpr std::string_view kFileUrl = "file://";
  if (name.starts_with("file:///")) name.remove_prefix(kFileUrl.size());
  return name;
}

}  // namespace

std::span<const std::byte> JitDump::Window::At(std::uint64_t offset, std::size_t size) {
  const bool held = offset >= begin_ && offset - begin_ <= bytes_.size() &&
                    size <= bytes_.size() - (offset - begin_);
  if (!held) {
    bytes_.resize(std::max(size, kPieceBytes));
    begin_ = offset;
    std::size_t got = 0;
    while (got < bytes_.size() && offset + got <= std::uint64_t{INT64_MAX}) {
      const ssize_t count =
          ::pread(fd_, bytes_.data() + got, bytes_.size() - got, static_cast<off_t>(offset + got));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      got += static_cast<std::size_t>(count);
    }
    bytes_.resize(got);
  }
  const auto rest = std::span(bytes_).subspan(static_cast<std::size_t>(offset - begin_));
  return rest.first(std::min(size, rest.size()));
}

Result<JitDump> JitDump::Open(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return FailErrno(errno, "jitdump");
  if (!S_ISREG(status.st_mode)) return Fail(ErrorKind::kBadData, "jitdump: not a regular file");
  JitDump dump(fd);
  PROF_TRY(dump.ReadHeader());
  dump.ReadIndex();
  return dump;
}

Status JitDump::ReadHeader() {
  ByteReader in(window_.At(0, kHeaderBytes));
  const std::uint32_t magic = in.U32();
  const std::uint32_t version = in.U32();
  const std::uint32_t header_bytes = in.U32();
  const std::uint32_t machine = in.U32();
  in.U32();  // padding
  const std::uint32_t pid = in.U32();
  in.U64();  // time
  in.U64();  // flags: whether times are those of the CPU, which only perf needs to know
  if (magic == kSwappedMagic) {
    return Fail(ErrorKind::kUnsupported, "jitdump: written in the other byte order");
  }
  if (magic != kMagic || !in.ok() || header_bytes < kHeaderBytes) {
    return Fail(ErrorKind::kBadData, "jitdump: no header of a jitdump file");
  }
  name_ = fmt::format("jit-{}.dump", pid);
  if (version != kVersion) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: jitdump version {}, known is {}", name_, version, kVersion));
  }
  // CPython writes no machine; the code ran on this one.
  machine_.number =
      machine == 0 || machine > 0xffff ? kOwnMachine : static_cast<std::uint16_t>(machine);
  machine_.is_64 = machine_.number != EM_386 && machine_.number != EM_ARM;
  first_record_ = header_bytes;
  return {};
}

void JitDump::ReadIndex() {
  std::unordered_map<std::uint64_t, std::uint64_t> debug_of;  // code address, file offset
  std::vector<std::size_t> moves;
  std::uint64_t at = first_record_;
  for (;;) {
    const auto head = window_.At(at, kMoveBytes);
    if (head.size() < kPrefixBytes) break;
    ByteReader in(head);
    const std::uint32_t id = in.U32();
    const std::uint32_t bytes = in.U32();
    JitLoad load{.time_ns = in.U64(), .record = at};
    if (bytes < kPrefixBytes) {
      problem_ = fmt::format("{} is broken behind {} bytes", name_, at);
      break;
    }
    if (id == kDebugInfo && bytes >= kDebugBytes) {
      if (debug_of.size() >= kMaxPendingDebug) debug_of.clear();
      const std::uint64_t address = in.U64();
      if (in.ok()) debug_of[address] = at;
    } else if ((id == kLoad && bytes > kLoadBytes) || (id == kMove && bytes >= kMoveBytes)) {
      in.U64();  // pid, tid
      in.U64();  // vma: the same as the code address for all that run their code where it is
      if (id == kMove) load.loaded_at = in.U64();
      load.start = in.U64();
      load.size = in.U64();
      load.code_index = in.U64();
      if (!in.ok()) break;  // being written
      if (id == kLoad) {
        load.loaded_at = load.start;
        if (const auto debug = debug_of.extract(load.start)) load.debug_info = debug.mapped();
      }
      if (loads_.size() == kMaxLoads) {
        problem_ = fmt::format("{} has more than {} functions: later ones are not known", name_,
                               kMaxLoads);
        break;
      }
      if (IsRange(load.start, load.size)) {
        if (id == kMove) moves.push_back(loads_.size());
        loads_.push_back(load);
      }
    }
    at += bytes;
  }
  FollowMoves(moves);
}

// A move names what it moved by the index of the function's code: the newest record before it with
// that index is where name, lines and bytes are.
void JitDump::FollowMoves(std::span<const std::size_t> moves) {
  if (moves.empty()) return;
  std::vector<std::size_t> order(loads_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [this](std::size_t i) { return std::pair(loads_[i].code_index, i); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    JitLoad& load = loads_[order[i]];
    if (!std::ranges::binary_search(moves, order[i])) continue;
    const JitLoad* from = i == 0 ? nullptr : &loads_[order[i - 1]];
    if (from == nullptr || from->code_index != load.code_index || from->size == 0) {
      load.size = 0;
      continue;
    }
    load.size = std::min(load.size, from->size);
    load.loaded_at = from->loaded_at;
    load.record = from->record;
    load.debug_info = from->debug_info;
  }
}

std::vector<const JitLoad*> JitDump::Find(std::span<const model::FileAddr> wanted) const {
  std::vector<const JitLoad*> found(wanted.size());
  // next[i]: the first address from i on that no load covers yet, or one on the way to it.
  std::vector<std::size_t> next(wanted.size() + 1);
  std::iota(next.begin(), next.end(), std::size_t{0});
  const auto first_open = [&next](std::size_t i) {
    while (next[i] != i) i = next[i] = next[next[i]];
    return i;
  };
  // Newest first, so that each address is settled once.
  for (std::size_t n = loads_.size(); n > 0; --n) {
    const JitLoad& load = loads_[n - 1];
    const auto at = std::ranges::lower_bound(wanted, model::FileAddr{load.start});
    std::size_t i = first_open(static_cast<std::size_t>(at - wanted.begin()));
    while (i < wanted.size() && wanted[i].value - load.start < load.size) {
      found[i] = &load;
      next[i] = i + 1;
      i = first_open(i + 1);
    }
  }
  return found;
}

std::vector<const JitLoad*> JitDump::FindFunctions(std::span<const FunctionRange> functions) {
  std::vector<const JitLoad*> found(functions.size());
  for (std::size_t n = loads_.size(); n > 0; --n) {
    const JitLoad& load = loads_[n - 1];
    const auto same_start =
        std::ranges::equal_range(functions, model::FileAddr{load.start}, {}, &FunctionRange::start);
    for (const FunctionRange& function : same_start) {
      const JitLoad*& slot = found[static_cast<std::size_t>(&function - functions.data())];
      if (slot == nullptr && load.size == function.size && NameOf(load) == function.name) {
        slot = &load;
      }
    }
  }
  return found;
}

std::string JitDump::NameOf(const JitLoad& load) {
  ByteReader prefix(window_.At(load.record, kPrefixBytes));
  prefix.U32();  // id
  const std::uint32_t bytes = prefix.U32();
  if (!prefix.ok() || bytes < kLoadBytes) return {};
  ByteReader in(window_.At(load.record + kLoadBytes,
                           std::min<std::size_t>(bytes - kLoadBytes, kMaxNameBytes)));
  return std::string(in.CString());
}

std::vector<std::byte> JitDump::CodeOf(const JitLoad& load) {
  const std::string name = NameOf(load);
  ByteReader prefix(window_.At(load.record, kPrefixBytes));
  prefix.U32();  // id
  const std::uint32_t bytes = prefix.U32();
  const std::size_t before = kLoadBytes + name.size() + 1;
  if (name.empty() || !prefix.ok() || bytes < before) return {};
  const std::uint64_t size =
      std::min({load.size, std::uint64_t{bytes - before}, model::kMaxFunctionBytes});
  const auto code = window_.At(load.record + before, static_cast<std::size_t>(size));
  return {code.begin(), code.end()};
}

// Nothing when any of it is broken: V8 writes rubbish for some functions, whose addresses give it
// away.
std::optional<JitDump::RawLines> JitDump::ReadLines(const JitLoad& load) {
  ByteReader prefix(window_.At(load.debug_info, kDebugBytes));
  prefix.U32();  // id
  const std::uint32_t bytes = prefix.U32();
  prefix.U64();  // time
  prefix.U64();  // code address
  const std::uint64_t count = prefix.U64();
  if (!prefix.ok() || bytes < kDebugBytes || bytes - kDebugBytes > kMaxDebugBytes) return {};
  ByteReader in(window_.At(load.debug_info + kDebugBytes, bytes - kDebugBytes));
  RawLines lines;
  std::unordered_map<std::string_view, std::uint32_t> files;
  std::uint32_t file = model::kNoFile;
  for (std::uint64_t i = 0; i < count; ++i) {
    RawLine row{.address = in.U64()};
    row.line = in.U32();
    in.U32();  // column or discriminator
    const std::string_view name = in.CString();
    const std::uint64_t offset = row.address - load.loaded_at;
    if (!in.ok() || offset > load.size + kElfHeaderShift) return {};
    if (name != "\xff") {  // else the file of the entry before
      const std::string_view path = PathOf(name);
      const auto [entry, added] =
          files.try_emplace(path, static_cast<std::uint32_t>(lines.files.size()));
      if (added) lines.files.emplace_back(path);
      file = entry->second;
    }
    row.file = file;
    lines.rows.push_back(row);
  }
  return lines;
}

// Whether this JIT counts an ELF header into the addresses of lines: then not one of its functions
// has a line on its first bytes.
std::uint64_t JitDump::LineShift() {
  if (line_shift_) return *line_shift_;
  bool any = false;
  bool early = false;
  std::size_t probes = 0;
  for (std::size_t i = 0; i < loads_.size() && probes < kShiftProbes && !early; ++i) {
    if (loads_[i].debug_info == 0 || loads_[i].size == 0) continue;
    ++probes;
    const auto lines = ReadLines(loads_[i]);
    if (!lines) continue;
    for (const RawLine& row : lines->rows) {
      any = true;
      early |= row.address - loads_[i].loaded_at < kElfHeaderShift;
    }
  }
  line_shift_ = any && !early ? kElfHeaderShift : 0;
  return *line_shift_;
}

JitDump::Lines JitDump::LinesOf(const JitLoad& load) {
  if (load.debug_info == 0) return {};
  const std::uint64_t shift = LineShift();
  auto raw = ReadLines(load);
  if (!raw) return {};
  // The last of several rows of one address counts.
  std::vector<std::size_t> order(raw->rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(raw->rows[i].address, i); });
  Lines lines{.files = std::move(raw->files), .rows = {}};
  for (const std::size_t i : order) {
    const RawLine& row = raw->rows[i];
    const std::uint64_t offset = row.address - load.loaded_at - shift;
    if (offset >= load.size) continue;  // the end of the function
    const model::CodeLine line{{load.start + offset}, row.file, row.line};
    if (!lines.rows.empty() && lines.rows.back().address == line.address) lines.rows.pop_back();
    lines.rows.push_back(line);
  }
  return lines;
}

}  // namespace prof::symbols
