// Checks every offset and size of a perf.data file before it follows it.
#include "support/perf_data.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "prof/base/byte_reader.h"

namespace prof::test {

namespace {

constexpr std::string_view kMagic = "PERFILE2";
constexpr std::uint32_t kFirstOfPerfItself = 64;  // PERF_RECORD_USER_TYPE_START
constexpr std::uint32_t kCompressed = 81;         // PERF_RECORD_COMPRESSED
constexpr std::uint32_t kAuxTrace = 71;           // its data follow the record

std::uint64_t TimeOf(const perf::DecodedRecord& record) {
  return std::visit(
      [](const auto& r) -> std::uint64_t {
        if constexpr (requires { r.id.time_ns; }) return r.id.time_ns;
        return 0;
      },
      record);
}

}  // namespace

Result<PerfData> PerfData::Open(const std::string& path) {
  PerfData data;
  data.path_ = path;
  PROF_TRY_ASSIGN(data.file_, MappedFile::Open(path));
  ByteReader reader(data.file_.bytes());
  const auto magic = reader.Bytes(kMagic.size());
  if (!reader.ok() || std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) {
    return Fail(ErrorKind::kBadData, path + ": not a perf.data file of this byte order");
  }
  const std::uint64_t header_size = reader.U64();
  const std::uint64_t entry_size = reader.U64();
  const std::uint64_t attrs_offset = reader.U64();
  const std::uint64_t attrs_size = reader.U64();
  const std::uint64_t data_offset = reader.U64();
  const std::uint64_t data_size = reader.U64();
  if (!reader.ok()) return Fail(ErrorKind::kBadData, path + ": the header is cut short");
  if (header_size < reader.position()) {
    return Fail(ErrorKind::kUnsupported, path + ": recorded through a pipe");
  }
  PROF_TRY(data.ReadEvents(attrs_offset, attrs_size, entry_size));
  PROF_TRY(data.ReadRecords(data_offset, data_size));
  return data;
}

Result<std::span<const std::byte>> PerfData::Bytes(std::uint64_t offset, std::uint64_t size,
                                                   std::string_view what) const {
  const auto bytes = file_.bytes();
  if (offset > bytes.size() || bytes.size() - offset < size) {
    return Fail(ErrorKind::kBadData, path_ + ": " + std::string(what) + " lie outside the file");
  }
  return bytes.subspan(offset, size);
}

// Each entry is a perf_event_attr of the recording perf's size, then where the event's ids are.
Status PerfData::ReadEvents(std::uint64_t offset, std::uint64_t size, std::uint64_t entry_size) {
  constexpr std::uint64_t kIdsField = 16;
  if (entry_size < PERF_ATTR_SIZE_VER0 + kIdsField || size % entry_size != 0 || size == 0) {
    return Fail(ErrorKind::kBadData, path_ + ": event descriptions of an impossible size");
  }
  PROF_TRY_ASSIGN(const auto entries, Bytes(offset, size, "the event descriptions"));
  for (std::uint64_t at = 0; at < size; at += entry_size) {
    const auto entry = entries.subspan(at, entry_size);
    const auto attr = entry.first(entry_size - kIdsField);
    Event event;
    std::memcpy(&event.attr, attr.data(), std::min(attr.size(), sizeof event.attr));
    event.layout = perf::RecordLayout::Of(event.attr);
    ByteReader section(entry.last(kIdsField));
    const std::uint64_t ids_offset = section.U64();
    const std::uint64_t ids_size = section.U64();
    PROF_TRY_ASSIGN(const auto ids, Bytes(ids_offset, ids_size, "event ids"));
    ByteReader reader(ids);
    while (reader.remaining() >= sizeof(std::uint64_t)) {
      event.ids.push_back(reader.U64());
      event_of_id_[event.ids.back()] = events_.size();
    }
    events_.push_back(std::move(event));
  }
  return {};
}

Status PerfData::ReadRecords(std::uint64_t offset, std::uint64_t size) {
  PROF_TRY_ASSIGN(const auto data, Bytes(offset, size, "the records"));
  // The decoder wants records at multiples of 8, as the kernel and perf write them.
  if (reinterpret_cast<std::uintptr_t>(data.data()) % 8 != 0) {
    return Fail(ErrorKind::kUnsupported, path_ + ": records at odd places");
  }
  std::uint64_t at = 0;
  while (at < size) {
    perf_event_header header{};
    if (size - at < sizeof header) break;
    std::memcpy(&header, data.data() + at, sizeof header);
    if (header.size < sizeof header || header.size % 8 != 0 || header.size > size - at) break;
    if (header.type == kCompressed) {
      return Fail(ErrorKind::kUnsupported, path_ + ": compressed records", "record without -z");
    }
    if (header.type == kAuxTrace) {
      return Fail(ErrorKind::kUnsupported, path_ + ": holds a hardware trace");
    }
    if (header.type >= kFirstOfPerfItself) {
      ++skipped_[header.type];
    } else {
      Add(data.subspan(at, header.size));
    }
    at += header.size;
  }
  if (at != size) return Fail(ErrorKind::kBadData, path_ + ": a record is cut short");
  std::ranges::sort(records_, {}, [](const Record& record) {
    return std::pair(record.time_ns, record.bytes.data());  // in the file's order where equal
  });
  return {};
}

void PerfData::Add(std::span<const std::byte> bytes) {
  const auto event = EventOf(bytes);
  const auto decoded = event ? perf::Decode(bytes, events_[*event].layout) : std::nullopt;
  if (!decoded) {
    ++malformed_;
    return;
  }
  records_.push_back({bytes, TimeOf(*decoded), *event});
}

// With PERF_SAMPLE_IDENTIFIER the event's id is the first word of a sample and the last of others.
std::optional<std::size_t> PerfData::EventOf(std::span<const std::byte> bytes) const {
  if (events_.size() == 1) return 0;
  if ((events_[0].layout.sample_type & PERF_SAMPLE_IDENTIFIER) == 0) return std::nullopt;
  perf_event_header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (bytes.size() < sizeof header + sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t id = 0;
  const std::size_t place =
      header.type == PERF_RECORD_SAMPLE ? sizeof header : bytes.size() - sizeof id;
  std::memcpy(&id, bytes.data() + place, sizeof id);
  // What perf wrote for processes that were there already belongs to no event.
  if (id == 0 && header.type != PERF_RECORD_SAMPLE) return 0;
  const auto found = event_of_id_.find(id);
  return found == event_of_id_.end() ? std::nullopt : std::optional(found->second);
}

perf::DecodedRecord PerfData::Decode(const Record& record) const {
  return *perf::Decode(record.bytes, events_[record.event].layout);
}

}  // namespace prof::test
