// Runs DWARF line programs.
#include "symbols/dwarf/line_program.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "prof/base/byte_reader.h"

namespace prof::symbols {
namespace {

class Machine {
 public:
  Machine(const LineProgram& program, std::span<const std::uint64_t> addresses)
      : program_(program),
        reader_(program.bytes),
        addresses_(addresses),
        rows_(addresses.size()),
        opcode_base_(program.operand_counts.size() + 1) {}

  std::vector<LineRow> Run() {
    while (reader_.remaining() > 0) Step();
    return std::move(rows_);
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

  // Gives the open row to the wanted addresses up to here.
  void CloseRow() {
    if (open_ && address_ > open_address_) {
      if (open_address_ < last_close_ || next_ == kUnknown) {
        next_ = static_cast<std::size_t>(std::ranges::lower_bound(addresses_, open_address_) -
                                         addresses_.begin());
      } else {
        while (next_ < addresses_.size() && addresses_[next_] < open_address_) ++next_;
      }
      for (; next_ < addresses_.size() && addresses_[next_] < address_; ++next_) {
        rows_[next_] = row_;
      }
      last_close_ = address_;
    }
    open_ = false;
  }

  static constexpr std::size_t kUnknown = ~std::size_t{0};

  const LineProgram& program_;
  ByteReader reader_;
  std::span<const std::uint64_t> addresses_;
  std::vector<LineRow> rows_;
  std::size_t opcode_base_;
  std::uint64_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
  bool open_ = false;
  std::uint64_t open_address_ = 0;
  LineRow row_;
  std::size_t next_ = kUnknown;  // the first wanted address at or after last_close_
  std::uint64_t last_close_ = 0;
};

}  // namespace

std::vector<LineRow> LineProgram::Run(std::span<const std::uint64_t> addresses) const {
  return Machine(*this, addresses).Run();
}

}  // namespace prof::symbols
