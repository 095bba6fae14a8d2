// Interned strings.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "analysis/index_table.h"

#include "prof/analysis/profile.h"

namespace prof::analysis {

class NameTable {
 public:
  NameIndex Intern(std::string_view text) {
    const auto fresh = static_cast<NameIndex>(texts_.size());
    const NameIndex found =
        table_.FindOrInsert(MixHash(std::hash<std::string_view>{}(text), 0), fresh,
                            [&](std::uint32_t index) { return texts_[index] == text; });
    if (found == fresh) texts_.emplace_back(text);
    return found;
  }
  [[nodiscard]] std::string_view Text(NameIndex index) const { return texts_[index]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  IndexTable table_;
};

}  // namespace prof::analysis
