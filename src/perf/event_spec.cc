// Splits the text of -e into events and groups, and finds each event by its kind of name.
#include "prof/perf/event_spec.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "perf/breakpoint_event.h"
#include "perf/generic_events.h"
#include "perf/pfm_events.h"
#include "perf/pfm_library.h"
#include "perf/pmu_events.h"
#include "perf/spec_builder.h"
#include "perf/tracepoint_events.h"

#include "prof/base/near_names.h"

namespace prof::perf {
namespace {

constexpr std::size_t kHintNames = 3;

using Specs = std::vector<EventSpec>;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// `text` in two at its first `separator`; nothing behind it when there is none.
struct Cut {
  std::string_view before;
  std::optional<std::string_view> behind;
};
Cut CutAt(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

bool IsBreakpoint(std::string_view item) { return item.starts_with("mem:"); }

// Upper case is for the names of CPU manuals, INST_RETIRED:ANY.
bool HasUpperCase(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::unexpected<Error> Unknown(std::string_view name, const HostFs& fs) {
  const std::string wrong(name);
  const std::vector<std::string> near = NearestEventNames(wrong, fs, kHintNames);
  const bool one_word = name.find(':') == std::string_view::npos;
  // Other names would not help who asks for one of the manual.
  const bool of_manual = HasUpperCase(name) || (near.empty() && one_word);
  if (const auto& pfm = ThePfmLibrary(); !pfm && of_manual) {
    return Fail(ErrorKind::kNotFound, "unknown event '" + wrong + "'; " + pfm.error().message,
                pfm.error().hint);
  }
  const char* otherwise =
      one_word
          ? "names from a CPU's manual need its hardware counters, which many virtual machines lack"
          : "sudo prof list tracepoint lists what this kernel has";
  return Fail(ErrorKind::kNotFound, "unknown event '" + wrong + "'", DidYouMean(near, otherwise));
}

// Modifiers behind a name's colon. `behind` is missing without one.
Status ApplyTo(Specs& specs, std::string_view item, std::optional<std::string_view> behind) {
  if (behind && behind->empty()) {
    return Fail(ErrorKind::kUsage, "event '" + std::string(item) + "': nothing behind the colon",
                "add a modifier such as u, or leave the colon out");
  }
  for (EventSpec& spec : specs) PROF_TRY(ApplyModifiers(behind.value_or(""), spec));
  return {};
}

// pmu/terms/modifiers, where a colon may stand before the modifiers.
Result<Specs> FindPmuEvent(std::string_view item, const HostFs& fs) {
  const Cut pmu = CutAt(item, '/');
  const std::size_t end = pmu.behind->rfind('/');
  if (end == std::string_view::npos) {
    return Fail(ErrorKind::kUsage, "event '" + std::string(item) + "': the closing / is missing",
                "write PMU/TERMS/, such as cpu/event=0x3c/");
  }
  PROF_TRY_ASSIGN(Specs specs, ParsePmuEvent(pmu.before, pmu.behind->substr(0, end), fs));
  std::string_view modifiers = pmu.behind->substr(end + 1);
  if (modifiers.starts_with(':')) modifiers.remove_prefix(1);
  PROF_TRY(ApplyTo(specs, item, modifiers.empty() ? std::nullopt : std::optional(modifiers)));
  // A name that the text gives ("name=") stays as it is.
  for (EventSpec& spec : specs) {
    if (!modifiers.empty() && spec.desc.name.ends_with('/')) spec.desc.name += modifiers;
  }
  return specs;
}

// Names that are one word, with modifiers: generic, raw, and sysfs events without their PMU.
Result<std::optional<Specs>> FindWord(std::string_view item, const HostFs& fs) {
  const Cut cut = CutAt(item, ':');
  Specs specs;
  if (auto generic = FindGenericEvent(cut.before)) {
    specs.push_back(std::move(*generic));
  } else if (auto raw = FindRawEvent(cut.before)) {
    specs.push_back(std::move(*raw));
  } else {
    for (const std::string& pmu : PmusWithEvent(cut.before, fs)) {
      PROF_TRY_ASSIGN(Specs found, ParsePmuEvent(pmu, cut.before, fs));
      specs.insert(specs.end(), found.begin(), found.end());
    }
    if (specs.empty()) return std::nullopt;
  }
  if (specs.size() == 1) specs.front().desc.name = item;
  PROF_TRY(ApplyTo(specs, item, cut.behind));
  return specs;
}

// system:name[:modifiers]. Nothing when the text is no tracepoint's name.
Result<std::optional<Specs>> FindTracepoint(std::string_view item, const HostFs& fs) {
  const Cut system = CutAt(item, ':');
  if (!system.behind || system.behind->starts_with(':') || LooksLikeModifiers(*system.behind)) {
    return std::nullopt;
  }
  if (HasUpperCase(system.before)) return std::nullopt;
  const Cut name = CutAt(*system.behind, ':');
  auto specs = FindTracepoints(std::string(system.before), std::string(name.before), fs);
  if (!specs) {
    if (specs.error().kind == ErrorKind::kNotFound) return std::nullopt;
    return std::unexpected(std::move(specs).error());
  }
  PROF_TRY(ApplyTo(*specs, item, name.behind));
  for (EventSpec& spec : *specs) {
    if (name.behind) spec.desc.name += ":" + std::string(*name.behind);
  }
  return std::move(*specs);
}

// libpfm4's own attributes come first; what it does not take may be our modifiers at the end.
Result<std::optional<Specs>> FindPfmEvent(std::string_view item) {
  const PfmSession pfm;
  if (auto spec = pfm.Find(std::string(item))) return Specs{std::move(*spec)};
  const std::size_t colon = item.rfind(':');
  if (colon == std::string_view::npos || !LooksLikeModifiers(item.substr(colon + 1))) {
    return std::nullopt;
  }
  auto spec = pfm.Find(std::string(item.substr(0, colon)));
  if (!spec) return std::nullopt;
  spec->desc.name = item;
  Specs specs{std::move(*spec)};
  PROF_TRY(ApplyTo(specs, item, item.substr(colon + 1)));
  return specs;
}

Result<Specs> FindEvent(std::string_view item, const HostFs& fs) {
  if (IsBreakpoint(item)) {
    PROF_TRY_ASSIGN(EventSpec spec, ParseBreakpoint(item));
    return Specs{std::move(spec)};
  }
  if (item.find('/') != std::string_view::npos) return FindPmuEvent(item, fs);
  auto word = FindWord(item, fs);
  if (!word) {
    // "ITLB:ITLB_FLUSH" begins like the cache event iTLB, and is of a CPU's manual.
    if (auto pfm = FindPfmEvent(item); pfm && *pfm) return std::move(**pfm);
    return std::unexpected(std::move(word).error());
  }
  if (*word) return std::move(**word);
  auto tracepoints = FindTracepoint(item, fs);
  if (tracepoints && *tracepoints) return std::move(**tracepoints);
  PROF_TRY_ASSIGN(auto pfm, FindPfmEvent(item));
  if (pfm) return std::move(*pfm);
  // Tracefs could not be read, so that nobody can say whether the name is right.
  if (!tracepoints) return std::unexpected(std::move(tracepoints).error());
  const Cut cut = CutAt(item, ':');
  return Unknown(cut.behind && LooksLikeModifiers(*cut.behind) ? cut.before : item, fs);
}

// Walks over one -e argument: events and groups, separated by commas.
class EventList {
 public:
  EventList(std::string_view text, const HostFs& fs, int first_group)
      : text_(text), fs_(fs), next_group_(first_group) {}

  Result<Specs> Parse() {
    for (;;) {
      SkipBlanks();
      PROF_TRY(At('{') ? ParseGroup() : ParseItem());
      SkipBlanks();
      if (position_ == text_.size()) return std::move(specs_);
      if (!At(',')) return Misplaced();
      ++position_;
    }
  }

 private:
  [[nodiscard]] bool At(char c) const { return position_ < text_.size() && text_[position_] == c; }
  void SkipBlanks() {
    while (At(' ') || At('\t') || At('\n')) ++position_;
  }
  [[nodiscard]] std::unexpected<Error> Misplaced() const {
    return Fail(ErrorKind::kUsage,
                "events '" + std::string(text_) + "': misplaced '" + text_[position_] +
                    "' at character " + std::to_string(position_ + 1),
                "separate events with commas; a group is {a,b} or {a,b}:modifiers");
  }

  // Up to the comma or brace that ends the event; those between slashes belong to it.
  std::string_view TakeItem() {
    const std::size_t begin = position_;
    const bool breakpoint = IsBreakpoint(text_.substr(begin));
    bool in_terms = false;
    bool quoted = false;
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (in_terms && c == '\'') quoted = !quoted;
      if (c == '/' && !breakpoint && !quoted) in_terms = !in_terms;
      if (!in_terms && (c == ',' || c == '{' || c == '}')) break;
    }
    return Trimmed(text_.substr(begin, position_ - begin));
  }

  Status ParseItem() {
    const std::string_view item = TakeItem();
    if (item.empty()) {
      if (position_ < text_.size()) return Misplaced();
      return Fail(ErrorKind::kUsage, "events '" + std::string(text_) + "': an event is missing",
                  "write events separated by commas, such as cycles:u,page-faults");
    }
    PROF_TRY_ASSIGN(Specs found, FindEvent(item, fs_));
    specs_.insert(specs_.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
    return {};
  }

  Status ParseGroup() {
    const std::size_t first = specs_.size();
    do {
      ++position_;  // the brace or comma
      SkipBlanks();
      PROF_TRY(ParseItem());
    } while (At(','));
    if (position_ == text_.size()) {
      return Fail(ErrorKind::kUsage,
                  "events '" + std::string(text_) + "': the closing } is missing",
                  "a group is {a,b} or {a,b}:modifiers");
    }
    if (!At('}')) return Misplaced();
    ++position_;
    std::string_view modifiers;
    if (At(':')) {
      ++position_;
      modifiers = TakeItem();
      if (modifiers.empty()) {
        return Fail(ErrorKind::kUsage,
                    "events '" + std::string(text_) + "': nothing behind the colon of a group",
                    "add a modifier such as S, or leave the colon out");
      }
    }
    return FinishGroup(first, modifiers);
  }

  Status FinishGroup(std::size_t first, std::string_view modifiers) {
    // S says how the group is read, not what a member counts, and stays out of the names.
    std::string in_names;
    for (const char letter : modifiers) {
      if (letter != 'S') in_names += letter;
    }
    for (std::size_t i = first; i < specs_.size(); ++i) {
      EventSpec& spec = specs_[i];
      PROF_TRY(ApplyModifiers(modifiers, spec));
      spec.group = next_group_;
      spec.group_leader = i == first;
      spec.desc.name = WithModifiers(spec.desc.name, in_names);
    }
    ++next_group_;
    return {};
  }

  std::string_view text_;
  const HostFs& fs_;
  int next_group_;
  std::size_t position_ = 0;
  Specs specs_;
};

}  // namespace

Result<Specs> ParseEvents(const std::string& text, const HostFs& fs, int first_group) {
  return EventList(text, fs, first_group).Parse();
}

std::vector<std::string> NearestEventNames(const std::string& wrong, const HostFs& fs,
                                           std::size_t limit) {
  std::vector<std::string> names = GenericEventNames();
  const auto add = [&](std::vector<std::string> more) {
    names.insert(names.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  };
  add(PmuEventNames(fs));
  add(TracepointNames(fs));
  add(PfmSession().Names());
  return NearestNames(wrong, std::move(names), limit);
}

}  // namespace prof::perf
