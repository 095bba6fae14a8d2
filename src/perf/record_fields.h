// Parts of records that several record types share, and the sample decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "prof/base/byte_reader.h"
#include "prof/perf/record_decoder.h"

namespace prof::perf {

// Text up to its first NUL, in all that is left of `reader`.
std::string_view PaddedString(ByteReader& reader);

// `count` words in place. Fails the reader when they are not there or not 8-byte aligned.
std::span<const std::uint64_t> Words(ByteReader& reader, std::uint64_t count);

// The words of one struct read_format, as long as `read_format` and its own counter number say.
std::span<const std::uint64_t> ReadFormatWords(ByteReader& reader, std::uint64_t read_format);

struct TimedCounter {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  CounterValue counter;
};
// The one counter of a read_format, or the leader of a group. Nothing when there is none.
std::optional<TimedCounter> FirstCounter(std::span<const std::uint64_t> words,
                                         std::uint64_t read_format);

// PERF_RECORD_SAMPLE without its header; misc is left 0.
std::optional<SampleRecord> DecodeSample(std::span<const std::byte> payload,
                                         const RecordLayout& layout);

}  // namespace prof::perf
