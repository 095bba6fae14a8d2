// Feeds arbitrary bytes to the record decoder: five words of layout, then records back to back.
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "prof/perf/record_decoder.h"

namespace prof::perf {
namespace {

constexpr std::size_t kLayoutWords = 5;

// Touches what the spans of a record point to, so that a sanitizer sees each of them.
template <class T>
std::uint64_t Sum(std::span<const T> span) {
  std::uint64_t sum = 0;
  for (const T& element : span) sum += static_cast<std::uint64_t>(element);
  return sum;
}
std::uint64_t Sum(std::string_view text) { return Sum(std::span<const char>(text)); }

struct Toucher {
  std::uint64_t operator()(const SampleRecord& record) const {
    return Sum(record.read_values) + Sum(record.callchain) + Sum(record.raw) +
           Sum(record.branches) + Sum(record.user_registers) + Sum(record.intr_registers) +
           Sum(record.user_stack) + Sum(record.aux);
  }
  std::uint64_t operator()(const MmapRecord& record) const { return Sum(record.path); }
  std::uint64_t operator()(const CommRecord& record) const { return Sum(record.comm); }
  std::uint64_t operator()(const ReadRecord& record) const { return Sum(record.read_values); }
  std::uint64_t operator()(const NamespacesRecord& record) const { return Sum(record.links); }
  std::uint64_t operator()(const KsymbolRecord& record) const { return Sum(record.name); }
  template <class T>
  std::uint64_t operator()(const T&) const {
    return 0;
  }
};

std::uint64_t DecodeAll(std::span<const std::byte> records, const RecordLayout& layout) {
  std::uint64_t sum = 0;
  while (records.size() >= sizeof(perf_event_header)) {
    perf_event_header header{};
    std::memcpy(&header, records.data(), sizeof header);
    if (const auto id = PeekSampleId(records, layout)) sum += id->time_ns;
    if (const auto record = Decode(records, layout)) sum += std::visit(Toucher{}, *record);
    if (header.size == 0 || header.size % 8 != 0 || header.size > records.size()) break;
    records = records.subspan(header.size);
  }
  return sum;
}

}  // namespace
}  // namespace prof::perf

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using prof::perf::kLayoutWords;
  std::uint64_t words[kLayoutWords];
  if (size < sizeof words) return 0;
  std::memcpy(words, data, sizeof words);
  const prof::perf::RecordLayout layout{.sample_type = words[0],
                                        .read_format = words[1],
                                        .regs_user = words[2],
                                        .regs_intr = words[3],
                                        .branch_sample_type = words[4] & ~(std::uint64_t{1} << 63),
                                        .sample_id_all = (words[4] >> 63) != 0};
  // A copy on the heap of exactly this length: aligned, and fenced by the address sanitizer.
  const std::vector<std::uint8_t> copy(data + sizeof words, data + size);
  volatile const std::uint64_t sink = prof::perf::DecodeAll(std::as_bytes(std::span(copy)), layout);
  static_cast<void>(sink);
  return 0;
}
