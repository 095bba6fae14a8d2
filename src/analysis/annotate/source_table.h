// The source files that an annotation speaks of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

// Paths to indexes into AnnotatedFunction::sources.
class SourceTable {
 public:
  explicit SourceTable(const Profile& profile) : profile_(profile) {}

  std::uint32_t Of(std::string_view path);
  // kNoFile for kNoIndex.
  std::uint32_t Of(NameIndex name);
  [[nodiscard]] const std::string& Path(std::uint32_t file) const { return paths_[file]; }
  // All that were asked for, with the texts that the profile has.
  [[nodiscard]] std::vector<AnnotatedSource> Build() const;

 private:
  const Profile& profile_;
  std::vector<std::string> paths_;
  std::map<std::string, std::uint32_t, std::less<>> by_path_;
  std::map<NameIndex, std::uint32_t> by_name_;
};

}  // namespace prof::analysis
