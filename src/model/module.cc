// Build IDs as text and short names of modules.
#include "prof/model/module.h"

#include <algorithm>

namespace prof::model {

BuildId::BuildId(std::span<const std::byte> bytes) {
  size_ = static_cast<std::uint8_t>(std::min(bytes.size(), kMaxBytes));
  std::ranges::copy(bytes.first(size_), bytes_.begin());
}

std::string BuildId::Hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes()) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string_view Module::ShortName() const {
  const std::string_view view = path;
  const auto slash = view.rfind('/');
  return slash == std::string_view::npos || slash + 1 == view.size() ? view
                                                                     : view.substr(slash + 1);
}

}  // namespace prof::model
