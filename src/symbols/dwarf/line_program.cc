// Runs DWARF line programs.
#include "symbols/dwarf/line_program.h"

#include <dwarf.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "prof/base/byte_reader.h"

namespace prof::symbols {
namespace {

// The rows of wanted addresses: of several that cover one, the last.
class AddressRows {
 public:
  explicit AddressRows(std::span<const std::uint64_t> addresses)
      : addresses_(addresses), rows_(addresses.size()) {}

  void Cover(std::uint64_t begin, std::uint64_t end, const LineRow& row) {
    if (begin < last_end_ || next_ == kUnknown) {
      next_ = static_cast<std::size_t>(std::ranges::lower_bound(addresses_, begin) -
                                       addresses_.begin());
    } else {
      while (next_ < addresses_.size() && addresses_[next_] < begin) ++next_;
    }
    for (; next_ < addresses_.size() && addresses_[next_] < end; ++next_) rows_[next_] = row;
    last_end_ = end;
  }

  std::vector<LineRow> Take() { return std::move(rows_); }

 private:
  static constexpr std::size_t kUnknown = ~std::size_t{0};

  std::span<const std::uint64_t> addresses_;
  std::vector<LineRow> rows_;
  std::size_t next_ = kUnknown;  // the first wanted address at or after last_end_
  std::uint64_t last_end_ = 0;
};

// The rows of wanted ranges, in the order of the program.
class RangeRows {
 public:
  // A row is a byte at least and covers code of one range, seldom of two.
  RangeRows(const std::vector<CodeRange>& wanted, std::size_t program_bytes)
      : wanted_(wanted), budget_(wanted.size() + 2 * program_bytes) {}

  void Cover(std::uint64_t begin, std::uint64_t end, const LineRow& row) {
    if (begin < last_begin_) {
      next_ = static_cast<std::size_t>(
          std::ranges::upper_bound(wanted_, begin, {}, &CodeRange::end) - wanted_.begin());
    } else {
      while (next_ < wanted_.size() && wanted_[next_].end <= begin) ++next_;
    }
    last_begin_ = begin;
    for (std::size_t i = next_; i < wanted_.size() && wanted_[i].begin < end && budget_ > 0; ++i) {
      --budget_;
      rows_.push_back({std::max(begin, wanted_[i].begin), std::min(end, wanted_[i].end), row});
    }
  }

  std::vector<RowRange> Take();

 private:
  const std::vector<CodeRange>& wanted_;
  std::uint64_t budget_;
  std::vector<RowRange> rows_;
  std::size_t next_ = 0;  // the first wanted range that ends behind last_begin_
  std::uint64_t last_begin_ = 0;
};

using Painting = std::map<std::uint64_t, RowRange>;  // by begin

// Puts `layer` over what is there.
void Paint(const RowRange& layer, Painting& painting) {
  auto next = painting.lower_bound(layer.begin);
  if (next != painting.begin()) {
    RowRange& before = std::prev(next)->second;
    const RowRange old = before;
    before.end = std::min(before.end, layer.begin);
    if (old.end > layer.end) painting.emplace(layer.end, RowRange{layer.end, old.end, old.row});
  }
  while (next != painting.end() && next->first < layer.end) {
    const RowRange old = next->second;
    next = painting.erase(next);
    if (old.end > layer.end) painting.emplace(layer.end, RowRange{layer.end, old.end, old.row});
  }
  painting.insert_or_assign(layer.begin, layer);
}

std::vector<RowRange> RangeRows::Take() {
  const auto overlaps = [](const RowRange& a, const RowRange& b) { return b.begin < a.end; };
  if (std::ranges::adjacent_find(rows_, overlaps) != rows_.end()) {
    std::vector<RowRange> sorted = rows_;
    std::ranges::sort(sorted, {}, &RowRange::begin);
    if (std::ranges::adjacent_find(sorted, overlaps) != sorted.end()) {
      Painting painting;
      for (const RowRange& row : rows_) Paint(row, painting);
      sorted.clear();
      for (const auto& [begin, row] : painting) sorted.push_back(row);
    }
    rows_ = std::move(sorted);
  }
  std::vector<RowRange> merged;
  for (const RowRange& row : rows_) {
    if (!merged.empty() && merged.back().end == row.begin && merged.back().row == row.row)
      merged.back().end = row.end;
    else
      merged.push_back(row);
  }
  return merged;
}

// Gives the rows, in the order of the program, to Rows::Cover().
template <class Rows>
class Machine {
 public:
  Machine(const LineProgram& program, Rows& rows)
      : program_(program),
        reader_(program.bytes),
        rows_(rows),
        opcode_base_(program.operand_counts.size() + 1) {}

  void Run() {
    while (reader_.remaining() > 0) Step();
  }

 private:
  void Step() {
    const std::uint8_t opcode = reader_.U8();
    if (opcode >= opcode_base_) {
      const auto special = static_cast<std::uint8_t>(opcode - opcode_base_);
      Advance(special / program_.line_range);
      line_ += static_cast<std::uint32_t>(program_.line_base + special % program_.line_range);
      EmitRow();
    } else if (opcode == 0) {
      Extended();
    } else {
      Standard(opcode);
    }
  }

  void Standard(std::uint8_t opcode) {
    switch (opcode) {
      case DW_LNS_copy:
        return EmitRow();
      case DW_LNS_advance_pc:
        return Advance(reader_.Varint());
      case DW_LNS_advance_line:
        line_ += static_cast<std::uint32_t>(reader_.SignedLeb());
        return;
      case DW_LNS_set_file:
        file_ = reader_.Varint();
        return;
      case DW_LNS_const_add_pc:
        return Advance((255 - opcode_base_) / program_.line_range);
      case DW_LNS_fixed_advance_pc:
        address_ += reader_.U16();
        return;
      default:  // columns, statement marks and what later versions add
        for (int i = 0; i < program_.operand_counts[opcode - 1u]; ++i) reader_.Varint();
        return;
    }
  }

  void Extended() {
    const std::uint64_t size = reader_.Varint();
    ByteReader operands(reader_.Bytes(size));
    switch (operands.U8()) {
      case DW_LNE_end_sequence:
        CloseRow();
        address_ = 0;
        file_ = 1;
        line_ = 1;
        return;
      case DW_LNE_set_address:
        address_ = operands.remaining() >= 8 ? operands.U64() : operands.U32();
        return;
      default:
        return;
    }
  }

  void Advance(std::uint64_t operations) { address_ += operations * program_.instruction_bytes; }

  // A row reaches up to the next one of its sequence; of several at one address the last one
  // counts.
  void EmitRow() {
    CloseRow();
    // Linkers leave the code they removed at address 0.
    open_ = address_ != 0;
    open_address_ = address_;
    row_ = {file_, line_};
  }

  void CloseRow() {
    if (open_ && address_ > open_address_) rows_.Cover(open_address_, address_, row_);
    open_ = false;
  }

  const LineProgram& program_;
  ByteReader reader_;
  Rows& rows_;
  std::size_t opcode_base_;
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
  bool open_ = false;
  std::uint64_t open_address_ = 0;
  LineRow row_;
};

}  // namespace

std::vector<LineRow> LineProgram::Run(std::span<const std::uint64_t> addresses) const {
  AddressRows rows(addresses);
  Machine(*this, rows).Run();
  return rows.Take();
}

std::vector<RowRange> LineProgram::RunRanges(const std::vector<CodeRange>& wanted) const {
  RangeRows rows(wanted, bytes.size());
  Machine(*this, rows).Run();
  return rows.Take();
}

}  // namespace prof::symbols
