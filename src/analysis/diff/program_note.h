// Whether the program itself changed.
#pragma once

#include <string>
#include <vector>

#include "prof/analysis/diff/diff_builder.h"

namespace prof::analysis::diff {

// Remembers the build of each recording's command.
class ProgramNote {
 public:
  void Add(const Recording& recording);
  // "app is the same build on both sides (build ID 1a2b3c4d)"; empty where builds differ or are not
  // known.
  [[nodiscard]] std::string Text() const;

 private:
  std::string name_;
  std::vector<model::BuildId> builds_;
};

}  // namespace prof::analysis::diff
