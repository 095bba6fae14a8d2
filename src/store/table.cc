// Writes and reads sections and the tables in them.
#include "store/table.h"

#include <algorithm>

namespace prof::store {
namespace {

// Sections, columns and records share this: the lowest bit of a tag says that who does not know the
// number must not go on.
constexpr std::uint64_t kRequiredBit = 1;

}  // namespace

bool SectionList::ReadTable(Section section, TableSpec spec, Table& table,
                            bool* unsupported) const {
  table.Clear();
  const auto content = Get(section);
  return content.empty() || table.Decode(ByteReader(content), spec, unsupported);
}

void WriteSection(Section section, std::span<const std::byte> content, ByteWriter& out) {
  out.Varint(static_cast<std::uint64_t>(section) << 1);
  out.Varint(content.size());
  out.Bytes(content);
}

bool SectionList::Parse(std::span<const std::byte> payload, bool* unsupported) {
  sections_ = {};
  ByteReader in(payload);
  while (in.remaining() > 0) {
    const std::uint64_t tag = in.Varint();
    const auto content = in.Bytes(in.Varint());
    if (!in.ok()) return false;
    const std::uint64_t id = tag >> 1;
    if (id >= kSections) {
      if ((tag & kRequiredBit) != 0) *unsupported = true;
      continue;
    }
    if (content.empty() || !sections_[id].empty()) return false;
    sections_[id] = content;
  }
  return true;
}

std::vector<std::uint64_t> TableBuilder::Column(std::size_t column) const {
  std::vector<std::uint64_t> values(rows());
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = At(row, column);
  return values;
}

void TableBuilder::Encode(ByteWriter& out) const {
  if (cells_.empty()) return;
  ByteWriter content;
  content.Varint(rows());
  std::vector<std::vector<std::uint64_t>> columns(spec_.size());
  for (std::size_t id = 0; id < spec_.size(); ++id) {
    const ColumnSpec& spec = spec_[id];
    columns[id] = Column(id);
    const auto is_missing = [&](std::uint64_t value) { return value == spec.missing; };
    if (std::ranges::all_of(columns[id], is_missing)) continue;
    content.Varint(id << 1);
    const ColumnValues key = spec.key == kNoKey ? ColumnValues() : ColumnValues(columns[spec.key]);
    EncodeColumn(columns[id], key, spec, content);
  }
  WriteSection(section_, content.bytes(), out);
}

bool Table::Decode(ByteReader in, TableSpec spec, bool* unsupported) {
  rows_ = 0;
  const std::uint64_t rows = in.Varint();
  if (!in.ok() || rows > kMaxRows) return false;
  columns_.resize(spec.size());
  std::size_t next = 0;  // columns come in ascending order; what is passed over is missing
  const auto fill_missing = [&](std::size_t end) {
    for (; next < end; ++next) columns_[next].assign(rows, spec[next].missing);
  };
  while (in.remaining() > 0) {
    const std::uint64_t tag = in.Varint();
    const auto encoding = static_cast<Encoding>(in.U8());
    const auto data = in.Bytes(in.Varint());
    if (!in.ok()) return false;
    const std::uint64_t id = tag >> 1;
    if (id >= spec.size()) {
      if ((tag & kRequiredBit) != 0) *unsupported = true;
      continue;
    }
    if (id < next) return false;
    fill_missing(id);
    columns_[id].resize(rows);
    const DecodedColumns earlier = DecodedColumns(columns_).first(id);
    if (!DecodeColumn(encoding, ByteReader(data), earlier, columns_[id])) return false;
    const std::uint64_t max = spec[id].max;
    if (std::ranges::any_of(columns_[id], [max](std::uint64_t v) { return v > max; })) return false;
    next = id + 1;
  }
  fill_missing(spec.size());
  rows_ = rows;
  return true;
}

}  // namespace prof::store
