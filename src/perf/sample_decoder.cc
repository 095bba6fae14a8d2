// Decodes PERF_RECORD_SAMPLE, field by field in the order of the kernel's perf_output_sample().
#include <algorithm>
#include <bit>

#include "perf/record_fields.h"

namespace prof::perf {
namespace {

// PERF_SAMPLE_BRANCH_COUNTERS of kernel 6.8, for headers that do not have it yet.
constexpr std::uint64_t kBranchCounters = 1U << 19;
constexpr std::uint64_t kWordsPerBranch = 3;  // struct perf_branch_entry { u64 from, to, flags; }

// { u64 id } { u64 ip } { u32 pid, tid } { u64 time } { u64 addr } { u64 id } { u64 stream_id }
// { u32 cpu, res } { u64 period }
void ReadHead(ByteReader& reader, std::uint64_t type, SampleRecord& sample) {
  if ((type & PERF_SAMPLE_IDENTIFIER) != 0) sample.id.id = reader.U64();
  if ((type & PERF_SAMPLE_IP) != 0) sample.ip = reader.U64();
  if ((type & PERF_SAMPLE_TID) != 0) {
    sample.id.pid = reader.U32();
    sample.id.tid = reader.U32();
  }
  if ((type & PERF_SAMPLE_TIME) != 0) sample.id.time_ns = reader.U64();
  if ((type & PERF_SAMPLE_ADDR) != 0) sample.addr = reader.U64();
  if ((type & PERF_SAMPLE_ID) != 0) sample.id.id = reader.U64();
  if ((type & PERF_SAMPLE_STREAM_ID) != 0) sample.stream_id = reader.U64();
  if ((type & PERF_SAMPLE_CPU) != 0) {
    sample.id.cpu = reader.U32();
    reader.Skip(sizeof(std::uint32_t));
  }
  if ((type & PERF_SAMPLE_PERIOD) != 0) sample.period = reader.U64();
}

// { u32 size; char data[size]; }: the kernel pads data so that the next field is aligned.
std::span<const std::byte> ReadRaw(ByteReader& reader) {
  const std::uint64_t size = reader.U32();
  if ((size + sizeof(std::uint32_t)) % sizeof(std::uint64_t) != 0) reader.Failed();
  return reader.Bytes(size);
}

// { u64 nr; { u64 hw_idx; } { u64 from, to, flags }[nr]; { u64 counters[nr]; } }
void ReadBranches(ByteReader& reader, std::uint64_t branch_type, SampleRecord& sample) {
  const std::uint64_t count = reader.U64();
  if ((branch_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0) sample.branch_hw_index = reader.U64();
  if (count > reader.remaining()) reader.Failed();
  sample.branches = Words(reader, count * kWordsPerBranch);
  if ((branch_type & kBranchCounters) != 0) Words(reader, count);
}

// { u64 abi; u64 regs[weight(mask)]; }, without registers where abi is NONE
std::span<const std::uint64_t> ReadRegisters(ByteReader& reader, std::uint64_t mask,
                                             std::uint64_t& abi) {
  abi = reader.U64();
  if (abi == PERF_SAMPLE_REGS_ABI_NONE) return {};
  return Words(reader, static_cast<std::uint64_t>(std::popcount(mask)));
}

// { u64 size; char data[size]; u64 dyn_size; }; dyn_size, what was really copied, is missing with
// size 0 (a kernel thread).
std::span<const std::byte> ReadUserStack(ByteReader& reader) {
  const std::uint64_t size = reader.U64();
  if (size == 0) return {};
  if (size % sizeof(std::uint64_t) != 0) reader.Failed();
  const auto dump = reader.Bytes(size);
  const std::uint64_t dynamic_size = reader.U64();
  return dump.first(std::min<std::uint64_t>(dynamic_size, dump.size()));
}

void ReadTail(ByteReader& reader, const RecordLayout& layout, SampleRecord& sample) {
  const std::uint64_t type = layout.sample_type;
  if ((type & PERF_SAMPLE_WEIGHT_TYPE) != 0) sample.weight = reader.U64();
  if ((type & PERF_SAMPLE_DATA_SRC) != 0) sample.data_source = reader.U64();
  if ((type & PERF_SAMPLE_TRANSACTION) != 0) sample.transaction = reader.U64();
  if ((type & PERF_SAMPLE_REGS_INTR) != 0) {
    sample.intr_registers = ReadRegisters(reader, layout.regs_intr, sample.intr_abi);
  }
  if ((type & PERF_SAMPLE_PHYS_ADDR) != 0) sample.phys_addr = reader.U64();
  if ((type & PERF_SAMPLE_CGROUP) != 0) sample.cgroup = reader.U64();
  if ((type & PERF_SAMPLE_DATA_PAGE_SIZE) != 0) sample.data_page_size = reader.U64();
  if ((type & PERF_SAMPLE_CODE_PAGE_SIZE) != 0) sample.code_page_size = reader.U64();
  // The comment in <linux/perf_event.h> has AUX before the page sizes, the kernel writes it last.
  if ((type & PERF_SAMPLE_AUX) != 0) sample.aux = reader.Bytes(reader.U64());
}

// Words before the counters of a read_format, and words of each.
std::size_t TimeWords(std::uint64_t read_format) {
  return static_cast<std::size_t>(std::popcount(
      read_format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)));
}
std::size_t CounterWords(std::uint64_t read_format) {
  return 1 +
         static_cast<std::size_t>(std::popcount(read_format & (PERF_FORMAT_ID | PERF_FORMAT_LOST)));
}

// { u64 value; { u64 id; } { u64 lost; } }
CounterValue CounterAt(std::span<const std::uint64_t> words, std::uint64_t read_format) {
  CounterValue result{.value = words[0]};
  std::size_t next = 1;
  if ((read_format & PERF_FORMAT_ID) != 0) result.id = words[next++];
  if ((read_format & PERF_FORMAT_LOST) != 0) result.lost = words[next];
  return result;
}

}  // namespace

std::string_view PaddedString(ByteReader& reader) {
  const auto bytes = reader.Bytes(reader.remaining());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

std::span<const std::uint64_t> Words(ByteReader& reader, std::uint64_t count) {
  if (count > reader.remaining() / sizeof(std::uint64_t)) reader.Failed();
  const auto bytes = reader.Bytes(count * sizeof(std::uint64_t));
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) != 0) {
    reader.Failed();
  }
  if (!reader.ok()) return {};
  return {reinterpret_cast<const std::uint64_t*>(bytes.data()), static_cast<std::size_t>(count)};
}

