// What prof annotate prints, for other commands that show functions, too.
#pragma once

#include "annotate_options.h"

#include "prof/base/result.h"

namespace prof::tools {

// Reads the recordings of `arguments` and prints the function: one, or two side by side.
Status ShowAnnotation(const AnnotateArguments& arguments);

}  // namespace prof::tools
