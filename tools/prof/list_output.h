// What `prof list` prints.
#pragma once

#include <string>

#include "list_selection.h"

namespace prof::tools {

struct ListStyle {
  int width = 80;
  bool descriptions = true;
  bool long_descriptions = false;
};

// Events under headings that say once, for all below them, whether they can be counted and sampled.
// Each event begins a line, so that the output can be searched.
std::string RenderListText(const ListSelection& selection, const ListStyle& style);

// {"events": [{name, aliases, kind, group, description, ..., can_count, can_sample, scope, reason,
// hint}], "gaps": [{kind, reason, hint}]}
std::string RenderListJson(const ListSelection& selection);

}  // namespace prof::tools
