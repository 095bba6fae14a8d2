// The kernel's side of a ring, and the records that it writes into it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "prof/perf/ring_buffer.h"

namespace prof::collect {

inline std::uint64_t Pair(std::uint64_t low, std::uint64_t high) { return low | high << 32; }

// Names of at most 7 letters are one word.
inline std::uint64_t Text(std::string_view text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), std::min<std::size_t>(text.size(), 7));
  return word;
}

class FakeRing {
 public:
  explicit FakeRing(std::size_t data_bytes = 4096)
      : page_words_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / sizeof(std::uint64_t)),
        data_words_(data_bytes / sizeof(std::uint64_t)),
        words_(page_words_ + data_words_),
        ring_(perf::RingBuffer::OverMemory(std::as_writable_bytes(std::span(words_)))) {}
  perf::RingBuffer& ring() { return ring_; }

  [[nodiscard]] bool HasRoom(std::size_t bytes) const {
    return page().data_head - __atomic_load_n(&page().data_tail, __ATOMIC_ACQUIRE) + bytes <=
           8 * data_words_;
  }
  void Put(std::uint32_t type, std::uint16_t misc, const std::vector<std::uint64_t>& body) {
    const auto size = static_cast<std::uint64_t>(8 * (body.size() + 1));
    ASSERT_TRUE(HasRoom(size));
    std::uint64_t head = page().data_head;
    const auto put = [&](std::uint64_t word) {
      words_[page_words_ + head / 8 % data_words_] = word;
      head += 8;
    };
    put(type | std::uint64_t{misc} << 32 | size << 48);
    for (const std::uint64_t word : body) put(word);
    __atomic_store_n(&page().data_head, head, __ATOMIC_RELEASE);
  }
  // Ends with { { pid, tid }, time, { cpu, 0 }, id }, as every record but samples.
  void PutSideBand(std::uint32_t type, std::uint16_t misc, std::vector<std::uint64_t> body,
                   std::uint32_t pid, std::uint32_t tid, std::uint64_t time_ns,
                   std::uint64_t id = 1) {
    body.insert(body.end(), {Pair(pid, tid), time_ns, Pair(0, 0), id});
    Put(type, misc, body);
  }
  // Of a first thread.
  void PutComm(std::uint32_t pid, std::string_view name, bool exec, std::uint64_t time_ns) {
    PutSideBand(PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
                {Pair(pid, pid), Text(name)}, pid, pid, time_ns);
  }
  void PutMmap(std::uint32_t pid, std::string_view path, std::uint64_t time_ns,
               std::uint64_t start = 0x1000) {
    PutSideBand(PERF_RECORD_MMAP, 0, {Pair(pid, pid), start, 0x1000, 0, Text(path)}, pid, pid,
                time_ns);
  }

 private:
  [[nodiscard]] perf_event_mmap_page& page() {
    return *reinterpret_cast<perf_event_mmap_page*>(words_.data());
  }
  [[nodiscard]] const perf_event_mmap_page& page() const {
    return *reinterpret_cast<const perf_event_mmap_page*>(words_.data());
  }
  std::size_t page_words_;
  std::size_t data_words_;
  std::vector<std::uint64_t> words_;
  perf::RingBuffer ring_;
};

}  // namespace prof::collect
