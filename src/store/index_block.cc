// Writes and reads the index.
#include "store/index_block.h"

#include "store/schema.h"
#include "store/table.h"

namespace prof::store {

using schema::IndexBlocks;

void EncodeIndex(std::span<const IndexEntry> blocks, ByteWriter& out) {
  TableBuilder table(Section::kIndexBlocks, IndexBlocks::kSpec);
  for (const IndexEntry& block : blocks) {
    table.Add<IndexBlocks::kCount>(
        {block.offset, block.type, block.epoch, block.samples, block.begin_ns, block.end_ns});
  }
  table.Encode(out);
  out.U32(static_cast<std::uint32_t>(kBlockHeaderBytes + out.size() + kIndexTrailerBytes));
  out.U32(kIndexTrailerMagic);
}

bool DecodeIndex(std::span<const std::byte> payload, std::vector<IndexEntry>* blocks) {
  if (payload.size() < kIndexTrailerBytes) return false;
  ByteReader trailer(payload.last(kIndexTrailerBytes));
  if (trailer.U32() != kBlockHeaderBytes + payload.size()) return false;
  if (trailer.U32() != kIndexTrailerMagic) return false;
  SectionList sections;
  bool unsupported = false;
  if (!sections.Parse(payload.first(payload.size() - kIndexTrailerBytes), &unsupported)) {
    return false;
  }
  const auto content = sections.Get(Section::kIndexBlocks);
  if (content.empty()) return !unsupported;
  Table table;
  if (!table.Decode(ByteReader(content), IndexBlocks::kSpec, &unsupported)) return false;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto number = [&](std::size_t column) {
      return static_cast<std::uint32_t>(table.At(row, column));
    };
    blocks->push_back({.offset = table.At(row, IndexBlocks::kOffset),
                       .type = number(IndexBlocks::kType),
                       .epoch = number(IndexBlocks::kEpoch),
                       .samples = number(IndexBlocks::kSamples),
                       .begin_ns = table.At(row, IndexBlocks::kBegin),
                       .end_ns = table.At(row, IndexBlocks::kEnd)});
  }
  return !unsupported;
}

}  // namespace prof::store
