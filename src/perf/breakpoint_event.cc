// Parses mem:ADDR[/LEN][:rwx] breakpoint events.
#include "perf/breakpoint_event.h"

#include <linux/hw_breakpoint.h>

#include <optional>
#include <string>

#include "perf/number.h"
#include "perf/spec_builder.h"

namespace prof::perf {
namespace {

constexpr std::string_view kPrefix = "mem:";

std::unexpected<Error> Bad(std::string_view text, const std::string& why) {
  return Fail(ErrorKind::kUsage, "event '" + std::string(text) + "': " + why,
              "write mem:ADDRESS[/LENGTH][:rwx], such as mem:0x601040/8:w");
}

// Letters to HW_BREAKPOINT_*; nothing for any other letter or one that repeats.
std::optional<std::uint32_t> AccessOf(std::string_view letters) {
  std::uint32_t access = 0;
  for (const char letter : letters) {
    const std::uint32_t bit = letter == 'r'   ? HW_BREAKPOINT_R
                              : letter == 'w' ? HW_BREAKPOINT_W
                              : letter == 'x' ? HW_BREAKPOINT_X
                                              : 0;
    if (bit == 0 || (access & bit) != 0) return std::nullopt;
    access |= bit;
  }
  return access == 0 ? std::nullopt : std::optional(access);
}

// Cuts `text` at its first colon and gives the part before it.
std::string_view TakePart(std::string_view& text) {
  const std::size_t colon = text.find(':');
  const std::string_view part = text.substr(0, colon);
  text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  return part;
}

}  // namespace

Result<EventSpec> ParseBreakpoint(std::string_view text) {
  if (text.ends_with(':')) return Bad(text, "nothing behind the last colon");
  std::string_view rest = text.substr(kPrefix.size());
  const std::string_view where = TakePart(rest);
  const std::size_t slash = where.find('/');
  const auto address = ParseNumber(where.substr(0, slash));
  if (!address) return Bad(text, "the address is not a number");

  std::uint32_t access = HW_BREAKPOINT_RW;
  std::string_view modifiers = rest;
  if (const auto stated = AccessOf(TakePart(rest))) {
    access = *stated;
    modifiers = rest;
  }
  // The kernel wants sizeof(long) for instructions; 4 bytes is what perf takes for data.
  std::optional<std::uint64_t> length = access == HW_BREAKPOINT_X ? sizeof(long) : 4;
  if (slash != std::string_view::npos) length = ParseNumber(where.substr(slash + 1));
  if (!length || *length < HW_BREAKPOINT_LEN_1 || *length > HW_BREAKPOINT_LEN_8) {
    return Bad(text, "the length is not a number from 1 to 8");
  }
  EventSpec spec = MakeSpec(PERF_TYPE_BREAKPOINT, 0, std::string(text));
  spec.attr.bp_type = access;
  spec.attr.bp_addr = *address;
  spec.attr.bp_len = *length;
  PROF_TRY(ApplyModifiers(modifiers, spec));
  return spec;
}

}  // namespace prof::perf
