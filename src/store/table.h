// Tables: rows of numbers, stored by column.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/column_codec.h"
#include "store/format.h"

#include "prof/base/byte_reader.h"
#include "prof/base/byte_writer.h"

namespace prof::store {

using TableSpec = std::span<const ColumnSpec>;

// Collects rows for one block. Appending a row allocates only while the table is larger than ever
// before.
class TableBuilder {
 public:
  TableBuilder(Section section, TableSpec spec) : section_(section), spec_(spec) {}

  // One value per column of the spec, in its order.
  template <std::size_t N>
  void Add(const std::array<std::uint64_t, N>& row) {
    cells_.insert(cells_.end(), row.begin(), row.end());
  }
  [[nodiscard]] std::size_t rows() const { return cells_.size() / spec_.size(); }
  [[nodiscard]] std::uint64_t At(std::size_t row, std::size_t column) const {
    return cells_[row * spec_.size() + column];
  }
  // Counts what belongs to the row added last.
  void IncrementLast(std::size_t column) { ++cells_[cells_.size() - spec_.size() + column]; }
  [[nodiscard]] std::vector<std::uint64_t> Column(std::size_t column) const;
  void Clear() { cells_.clear(); }
  // Appends the section, or nothing when there are no rows.
  void Encode(ByteWriter& out) const;

 private:
  Section section_;
  TableSpec spec_;
  std::vector<std::uint64_t> cells_;  // row by row
};

// A table out of a block; every column that the spec names is there, with values within its limit.
class Table {
 public:
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t At(std::size_t row, std::size_t column) const {
    return columns_[column][row];
  }
  [[nodiscard]] std::span<const std::uint64_t> Column(std::size_t column) const {
    return std::span(columns_[column]).first(rows_);
  }
  // False when the section is malformed. `*unsupported` is set instead of ignoring an unknown
  // required column.
  bool Decode(ByteReader in, TableSpec spec, bool* unsupported);
  void Clear() { rows_ = 0; }

 private:
  std::size_t rows_ = 0;
  std::vector<std::vector<std::uint64_t>> columns_;
};

// The sections of one block, split but not decoded.
class SectionList {
 public:
  // False when malformed or a section is there twice. `*unsupported` as for tables.
  bool Parse(std::span<const std::byte> payload, bool* unsupported);
  [[nodiscard]] std::span<const std::byte> Get(Section section) const {
    return sections_[static_cast<std::size_t>(section)];
  }
  // The table in a section, without rows where there is no such section. As Table::Decode().
  bool ReadTable(Section section, TableSpec spec, Table& table, bool* unsupported) const;

 private:
  std::array<std::span<const std::byte>, kSections> sections_;
};

// Appends one section: tag, length, content.
void WriteSection(Section section, std::span<const std::byte> content, ByteWriter& out);

}  // namespace prof::store
