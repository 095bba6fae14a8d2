// A table that one thread extends while others read it.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace prof::collect {

// Entries never move and are never taken away. One thread at a time adds; any thread may read an
// entry below size() without a lock.
template <class T>
class GrowingTable {
 public:
  void Add(T entry) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    const Place place = PlaceOf(index);
    if (place.offset == 0) chunks_[place.chunk] = std::make_unique<T[]>(kFirstChunk << place.chunk);
    chunks_[place.chunk][place.offset] = std::move(entry);
    size_.store(index + 1, std::memory_order_release);
  }
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] T& operator[](std::size_t index) {
    const Place place = PlaceOf(index);
    return chunks_[place.chunk][place.offset];
  }
  [[nodiscard]] const T& operator[](std::size_t index) const {
    const Place place = PlaceOf(index);
    return chunks_[place.chunk][place.offset];
  }

 private:
  static constexpr std::size_t kFirstChunk = 256;  // each one after it is twice as large
  static constexpr std::size_t kChunks = 24;       // 4 billion entries
  struct Place {
    std::size_t chunk;
    std::size_t offset;
  };
  static Place PlaceOf(std::size_t index) {
    const auto chunk = static_cast<std::size_t>(std::bit_width(index / kFirstChunk + 1)) - 1;
    return {chunk, index - kFirstChunk * ((std::size_t{1} << chunk) - 1)};
  }
  std::array<std::unique_ptr<T[]>, kChunks> chunks_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace prof::collect
