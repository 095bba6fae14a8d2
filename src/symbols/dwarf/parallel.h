// Independent pieces of work on a few threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace prof::symbols {

// How many threads symbolization may use: the CPUs this process may run on, at most 4.
std::size_t MaxThreads();

// For so many bytes of DWARF: one where the start of another would cost more than it saves.
std::size_t ThreadsForDwarf(std::uint64_t bytes);

// Calls `work(i)` once for each i below `count`, on up to `threads` threads, the calling one among
// them, and returns when all are done. With one thread, or where the system gives no more, all run
// here in order. The other threads take no signals.
void ForEachInParallel(std::size_t count, std::size_t threads,
                       const std::function<void(std::size_t)>& work);

}  // namespace prof::symbols
