// Parses pmu/term=value,.../ with the formats and events that sysfs describes.
#include "perf/pmu_events.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "perf/number.h"
#include "perf/spec_builder.h"

#include "prof/base/near_names.h"
#include "prof/perf/event_spec.h"

namespace prof::perf {
namespace {

constexpr std::string_view kDevices = "/sys/bus/event_source/devices";
constexpr unsigned kConfigBits = 64;

struct Term {
  std::string_view name;
  std::optional<std::string_view> value;
};

// A name that cannot lead out of a folder.
bool IsFileName(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

std::string_view Unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// "a=1,b,name='x,y'" in its parts; commas in quotes do not separate.
std::vector<Term> SplitTerms(std::string_view text) {
  std::vector<Term> terms;
  while (!text.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != ','); ++end) {
      if (text[end] == '\'') quoted = !quoted;
    }
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = item.find('=');
    Term term{.name = item.substr(0, equals), .value = std::nullopt};
    if (equals != std::string_view::npos) term.value = Unquoted(item.substr(equals + 1));
    terms.push_back(term);
  }
  return terms;
}

// The attr field called `name`. config3 is younger than some copies of <linux/perf_event.h>.
std::optional<std::uint64_t> ConfigField(std::string_view name, const perf_event_attr& attr) {
  if (name == "config") return attr.config;
  if (name == "config1") return attr.config1;
  if (name == "config2") return attr.config2;
#ifdef PERF_ATTR_SIZE_VER8
  if (name == "config3") return attr.config3;
#endif
  return std::nullopt;
}

void SetConfigField(std::string_view name, std::uint64_t value, perf_event_attr& attr) {
  if (name == "config") attr.config = value;
  if (name == "config1") attr.config1 = value;
  if (name == "config2") attr.config2 = value;
#ifdef PERF_ATTR_SIZE_VER8
  if (name == "config3") attr.config3 = value;
#endif
}

// Bits of a format file, "config:0-7,32-35", in the order in which the bits of a value go there.
struct Format {
  std::string field;
  std::vector<unsigned> bits;
};
std::optional<Format> ParseFormat(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Format format{.field = std::string(text.substr(0, colon)), .bits = {}};
  for (const Term& range : SplitTerms(text.substr(colon + 1))) {
    const std::size_t dash = range.name.find('-');
    const auto first = ParseNumber(range.name.substr(0, dash), 10);
    const auto last =
        dash == std::string_view::npos ? first : ParseNumber(range.name.substr(dash + 1), 10);
    if (!first || !last || *first > *last || *last >= kConfigBits) return std::nullopt;
    for (auto bit = static_cast<unsigned>(*first); bit <= *last; ++bit) format.bits.push_back(bit);
  }
  return format;
}

// One PMU whose terms are being applied to one event.
class PmuEvent {
 public:
  PmuEvent(std::string pmu, std::string_view terms, const HostFs& fs)
      : fs_(fs), pmu_(std::move(pmu)), user_terms_(SplitTerms(terms)) {}

  Result<EventSpec> Build(std::string name) {
    PROF_TRY_ASSIGN(const long long type, fs_.ReadNumber(PmuPath(pmu_) + "/type"));
    spec_ = MakeSpec(static_cast<std::uint32_t>(type), 0, std::move(name));
    for (const Term& term : user_terms_) PROF_TRY(Apply(term));
    spec_.desc.attr_config = spec_.attr.config;
    return std::move(spec_);
  }

 private:
  Status Apply(const Term& term) {
    if (term.name == "name" && term.value) {
      spec_.desc.name = *term.value;
      return {};
    }
    if (term.name == "period" || term.name == "freq") return ApplySampling(term);
    if (term.name.starts_with("config")) {
      if (ConfigField(term.name, spec_.attr)) return ApplyConfig(term);
      if (term.name == "config3") {
        return Fail(ErrorKind::kUnsupported, "PMU '" + pmu_ + "': this prof does not know config3",
                    "build prof with the headers of Linux 6.3 or later");
      }
    }
    // A file name can be an event ("cycles") or a parameter ("edge"); events come first, as in
    // perf.
    const bool file_name = IsFileName(term.name);
    if (!term.value && file_name) {
      if (const auto event = fs_.ReadLine(FilePath("events", term.name))) {
        EventScale scale = ReadEventScale(pmu_, term.name, fs_);
        spec_.desc.scale = scale.factor;
        spec_.desc.scale_unit = std::move(scale.unit);
        return ApplyEvent(*event);
      }
    }
    if (file_name) {
      if (const auto format = fs_.ReadLine(FilePath("format", term.name))) {
        return ApplyFormat(term, *format);
      }
    }
    if (!term.value && term.name.starts_with('r')) {
      if (const auto raw = ParseNumber(term.name.substr(1), 16)) {
        spec_.attr.config = *raw;
        return {};
      }
    }
    return UnknownTerm(term);
  }

