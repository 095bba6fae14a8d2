// Reads arbitrary bytes as a jitdump file: names, lines and code of whatever it says it has.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "symbols/jit_symbols.h"

#include "prof/base/unique_fd.h"

using prof::model::FileAddr;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const prof::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  const int fds[] = {fd.get(), fd.get()};
  prof::symbols::JitDumps dumps(fds);
  std::vector<FileAddr> wanted;
  for (std::uint64_t address = 0xf00; address < 0x3000; address += 7) wanted.push_back({address});
  wanted.push_back({~std::uint64_t{0}});
  const auto symbols = dumps.Resolve(wanted, true);
  std::vector<prof::symbols::FunctionRange> functions;
  for (const auto& found : symbols) {
    if (found.frames.empty()) continue;
    if (found.address.value - found.function_start.value >= found.function_size) std::abort();
    if (!functions.empty() && functions.back().start >= found.function_start) continue;
    functions.push_back({found.function_start, found.function_size, found.frames.front().name});
  }
  for (const auto& function : dumps.ReadCode({}, functions, {}).functions) {
    if (function.code.size() > function.size) std::abort();
    for (const auto& line : function.lines) {
      if (line.address.value - function.start.value >= function.size) std::abort();
    }
  }
  return 0;
}
