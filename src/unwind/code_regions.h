// Code regions of a process as its mappings and images give them.
#pragma once

#include "unwind/walk/code_map.h"

#include "prof/model/address_space.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::unwind {

// The one translation of runtime addresses: fills `region` with the part of the mapping around
// `address` that has the same translation. False outside every mapping. Leaves `cfi` null.
bool RegionAround(model::RuntimeAddr address, const model::AddressSpace& space,
                  const ImageTable& images, walk::CodeRegion& region);

}  // namespace prof::unwind
