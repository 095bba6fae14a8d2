// The rows of one compiled copy: instructions in order of address, source lines between them.
#pragma once

#include <string>

#include "report/annotate_places.h"
#include "report/annotate_shares.h"
#include "report/jump_lanes.h"

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"

namespace prof::report {

// Headings and rows of function.copies[index].
std::string RenderCopy(const analysis::AnnotatedFunction& function, std::size_t index,
                       const SourcePlaces& places, const ShareColumns& shares,
                       const AnnotateTextOptions& options);

// Arrows of the jumps within a copy, as many lanes as a terminal of `width` columns has room for.
JumpLanes CopyLanes(const analysis::CodeCopy& copy, int width);

// An instruction with what its target is called: "call   <memcpy@plt>", "jne    1190 <+0x40>",
// "lea    0x2e4(%rip),%rdi  # <table>". Names are folded and cut so that it fits `width`; 0: never.
std::string InstructionText(const analysis::AnnotatedInstruction& instruction, std::size_t width);

}  // namespace prof::report