  Status ApplySampling(const Term& term) {
    PROF_TRY_ASSIGN(const std::uint64_t value, ValueOf(term));
    const bool frequency = term.name == "freq";
    if (value == 0) return BadValue(term, "must be above 0");
    spec_.attr.freq = frequency ? 1 : 0;
    spec_.attr.sample_period = value;
    spec_.desc.mode = frequency ? model::SamplingMode::kFrequency : model::SamplingMode::kPeriod;
    spec_.desc.sampling_value = value;
    return {};
  }

  Status ApplyConfig(const Term& term) {
    PROF_TRY_ASSIGN(const std::uint64_t value, ValueOf(term));
    SetConfigField(term.name, value, spec_.attr);
    return {};
  }

  Status ApplyFormat(const Term& term, const std::string& text) {
    const auto format = ParseFormat(text);
    const auto field = format ? ConfigField(format->field, spec_.attr) : std::nullopt;
    if (!field) {
      return Fail(
          ErrorKind::kUnsupported,
          "PMU '" + pmu_ + "': format of '" + std::string(term.name) + "' not understood: " + text);
    }
    std::uint64_t value = 1;
    if (term.value) {
      PROF_TRY_ASSIGN(value, ValueOf(term));
    }
    if (format->bits.size() < kConfigBits && (value >> format->bits.size()) != 0) {
      return BadValue(term, "has only " + std::to_string(format->bits.size()) + " bits");
    }
    std::uint64_t config = *field;
    for (const unsigned bit : format->bits) {
      config = (config & ~(std::uint64_t{1} << bit)) | (value & 1) << bit;
      value >>= 1;
    }
    SetConfigField(format->field, config, spec_.attr);
    return {};
  }

  // An events file: "event=0x3c,umask=0x01". What is "?" there must come from the user.
  Status ApplyEvent(const std::string& text) {
    for (const Term& term : SplitTerms(text)) {
      if (term.value == "?") {
        if (std::ranges::find(user_terms_, term.name, &Term::name) != user_terms_.end()) continue;
        return Fail(
            ErrorKind::kUsage,
            "PMU '" + pmu_ + "': this event needs a value for '" + std::string(term.name) + "'",
            "add " + std::string(term.name) + "=NUMBER");
      }
      // Files name parameters only: an event here would be an endless loop.
      const auto format = fs_.ReadLine(FilePath("format", term.name));
      PROF_TRY(format                               ? ApplyFormat(term, *format)
               : ConfigField(term.name, spec_.attr) ? ApplyConfig(term)
                                                    : UnknownTerm(term));
    }
    return {};
  }

  Result<std::uint64_t> ValueOf(const Term& term) const {
    const auto value = ParseNumber(term.value.value_or(""));
    if (!value) return std::unexpected(BadValue(term, "needs a number").error());
    return *value;
  }

  Status BadValue(const Term& term, const std::string& why) const {
    return Fail(ErrorKind::kUsage, "PMU '" + pmu_ + "': '" + std::string(term.name) + "' " + why,
                "write " + pmu_ + "/" + std::string(term.name) + "=NUMBER/, such as 12 or 0x1f");
  }

  Status UnknownTerm(const Term& term) const {
    std::vector<std::string> known = {"config", "config1", "config2", "name", "period", "freq"};
    for (const std::string_view folder : {"format", "events"}) {
      auto names = fs_.ListDir(PmuPath(pmu_) + "/" + std::string(folder));
      if (names) known.insert(known.end(), names->begin(), names->end());
    }
    return Fail(ErrorKind::kNotFound,
                "PMU '" + pmu_ + "' has no event or parameter '" + std::string(term.name) + "'",
                DidYouMean(NearestNames(term.name, std::move(known), 3),
                           "see " + PmuPath(pmu_) + "/events and " + PmuPath(pmu_) + "/format"));
  }