// struct read_format { u64 value; { enabled } { running } { id } { lost } }, and with FORMAT_GROUP
// { u64 nr; { enabled } { running } { value, { id } { lost } }[nr] }
std::span<const std::uint64_t> ReadFormatWords(ByteReader& reader, std::uint64_t read_format) {
  std::uint64_t counters = 1;
  std::uint64_t words = TimeWords(read_format);
  if ((read_format & PERF_FORMAT_GROUP) != 0) {
    ByteReader ahead = reader;
    counters = ahead.U64();
    if (counters > ahead.remaining()) reader.Failed();
    ++words;
  }
  return Words(reader, words + counters * CounterWords(read_format));
}

std::optional<TimedCounter> FirstCounter(std::span<const std::uint64_t> words,
                                         std::uint64_t read_format) {
  const auto values = ParseReadValues(words, read_format);
  if (!values || values->counters.empty()) return std::nullopt;
  return TimedCounter{values->enabled_ns, values->running_ns, values->counters.front()};
}

std::optional<ReadValues> ParseReadValues(std::span<const std::uint64_t> words,
                                          std::uint64_t read_format) {
  const bool group = (read_format & PERF_FORMAT_GROUP) != 0;
  const std::size_t fixed_words = 1 + TimeWords(read_format);
  if (words.size() < fixed_words) return std::nullopt;
  ReadValues result;
  std::size_t next = 1;
  if ((read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) result.enabled_ns = words[next++];
  if ((read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0) result.running_ns = words[next++];
  const std::size_t size = CounterWords(read_format);
  if (!group) {
    // The value comes first, id and lost after the times.
    if (words.size() != next + size - 1) return std::nullopt;
    CounterValue counter{.value = words[0]};
    if ((read_format & PERF_FORMAT_ID) != 0) counter.id = words[next++];
    if ((read_format & PERF_FORMAT_LOST) != 0) counter.lost = words[next];
    result.counters.push_back(counter);
    return result;
  }
  const std::uint64_t count = words[0];
  if ((words.size() - next) % size != 0 || (words.size() - next) / size != count) {
    return std::nullopt;
  }
  for (; next < words.size(); next += size) {
    result.counters.push_back(CounterAt(words.subspan(next, size), read_format));
  }
  return result;
}

std::optional<SampleRecord> DecodeSample(std::span<const std::byte> payload,
                                         const RecordLayout& layout) {
  ByteReader reader(payload);
  SampleRecord sample;
  const std::uint64_t type = layout.sample_type;
  ReadHead(reader, type, sample);
  if ((type & PERF_SAMPLE_READ) != 0) {
    sample.read_values = ReadFormatWords(reader, layout.read_format);
  }
  if ((type & PERF_SAMPLE_CALLCHAIN) != 0) sample.callchain = Words(reader, reader.U64());
  if ((type & PERF_SAMPLE_RAW) != 0) sample.raw = ReadRaw(reader);
  if ((type & PERF_SAMPLE_BRANCH_STACK) != 0) {
    ReadBranches(reader, layout.branch_sample_type, sample);
  }
  if ((type & PERF_SAMPLE_REGS_USER) != 0) {
    sample.user_registers = ReadRegisters(reader, layout.regs_user, sample.user_abi);
  }
  if ((type & PERF_SAMPLE_STACK_USER) != 0) sample.user_stack = ReadUserStack(reader);
  ReadTail(reader, layout, sample);
  // Bytes left over are fields of a newer kernel: it appends, and what is known stays valid.
  if (!reader.ok()) return std::nullopt;
  return sample;
}

}  // namespace prof::perf
