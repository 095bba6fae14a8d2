// Demangles and folds arbitrary names.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "prof/symbols/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  prof::symbols::FoldName(prof::symbols::Demangle(name));
  prof::symbols::FoldName(name);
  return 0;
}