  std::string FilePath(std::string_view folder, std::string_view name) const {
    return PmuPath(pmu_) + "/" + std::string(folder) + "/" + std::string(name);
  }

  const HostFs& fs_;
  std::string pmu_;
  std::vector<Term> user_terms_;
  EventSpec spec_;
};

// "uncore_imc" stands for uncore_imc_0, uncore_imc_1, ..., and so does a glob.
std::vector<std::string> MatchingPmus(const std::string& name, const HostFs& fs) {
  std::vector<std::string> matching;
  for (std::string& pmu : PmuNames(fs)) {
    if (pmu == name) return {name};
    const bool numbered = pmu.starts_with(name + "_") &&
                          ParseNumber(std::string_view(pmu).substr(name.size() + 1), 10);
    if (numbered || ::fnmatch(name.c_str(), pmu.c_str(), 0) == 0)
      matching.push_back(std::move(pmu));
  }
  return matching;
}

// "cycles.scale", "cycles.unit" and the like belong to an event and are none.
bool IsEventFile(std::string_view name) { return name.find('.') == std::string_view::npos; }

}  // namespace

std::vector<std::string> PmuNames(const HostFs& fs) {
  return fs.ListDir(kDevices).value_or(std::vector<std::string>{});
}

std::string PmuPath(std::string_view pmu) { return std::string(kDevices) + "/" + std::string(pmu); }

bool IsCorePmu(const std::string& pmu, const HostFs& fs) {
  return pmu == "cpu" || fs.Exists(PmuPath(pmu) + "/cpus");
}

bool HasCorePmu(const HostFs& fs) {
  return std::ranges::any_of(PmuNames(fs), [&fs](const auto& pmu) { return IsCorePmu(pmu, fs); });
}

std::vector<std::string> PmuEvents(const std::string& pmu, const HostFs& fs) {
  std::vector<std::string> events;
  for (std::string& name :
       fs.ListDir(PmuPath(pmu) + "/events").value_or(std::vector<std::string>{})) {
    if (IsEventFile(name)) events.push_back(std::move(name));
  }
  return events;
}

EventScale ReadEventScale(const std::string& pmu, std::string_view event, const HostFs& fs) {
  const std::string path = PmuPath(pmu) + "/events/" + std::string(event);
  EventScale scale;
  if (const auto text = fs.ReadLine(path + ".scale")) {
    // Not strtod, which would ask the locale what a decimal point is.
    const char* const end = text->data() + text->size();
    double factor = 0;
    const auto [rest, error] = std::from_chars(text->data(), end, factor);
    if (error != std::errc{} || rest != end || !std::isfinite(factor) || factor <= 0) return scale;
    scale.factor = factor;
  }
  scale.unit = fs.ReadLine(path + ".unit").value_or("");
  return scale;
}

Result<std::vector<EventSpec>> ParsePmuEvent(std::string_view pmu, std::string_view terms,
                                             const HostFs& fs) {
  const std::vector<std::string> pmus = MatchingPmus(std::string(pmu), fs);
  if (pmus.empty()) {
    return Fail(ErrorKind::kNotFound, "this machine has no PMU '" + std::string(pmu) + "'",
                DidYouMean(NearestNames(pmu, PmuNames(fs), 3), "see " + std::string(kDevices)));
  }
  std::vector<EventSpec> specs;
  for (const std::string& name : pmus) {
    PmuEvent event(name, terms, fs);
    PROF_TRY_ASSIGN(EventSpec spec, event.Build(name + "/" + std::string(terms) + "/"));
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::vector<std::string> PmusWithEvent(std::string_view name, const HostFs& fs) {
  std::vector<std::string> pmus;
  if (!IsFileName(name) || !IsEventFile(name)) return pmus;
  for (std::string& pmu : PmuNames(fs)) {
    if (fs.Exists(PmuPath(pmu) + "/events/" + std::string(name))) pmus.push_back(std::move(pmu));
  }
  return pmus;
}

std::vector<std::string> PmuEventNames(const HostFs& fs) {
  std::vector<std::string> names;
  for (const std::string& pmu : PmuNames(fs)) {
    for (std::string& event : PmuEvents(pmu, fs)) names.push_back(std::move(event));
  }
  return names;
}

}  // namespace prof::perf
