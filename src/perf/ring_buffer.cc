// Reads records out of a perf mmap ring, in place, and gives the space back to the kernel.
#include "prof/perf/ring_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace prof::perf {
namespace {

// The kernel aligns every record to 8 bytes (perf_event_header__init_id and its callers).
constexpr std::size_t kRecordAlignment = 8;

std::size_t PageBytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

Result<RingBuffer> RingBuffer::Map(int fd, std::size_t data_bytes) {
  const std::size_t page_bytes = PageBytes();
  PROF_CHECK(std::has_single_bit(data_bytes) && data_bytes >= page_bytes);
  void* memory =
      ::mmap(nullptr, page_bytes + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    const std::string what = "cannot map a ring of " + std::to_string(data_bytes / 1024) + " KB";
    if (errno == EPERM) {
      // The limit is per CPU; twice the ring leaves room for the one of side-band records.
      const std::size_t enough_kb = std::max<std::size_t>(2 * data_bytes / 1024, 4096);
      return Fail(ErrorKind::kPermission, what + ": over the limit of locked memory",
                  "use smaller rings (-m), or: sudo sysctl kernel.perf_event_mlock_kb=" +
                      std::to_string(enough_kb));
    }
    return FailErrno(errno, what);
  }
  RingBuffer ring = OverMemory({static_cast<std::byte*>(memory), page_bytes + data_bytes});
  ring.owned_ = true;
  return ring;
}

RingBuffer RingBuffer::OverMemory(std::span<std::byte> metadata_and_data) {
  const std::size_t page_bytes = PageBytes();
  PROF_CHECK(metadata_and_data.size() > page_bytes &&
             std::has_single_bit(metadata_and_data.size() - page_bytes));
  RingBuffer ring;
  ring.page_ = reinterpret_cast<perf_event_mmap_page*>(metadata_and_data.data());
  ring.data_ = metadata_and_data.subspan(page_bytes);
  ring.tail_ = ring.page_->data_tail;
  return ring;
}

RingBuffer::RingBuffer(RingBuffer&& other) noexcept { *this = std::move(other); }

RingBuffer& RingBuffer::operator=(RingBuffer&& other) noexcept {
  if (this == &other) return *this;
  Unmap();
  page_ = std::exchange(other.page_, nullptr);
  data_ = std::exchange(other.data_, {});
  owned_ = std::exchange(other.owned_, false);
  tail_ = std::exchange(other.tail_, 0);
  peeked_bytes_ = std::exchange(other.peeked_bytes_, 0);
  malformed_ = std::exchange(other.malformed_, 0);
  scratch_ = std::move(other.scratch_);
  return *this;
}

RingBuffer::~RingBuffer() { Unmap(); }

void RingBuffer::Unmap() {
  if (owned_) ::munmap(page_, PageBytes() + data_.size());
  owned_ = false;
}

// Acquire pairs with the barrier of perf_output_put_handle(): records below data_head are complete.
std::uint64_t RingBuffer::Head() const {
  return __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
}

std::optional<std::span<const std::byte>> RingBuffer::Peek(std::uint64_t head) {
  peeked_bytes_ = 0;
  const std::uint64_t available = head - tail_;
  if (available == 0) return std::nullopt;
  const std::size_t offset = static_cast<std::size_t>(tail_) & (data_.size() - 1);
  perf_event_header header{};
  bool valid = available >= sizeof header && available <= data_.size() &&
               (tail_ | head) % kRecordAlignment == 0;
  // An aligned header of 8 bytes never wraps.
  if (valid) {
    std::memcpy(&header, data_.data() + offset, sizeof header);
    valid = header.size >= sizeof header && header.size % kRecordAlignment == 0 &&
            header.size <= available;
  }
  if (!valid) {
    ++malformed_;
    tail_ = head;
    __atomic_store_n(&page_->data_tail, tail_, __ATOMIC_RELEASE);
    return std::nullopt;
  }
  peeked_bytes_ = header.size;
  const std::size_t to_the_end = data_.size() - offset;
  if (peeked_bytes_ <= to_the_end) return data_.subspan(offset, peeked_bytes_);
  // Storage from operator new is aligned to at least 8 bytes.
  if (scratch_.size() < peeked_bytes_) scratch_.resize(peeked_bytes_);
  std::memcpy(scratch_.data(), data_.data() + offset, to_the_end);
  std::memcpy(scratch_.data() + to_the_end, data_.data(), peeked_bytes_ - to_the_end);
  return std::span<const std::byte>(scratch_).first(peeked_bytes_);
}

// Release: our reads of the record come before the kernel may write over it.
void RingBuffer::Pop() {
  tail_ += std::exchange(peeked_bytes_, 0);
  __atomic_store_n(&page_->data_tail, tail_, __ATOMIC_RELEASE);
}

}  // namespace prof::perf
