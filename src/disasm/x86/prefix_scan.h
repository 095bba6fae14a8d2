// The prefixes of one instruction, grouped as objdump groups them: a REX prefix that is followed by
// another prefix, and fwait in front of anything but x87, are instructions of their own to it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace prof::disasm::x86 {

struct PrefixScan {
  enum class Kind : std::uint8_t {
    kInstruction,  // an opcode follows at `length`
    kAlone,        // the prefixes are all there is
    kFwait,        // prefixes, then fwait, which is all there is
    kCut,          // the bytes end before an opcode
  };
  Kind kind = Kind::kInstruction;
  std::uint8_t length = 0;  // bytes of prefixes, with the fwait that x87 instructions absorb
  bool fwait = false;       // 9b in front of an x87 instruction
  std::uint8_t rex = 0;

  // All but fwait, in the order of the bytes; the index of the last of each kind, -1: none.
  std::array<std::uint8_t, 15> bytes{};
  std::uint8_t count = 0;
  std::int8_t rex_at = -1;
  std::int8_t data_at = -1;
  std::int8_t address_at = -1;
  std::int8_t repz_at = -1;
  std::int8_t repnz_at = -1;
  std::int8_t lock_at = -1;
  std::int8_t segment_at = -1;

  [[nodiscard]] bool rex_w() const { return (rex & 8U) != 0; }
};

PrefixScan ScanPrefixes(std::span<const std::uint8_t> bytes, bool long_mode);

}  // namespace prof::disasm::x86
