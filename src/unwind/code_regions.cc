// Turns runtime addresses into module and file address.
#include "unwind/code_regions.h"

#include <algorithm>

namespace prof::unwind {

bool RegionAround(model::RuntimeAddr address, const model::AddressSpace& space,
                  const ImageTable& images, walk::CodeRegion& region) {
  const model::Mapping* mapping = space.Find(address);
  if (mapping == nullptr) return false;
  region = walk::CodeRegion{};
  region.module = mapping->module;
  region.start = mapping->start.value;
  region.end = mapping->end.value;
  region.bias = mapping->start.value - mapping->file_offset.value;
  const ElfImage* image = images.Image(mapping->module);
  if (image == nullptr) return true;
  region.entry = image->entry().value;
  const model::FileOffset offset = mapping->file_offset + (address - mapping->start);
  const ElfImage::Segment* segment = image->SegmentAt(offset);
  if (segment == nullptr) {
    // Padding between segments: this address keeps its offset, its neighbours may not.
    region.start = address.value;
    region.end = address.value + 1;
    return true;
  }
  const std::uint64_t segment_start = address.value - (offset - segment->offset);
  region.bias = segment_start - segment->address.value;
  // A mapping begins at a page, so before the segment does.
  if (offset - segment->offset < address - mapping->start) region.start = segment_start;
  const std::uint64_t left = segment->file_size - (offset - segment->offset);
  region.end = std::min(region.end - address.value, left) + address.value;
  region.code = image->BytesAt(model::FileAddr{region.start - region.bias},
                               static_cast<std::size_t>(region.end - region.start));
  return true;
}

UnwoundFrame LocateFrame(model::RuntimeAddr address, model::FrameKind kind,
                         const model::AddressSpace& space, const ImageTable& images) {
  // A call that never returns can be the last instruction of its mapping or segment, so everything
  // is looked up for the call.
  const std::uint64_t back = kind == model::FrameKind::kReturn && address.value != 0 ? 1 : 0;
  walk::CodeRegion region;
  const bool found = RegionAround(address - back, space, images, region);
  return walk::FrameIn(found ? &region : nullptr, address.value, kind);
}

}  // namespace prof::unwind
