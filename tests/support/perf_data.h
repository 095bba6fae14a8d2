// Reads what `perf record -o FILE` wrote, for tests and benchmarks that need real samples.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/mapped_file.h"
#include "prof/base/result.h"
#include "prof/perf/record_decoder.h"

namespace prof::test {

// The layout is tools/perf/Documentation/perf.data-file-format.txt of the kernel sources. Files of
// pipes, of the other byte order and compressed ones (`perf record -z`) are kUnsupported.
class PerfData {
 public:
  struct Event {
    perf_event_attr attr{};
    perf::RecordLayout layout;
    std::vector<std::uint64_t> ids;
  };
  // A record of the kernel, borrowed from the file.
  struct Record {
    std::span<const std::byte> bytes;
    std::uint64_t time_ns = 0;  // 0 for what perf itself wrote before the recording began
    std::size_t event = 0;      // index into events()
  };

  static Result<PerfData> Open(const std::string& path);

  [[nodiscard]] std::span<const Event> events() const { return events_; }
  // By time; records of the same time in the order of the file.
  [[nodiscard]] std::span<const Record> records() const { return records_; }
  [[nodiscard]] perf::DecodedRecord Decode(const Record& record) const;

  // Records that no decoder could read, or of an event that the file does not have.
  [[nodiscard]] std::size_t malformed() const { return malformed_; }
  // Records that perf itself adds (rounds, maps of threads and CPUs), by type.
  [[nodiscard]] const std::map<std::uint32_t, std::size_t>& skipped() const { return skipped_; }

 private:
  Status ReadEvents(std::uint64_t offset, std::uint64_t size, std::uint64_t entry_size);
  Status ReadRecords(std::uint64_t offset, std::uint64_t size);
  void Add(std::span<const std::byte> bytes);
  [[nodiscard]] std::optional<std::size_t> EventOf(std::span<const std::byte> bytes) const;
  [[nodiscard]] Result<std::span<const std::byte>> Bytes(std::uint64_t offset, std::uint64_t size,
                                                         std::string_view what) const;

  std::string path_;
  MappedFile file_;
  std::vector<Event> events_;
  std::map<std::uint64_t, std::size_t> event_of_id_;
  std::vector<Record> records_;
  std::size_t malformed_ = 0;
  std::map<std::uint32_t, std::size_t> skipped_;
};

}  // namespace prof::test
