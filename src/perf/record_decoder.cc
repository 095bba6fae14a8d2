// Decodes PERF_RECORD_* bytes other than samples, and dispatches on the record type.
#include "prof/perf/record_decoder.h"

#include <sys/mman.h>

#include <bit>
#include <cstring>

#include "perf/record_fields.h"

namespace prof::perf {
namespace {

// Types from here on are made by the perf tool for its files, not by the kernel.
constexpr std::uint32_t kFirstToolType = 64;

// One record being decoded: the body without header and trailer, and what both of them say.
struct Body {
  ByteReader reader;
  SampleId id;
  std::uint16_t misc = 0;
  const RecordLayout& layout;
};
using Decoded = std::optional<DecodedRecord>;

template <class T>
T Begin(const Body& body) {
  T record;
  record.id = body.id;
  return record;
}

// What has been read counts only if the record was long enough for it.
template <class T>
Decoded Checked(const Body& body, T record) {
  if (!body.reader.ok()) return std::nullopt;
  return record;
}

// struct { header; u32 pid, tid; u64 addr, len, pgoff; char filename[]; sample_id }
Decoded DecodeMmap(Body& body) {
  auto record = Begin<MmapRecord>(body);
  record.pid = body.reader.U32();
  record.tid = body.reader.U32();
  record.start = body.reader.U64();
  record.length = body.reader.U64();
  record.file_offset = body.reader.U64();
  record.executable = (body.misc & PERF_RECORD_MISC_MMAP_DATA) == 0;
  record.path = PaddedString(body.reader);
  return Checked(body, record);
}

// As MMAP, with between pgoff and filename: union { { u32 maj, min; u64 ino, ino_generation; },
// { u8 build_id_size, reserved; u16 reserved; u8 build_id[20]; } }; u32 prot, flags.
Decoded DecodeMmap2(Body& body) {
  auto record = Begin<MmapRecord>(body);
  ByteReader& reader = body.reader;
  record.pid = reader.U32();
  record.tid = reader.U32();
  record.start = reader.U64();
  record.length = reader.U64();
  record.file_offset = reader.U64();
  if ((body.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0) {
    const std::uint8_t size = reader.U8();
    reader.Skip(3);
    const auto bytes = reader.Bytes(model::BuildId::kMaxBytes);
    if (size > bytes.size()) return std::nullopt;
    record.build_id = model::BuildId(bytes.first(size));
  } else {
    record.has_inode = true;
    record.device_major = reader.U32();
    record.device_minor = reader.U32();
    record.inode = reader.U64();
    record.inode_generation = reader.U64();
  }
  record.protection = reader.U32();
  reader.Skip(sizeof(std::uint32_t));  // flags: MAP_*
  record.executable = (record.protection & PROT_EXEC) != 0;
  record.path = PaddedString(reader);
  return Checked(body, record);
}

// struct { header; u32 pid, tid; char comm[]; sample_id }
Decoded DecodeComm(Body& body) {
  auto record = Begin<CommRecord>(body);
  record.pid = body.reader.U32();
  record.tid = body.reader.U32();
  record.exec = (body.misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
  record.comm = PaddedString(body.reader);
  return Checked(body, record);
}

// struct { header; u32 pid, ppid, tid, ptid; u64 time; sample_id }, both FORK and EXIT
template <class T>
Decoded DecodeTask(Body& body) {
  auto record = Begin<T>(body);
  record.pid = body.reader.U32();
  record.parent_pid = body.reader.U32();
  record.tid = body.reader.U32();
  record.parent_tid = body.reader.U32();
  record.time_ns = body.reader.U64();
  return Checked(body, record);
}

// LOST: struct { header; u64 id, lost; sample_id }; LOST_SAMPLES has no id of its own.
Decoded DecodeLost(Body& body, bool has_id) {
  auto record = Begin<LostRecord>(body);
  record.event_id = has_id ? body.reader.U64() : body.id.id;
  record.count = body.reader.U64();
  return Checked(body, record);
}

// struct { header; u64 time, id, stream_id; sample_id }
Decoded DecodeThrottle(Body& body, bool throttled) {
  auto record = Begin<ThrottleRecord>(body);
  record.throttled = throttled;
  record.time_ns = body.reader.U64();
  record.event_id = body.reader.U64();
  record.stream_id = body.reader.U64();
  return Checked(body, record);
}

// struct { header; u32 pid, tid; struct read_format values; sample_id }
Decoded DecodeRead(Body& body) {
  auto record = Begin<ReadRecord>(body);
  record.pid = body.reader.U32();
  record.tid = body.reader.U32();
  record.read_values = ReadFormatWords(body.reader, body.layout.read_format);
  const auto first = FirstCounter(record.read_values, body.layout.read_format);
  if (!first) return std::nullopt;
  record.enabled_ns = first->enabled_ns;
  record.running_ns = first->running_ns;
  record.value = first->counter.value;
  record.event_id = first->counter.id;
  record.lost = first->counter.lost;
  return Checked(body, record);
}

// SWITCH: struct { header; sample_id }; SWITCH_CPU_WIDE adds u32 next_prev_pid, next_prev_tid.
Decoded DecodeSwitch(Body& body, bool cpu_wide) {
  auto record = Begin<SwitchRecord>(body);
  record.out = (body.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
  record.preempted = (body.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
  if (cpu_wide) {
    record.other_pid = body.reader.U32();
    record.other_tid = body.reader.U32();
  }
  return Checked(body, record);
}

// struct { header; u32 pid, tid; u64 nr_namespaces; { u64 dev, inode; }[nr_namespaces]; sample_id }
Decoded DecodeNamespaces(Body& body) {
  auto record = Begin<NamespacesRecord>(body);
  record.pid = body.reader.U32();
  record.tid = body.reader.U32();
  const std::uint64_t count = body.reader.U64();
  if (count > body.reader.remaining() / sizeof(perf_ns_link_info)) return std::nullopt;
  record.links = body.reader.Bytes(count * sizeof(perf_ns_link_info));
  return Checked(body, record);
}

// struct { header; u64 addr; u32 len; u16 ksym_type, flags; char name[]; sample_id }
Decoded DecodeKsymbol(Body& body) {
  auto record = Begin<KsymbolRecord>(body);
  record.address = body.reader.U64();
  record.length = body.reader.U32();
  record.type = body.reader.U16();
  record.unregister = (body.reader.U16() & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0;
  record.name = PaddedString(body.reader);
  return Checked(body, record);
}

Decoded DecodeBody(std::uint32_t type, Body& body) {
  switch (type) {
    case PERF_RECORD_MMAP:
      return DecodeMmap(body);
    case PERF_RECORD_MMAP2:
      return DecodeMmap2(body);
    case PERF_RECORD_COMM:
      return DecodeComm(body);
    case PERF_RECORD_FORK:
      return DecodeTask<ForkRecord>(body);
    case PERF_RECORD_EXIT:
      return DecodeTask<ExitRecord>(body);
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
      return DecodeLost(body, type == PERF_RECORD_LOST);
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
      return DecodeThrottle(body, type == PERF_RECORD_THROTTLE);
    case PERF_RECORD_READ:
      return DecodeRead(body);
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      return DecodeSwitch(body, type == PERF_RECORD_SWITCH_CPU_WIDE);
    case PERF_RECORD_NAMESPACES:
      return DecodeNamespaces(body);
    case PERF_RECORD_KSYMBOL:
      return DecodeKsymbol(body);
    default:
      return OtherRecord{type};
  }
}

// The header, if `record` holds at least what it says.
std::optional<perf_event_header> HeaderOf(std::span<const std::byte> record) {
  perf_event_header header{};
  if (record.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, record.data(), sizeof header);
  if (header.size < sizeof header || header.size > record.size()) return std::nullopt;
  return header;
}

// struct sample_id { u32 pid, tid; u64 time; u64 id; u64 stream_id; u32 cpu, res; u64 id; }: each
// only with its bit, at the end of the record; TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER.
SampleId ReadTrailer(ByteReader reader, std::uint64_t sample_type) {
  SampleId id;
  if ((sample_type & PERF_SAMPLE_TID) != 0) {
    id.pid = reader.U32();
    id.tid = reader.U32();
  }
  if ((sample_type & PERF_SAMPLE_TIME) != 0) id.time_ns = reader.U64();
  if ((sample_type & PERF_SAMPLE_ID) != 0) id.id = reader.U64();
  if ((sample_type & PERF_SAMPLE_STREAM_ID) != 0) reader.Skip(sizeof(std::uint64_t));
  if ((sample_type & PERF_SAMPLE_CPU) != 0) {
    id.cpu = reader.U32();
    reader.Skip(sizeof(std::uint32_t));
  }
  if ((sample_type & PERF_SAMPLE_IDENTIFIER) != 0) id.id = reader.U64();
  return id;
}

std::size_t TrailerBytes(const RecordLayout& layout) {
  constexpr std::uint64_t kTrailerBits = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                         PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                         PERF_SAMPLE_IDENTIFIER;
  if (!layout.sample_id_all) return 0;
  return sizeof(std::uint64_t) *
         static_cast<std::size_t>(std::popcount(layout.sample_type & kTrailerBits));
}

// A sample opens with { id } { ip } { pid, tid } { time } { addr } { id } { stream_id } { cpu, res
// }. Each is 8 bytes, so that a field stands behind as many words as bits before it are set.
SampleId ReadSampleHead(std::span<const std::byte> fields, std::uint64_t sample_type) {
  SampleId result;
  const auto words_before = [&](std::uint64_t bits) {
    return sizeof(std::uint64_t) * static_cast<std::size_t>(std::popcount(sample_type & bits));
  };
  constexpr std::uint64_t kBeforeTid = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
  constexpr std::uint64_t kBeforeTime = kBeforeTid | PERF_SAMPLE_TID;
  constexpr std::uint64_t kBeforeCpu =
      kBeforeTime | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
  const std::byte* tid = fields.data() + words_before(kBeforeTid);
  std::memcpy(&result.id, fields.data(), sizeof result.id);
  std::memcpy(&result.pid, tid, sizeof result.pid);
  std::memcpy(&result.tid, tid + sizeof result.pid, sizeof result.tid);
  std::memcpy(&result.time_ns, fields.data() + words_before(kBeforeTime), sizeof result.time_ns);
  if ((sample_type & PERF_SAMPLE_CPU) != 0) {
    std::memcpy(&result.cpu, fields.data() + words_before(kBeforeCpu), sizeof result.cpu);
  }
  return result;
}

}  // namespace

RecordLayout RecordLayout::Of(const perf_event_attr& attr) {
  return {.sample_type = attr.sample_type,
          .read_format = attr.read_format,
          .regs_user = attr.sample_regs_user,
          .regs_intr = attr.sample_regs_intr,
          .branch_sample_type = attr.branch_sample_type,
          .sample_id_all = attr.sample_id_all != 0};
}

std::optional<DecodedRecord> Decode(std::span<const std::byte> record, const RecordLayout& layout) {
  const auto header = HeaderOf(record);
  if (!header || reinterpret_cast<std::uintptr_t>(record.data()) % sizeof(std::uint64_t) != 0) {
    return std::nullopt;
  }
  const auto payload = record.first(header->size).subspan(sizeof *header);
  if (header->type == PERF_RECORD_SAMPLE) {
    auto sample = DecodeSample(payload, layout);
    if (!sample) return std::nullopt;
    sample->misc = header->misc;
    return *sample;
  }
  if (header->type >= kFirstToolType) return OtherRecord{header->type};
  const std::size_t trailer_bytes = TrailerBytes(layout);
  if (payload.size() < trailer_bytes) return std::nullopt;
  const std::size_t body_bytes = payload.size() - trailer_bytes;
  Body body{.reader = ByteReader(payload.first(body_bytes)),
            .id = {},
            .misc = header->misc,
            .layout = layout};
  if (layout.sample_id_all) {
    body.id = ReadTrailer(ByteReader(payload.subspan(body_bytes)), layout.sample_type);
  }
  return DecodeBody(header->type, body);
}

std::optional<SampleId> PeekSampleId(std::span<const std::byte> record,
                                     const RecordLayout& layout) {
  constexpr std::uint64_t kNeeded = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  constexpr std::uint64_t kHeadBits = kNeeded | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                                      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
  const auto header = HeaderOf(record);
  if (!header || (layout.sample_type & kNeeded) != kNeeded) return std::nullopt;
  const auto payload = record.first(header->size).subspan(sizeof *header);
  if (header->type == PERF_RECORD_SAMPLE) {
    const auto head_bytes = sizeof(std::uint64_t) *
                            static_cast<std::size_t>(std::popcount(layout.sample_type & kHeadBits));
    if (payload.size() < head_bytes) return std::nullopt;
    return ReadSampleHead(payload, layout.sample_type);
  }
  const std::size_t trailer_bytes = TrailerBytes(layout);
  if (trailer_bytes == 0 || header->type >= kFirstToolType || payload.size() < trailer_bytes) {
    return std::nullopt;
  }
  return ReadTrailer(ByteReader(payload.last(trailer_bytes)), layout.sample_type);
}

}  // namespace prof::perf
