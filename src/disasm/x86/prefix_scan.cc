#include "disasm/x86/prefix_scan.h"

namespace prof::disasm::x86 {
namespace {

constexpr std::uint8_t kFwait = 0x9b;
constexpr std::uint8_t kMaxPrefixes = 14;  // an opcode must fit into the 15 bytes of an instruction

// Where the index of the last prefix of this kind is kept; null: not a legacy prefix.
std::int8_t* Slot(PrefixScan& scan, std::uint8_t byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
      return &scan.segment_at;
    case 0x66:
      return &scan.data_at;
    case 0x67:
      return &scan.address_at;
    case 0xf0:
      return &scan.lock_at;
    case 0xf2:
      return &scan.repnz_at;
    case 0xf3:
      return &scan.repz_at;
    default:
      return nullptr;
  }
}

}  // namespace

PrefixScan ScanPrefixes(std::span<const std::uint8_t> bytes, bool long_mode) {
  PrefixScan scan;
  for (; scan.length < kMaxPrefixes; ++scan.length) {
    if (scan.length >= bytes.size()) {
      scan.kind = PrefixScan::Kind::kCut;
      return scan;
    }
    const std::uint8_t byte = bytes[scan.length];
    const bool is_rex = long_mode && (byte & 0xf0U) == 0x40;
    std::int8_t* slot = is_rex ? &scan.rex_at : Slot(scan, byte);
    if (slot == nullptr && byte != kFwait) break;
    if (scan.rex != 0) {
      // The processor ignores a REX prefix that another prefix follows.
      scan.kind = PrefixScan::Kind::kAlone;
      return scan;
    }
    if (byte == kFwait) {
      if (scan.count > 0 || scan.fwait) {
        scan.kind = PrefixScan::Kind::kFwait;
        return scan;
      }
      scan.fwait = true;
      continue;
    }
    *slot = static_cast<std::int8_t>(scan.count);
    if (is_rex) scan.rex = byte;
    scan.bytes[scan.count++] = byte;
  }
  if (scan.length >= kMaxPrefixes) {
    scan.kind = PrefixScan::Kind::kAlone;
  } else if (scan.fwait && (bytes[scan.length] & 0xf8U) != 0xd8) {
    scan = PrefixScan{.kind = PrefixScan::Kind::kFwait};
  }
  return scan;
}

}  // namespace prof::disasm::x86
