// Fills in attrs and descriptions of events, modifiers included.
#include "perf/spec_builder.h"

#include <utility>

namespace prof::perf {
namespace {

constexpr std::string_view kModifierLetters = "ukhGHIpPDeS";
constexpr unsigned kMaxPrecise = 3;  // precise_ip has 2 bits

// The first of u, k, h excludes all levels, each of them lets its own in again.
void SelectLevel(char letter, perf_event_attr& attr) {
  if (attr.exclude_user == 0 && attr.exclude_kernel == 0 && attr.exclude_hv == 0) {
    attr.exclude_user = attr.exclude_kernel = attr.exclude_hv = 1;
  }
  if (letter == 'u') attr.exclude_user = 0;
  if (letter == 'k') attr.exclude_kernel = 0;
  if (letter == 'h') attr.exclude_hv = 0;
}

void SelectHostOrGuest(char letter, perf_event_attr& attr) {
  if (attr.exclude_guest == 0 && attr.exclude_host == 0) {
    attr.exclude_guest = attr.exclude_host = 1;
  }
  if (letter == 'G') attr.exclude_guest = 0;
  if (letter == 'H') attr.exclude_host = 0;
}

}  // namespace

EventSpec MakeSpec(std::uint32_t type, std::uint64_t config, std::string name) {
  EventSpec spec;
  spec.attr.size = sizeof spec.attr;
  spec.attr.type = type;
  spec.attr.config = config;
  spec.desc.name = std::move(name);
  spec.desc.attr_type = type;
  spec.desc.attr_config = config;
  return spec;
}

bool LooksLikeModifiers(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kModifierLetters) == std::string_view::npos;
}

std::string WithModifiers(const std::string& name, std::string_view letters) {
  if (letters.empty()) return name;
  const std::string_view last = std::string_view(name).substr(name.find_last_of(":/") + 1);
  const bool has_some = last.size() < name.size() && (last.empty() || LooksLikeModifiers(last));
  return name + (has_some ? "" : ":") + std::string(letters);
}

Status ApplyModifiers(std::string_view letters, EventSpec& spec) {
  perf_event_attr& attr = spec.attr;
  unsigned precise = spec.precise_max ? 0U : static_cast<unsigned>(attr.precise_ip);
  for (const char letter : letters) {
    switch (letter) {
      case 'u':
      case 'k':
      case 'h':
        SelectLevel(letter, attr);
        break;
      case 'G':
      case 'H':
        SelectHostOrGuest(letter, attr);
        break;
      case 'I':
        attr.exclude_idle = 1;
        break;
      case 'p':
        ++precise;
        break;
      case 'P':
        spec.precise_max = true;
        break;
      case 'D':
        attr.pinned = 1;
        break;
      case 'e':
        attr.exclusive = 1;
        break;
      case 'S':
        spec.leader_sampling = true;
        break;
      default:
        return Fail(
            ErrorKind::kUsage, "event '" + spec.desc.name + "': unknown modifier '" + letter + "'",
            "modifiers are u (user), k (kernel), h (hypervisor), G (guest), H (host), I (not "
            "idle), p to ppp and P (precise), D (pinned), e (exclusive), S (leader samples)");
    }
  }
  if (precise > kMaxPrecise) {
    return Fail(ErrorKind::kUsage, "event '" + spec.desc.name + "': more than three p",
                "use :P for as precise as the machine can");
  }
  if (precise > 0) attr.precise_ip = precise & kMaxPrecise;
  if (spec.precise_max) attr.precise_ip = kMaxPrecise;
  spec.desc.excludes_user = attr.exclude_user != 0;
  spec.desc.excludes_kernel = attr.exclude_kernel != 0;
  spec.desc.precise = static_cast<std::uint8_t>(attr.precise_ip);
  return {};
}

}  // namespace prof::perf
