// Reader of one perf mmap ring.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "prof/base/result.h"

namespace prof::perf {

// The kernel writes, one thread of ours reads (Linux: Documentation of perf_event_mmap_page;
// data_head is read with acquire, data_tail written with release). Records are handed out in place;
// only one that wraps is copied into a scratch buffer. Steps: Head() once per pass, then
// Peek(head)/Pop() until empty.
class RingBuffer {
 public:
  // Maps `data_bytes` (a power of two of at least one page) behind the event `fd`. EPERM is the
  // mlock limit and comes back as kPermission.
  static Result<RingBuffer> Map(int fd, std::size_t data_bytes);
  // Over memory owned by the caller, laid out like the kernel's: one metadata page, then data.
  static RingBuffer OverMemory(std::span<std::byte> metadata_and_data);

  RingBuffer(RingBuffer&&) noexcept;
  RingBuffer& operator=(RingBuffer&&) noexcept;
  RingBuffer(const RingBuffer&) = delete;
  RingBuffer& operator=(const RingBuffer&) = delete;
  ~RingBuffer();

  [[nodiscard]] std::uint64_t Head() const;  // bytes written since the start
  [[nodiscard]] std::uint64_t Tail() const { return tail_; }
  [[nodiscard]] std::size_t data_bytes() const { return data_.size(); }
  // The next whole record (header included, 8-byte aligned) that ends at or before `head`, or
  // nothing. Valid until Pop(). A malformed length drops everything up to `head` and counts in
  // malformed().
  std::optional<std::span<const std::byte>> Peek(std::uint64_t head);
  // Gives the record of the last Peek back to the kernel.
  void Pop();
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }

 private:
  RingBuffer() = default;
  void Unmap();
  perf_event_mmap_page* page_ = nullptr;
  std::span<std::byte> data_;
  bool owned_ = false;
  std::uint64_t tail_ = 0;
  std::size_t peeked_bytes_ = 0;
  std::uint64_t malformed_ = 0;
  std::vector<std::byte> scratch_;
};

}  // namespace prof::perf
