// From .eh_frame to the rule for one address.
#pragma once

#include <cstdint>

#include "unwind/walk/frame_entry.h"
#include "unwind/walk/rule.h"

namespace prof::unwind::walk {

// Never fails: what cannot be expressed, or read, is CfaForm::kSlow; an address without an entry is
// CfaForm::kNone. About 0.3 us, so callers keep the result.
Rule CompileRule(const ModuleCfi& cfi, std::uint64_t file_address);

}  // namespace prof::unwind::walk
