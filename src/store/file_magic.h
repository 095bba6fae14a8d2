// Tells a profile from the other files people point prof at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "prof/base/result.h"

namespace prof::store {

// `head` is the beginning of the file, kFileHeaderBytes of it unless the file is shorter. On
// success gives the length of the header.
Result<std::uint32_t> CheckFileHeader(std::span<const std::byte> head, const std::string& name);

}  // namespace prof::store
