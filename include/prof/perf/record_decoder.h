// PERF_RECORD_* bytes to structs: the one decoder, for live rings and for imported files.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "prof/model/address.h"
#include "prof/model/module.h"

namespace prof::perf {

// The attr fields that decide how a record is laid out.
struct RecordLayout {
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  std::uint64_t regs_user = 0;  // sample_regs_user
  std::uint64_t regs_intr = 0;
  std::uint64_t branch_sample_type = 0;
  bool sample_id_all = false;
  static RecordLayout Of(const perf_event_attr& attr);
};

// The trailer of non-sample records with sample_id_all; zero where the bit is not in sample_type.
struct SampleId {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t id = 0;  // PERF_SAMPLE_IDENTIFIER or _ID
  std::uint32_t cpu = 0;
};

struct CounterValue {
  std::uint64_t value = 0;
  std::uint64_t id = 0;
  std::uint64_t lost = 0;
};

// One struct read_format, as PERF_SAMPLE_READ and read(2) on an event give it.
struct ReadValues {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::vector<CounterValue> counters;  // one, or with PERF_FORMAT_GROUP the leader and its members
};
// Nothing when the number of words does not fit the format.
std::optional<ReadValues> ParseReadValues(std::span<const std::uint64_t> words,
                                          std::uint64_t read_format);

// All spans and views borrow from the decoded bytes.
struct SampleRecord {
  SampleId id;
  std::uint16_t misc = 0;
  std::uint64_t ip = 0;
  std::uint64_t addr = 0;
  std::uint64_t period = 0;
  std::uint64_t stream_id = 0;
  std::span<const std::uint64_t> read_values;  // the raw words of PERF_SAMPLE_READ
  std::span<const std::uint64_t> callchain;    // with PERF_CONTEXT_* markers
  std::span<const std::byte> raw;              // tracepoint payload
  std::uint64_t branch_hw_index = 0;
  std::span<const std::uint64_t> branches;        // from, to, flags of each entry
  std::uint64_t user_abi = 0;                     // PERF_SAMPLE_REGS_ABI_*; 0: none
  std::span<const std::uint64_t> user_registers;  // one per bit of regs_user, ascending
  std::uint64_t intr_abi = 0;
  std::span<const std::uint64_t> intr_registers;
  std::span<const std::byte> user_stack;  // clipped to dyn_size
  std::uint64_t weight = 0;
  std::uint64_t data_source = 0;
  std::uint64_t transaction = 0;
  std::uint64_t phys_addr = 0;
  std::uint64_t cgroup = 0;
  std::uint64_t data_page_size = 0;
  std::uint64_t code_page_size = 0;
  std::span<const std::byte> aux;
};
struct MmapRecord {  // PERF_RECORD_MMAP and MMAP2
  SampleId id;
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t start = 0, length = 0, file_offset = 0;
  std::uint32_t protection =
      0;  // PROT_*; 0 for MMAP, where executable is assumed unless misc says data
  bool executable = false;
  bool has_inode = false;  // device and inode below are valid
  std::uint32_t device_major = 0, device_minor = 0;
  std::uint64_t inode = 0, inode_generation = 0;
  model::BuildId build_id;  // when the kernel gave it
  std::string_view path;
};
struct CommRecord {
  SampleId id;
  std::uint32_t pid = 0, tid = 0;
  bool exec = false;
  std::string_view comm;
};
struct ForkRecord {
  SampleId id;
  std::uint32_t pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  std::uint64_t time_ns = 0;
};
struct ExitRecord {
  SampleId id;
  std::uint32_t pid = 0, parent_pid = 0, tid = 0, parent_tid = 0;
  std::uint64_t time_ns = 0;
};
struct LostRecord {
  SampleId id;
  std::uint64_t event_id = 0;
  std::uint64_t count = 0;
};  // LOST and LOST_SAMPLES
struct ThrottleRecord {
  SampleId id;
  bool throttled = false;
  std::uint64_t time_ns = 0, event_id = 0, stream_id = 0;
};
struct ReadRecord {  // PERF_RECORD_READ: a counter at the end of a thread (attr.inherit_stat)
  SampleId id;
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t value = 0, enabled_ns = 0, running_ns = 0, event_id = 0,
                lost = 0;                      // of a group: the leader
  std::span<const std::uint64_t> read_values;  // all of the struct read_format
};
struct SwitchRecord {
  SampleId id;
  bool out = false, preempted = false;
  std::uint32_t other_pid = 0, other_tid = 0;
};
struct NamespacesRecord {
  SampleId id;
  std::uint32_t pid = 0, tid = 0;
  std::span<const std::byte> links;
};
struct KsymbolRecord {
  SampleId id;
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint16_t type = 0;
  bool unregister = false;
  std::string_view name;
};
struct OtherRecord {
  std::uint32_t type = 0;
};

using DecodedRecord = std::variant<SampleRecord, MmapRecord, CommRecord, ForkRecord, ExitRecord,
                                   LostRecord, ThrottleRecord, ReadRecord, SwitchRecord,
                                   NamespacesRecord, KsymbolRecord, OtherRecord>;

// `record` starts with its perf_event_header and is 8-byte aligned. Nothing when it is malformed:
// the caller counts it.
std::optional<DecodedRecord> Decode(std::span<const std::byte> record, const RecordLayout& layout);

// The fields every record carries at a fixed place, without a full decode: for merging rings by
// time. Needs PERF_SAMPLE_IDENTIFIER | TID | TIME in sample_type (and sample_id_all). Nothing when
// too short.
std::optional<SampleId> PeekSampleId(std::span<const std::byte> record, const RecordLayout& layout);

}  // namespace prof::perf
