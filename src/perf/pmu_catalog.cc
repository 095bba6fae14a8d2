// The catalogue's part from /sys/bus/event_source/devices.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "perf/catalog_parts.h"
#include "perf/event_descriptions.h"
#include "perf/number.h"
#include "perf/pmu_events.h"
#include "perf/spec_builder.h"

namespace prof::perf {
namespace {

// "uncore_imc" of "uncore_imc_3"; nothing for a name without a number.
std::optional<std::string> Unnumbered(const std::string& pmu) {
  const std::size_t dash = pmu.rfind('_');
  if (dash == std::string::npos || dash == 0) return std::nullopt;
  if (!ParseNumber(std::string_view(pmu).substr(dash + 1), 10)) return std::nullopt;
  return pmu.substr(0, dash);
}

// PMUs under the name that stands for all of them in -e.
using PmuFamilies = std::map<std::string, std::vector<std::string>>;
PmuFamilies FamiliesOf(const std::vector<std::string>& pmus, const HostFs& fs) {
  PmuFamilies families;
  for (const std::string& pmu : pmus) families[Unnumbered(pmu).value_or(pmu)].push_back(pmu);
  // A common name is of use for several, and only when all of them have the same events.
  PmuFamilies result;
  for (auto& [name, members] : families) {
    const bool same = members.size() > 1 && std::ranges::find(pmus, name) == pmus.end() &&
                      std::ranges::all_of(members, [&](const std::string& member) {
                        return PmuEvents(member, fs) == PmuEvents(members.front(), fs);
                      });
    if (same) {
      result[name] = std::move(members);
    } else {
      for (std::string& member : members) result[member] = {member};
    }
  }
  return result;
}

// Events files may ask for values: "event=0x3c,core=?". The user has to write these.
std::vector<std::string> WantedTerms(std::string_view text) {
  std::vector<std::string> wanted;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view term = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (term.ends_with("=?")) wanted.emplace_back(term.substr(0, term.size() - 2));
  }
  return wanted;
}

// "event=N,umask=N,..." for a line: these two first, of many not all.
std::string FormTerms(std::vector<std::string> formats) {
  constexpr std::size_t kMost = 3;
  const auto is_late = [](const std::string& name) { return name != "event" && name != "umask"; };
  std::ranges::sort(formats, {}, [&](const std::string& name) {
    return std::pair(is_late(name), std::string_view(name));
  });
  std::string terms;
  for (std::size_t i = 0; i < std::min(formats.size(), kMost); ++i) {
    terms += (terms.empty() ? "" : ",") + formats[i] + "=N";
  }
  return terms + (formats.size() > kMost ? ",..." : "");
}

// One PMU, or several of the same kind of which the first is looked at.
class PmuFamily {
 public:
  PmuFamily(const std::string& name, const std::vector<std::string>& members, const HostFs& fs,
            const AvailabilityProbe& probe)
      : name_(name), members_(members), fs_(fs), probe_(probe) {}

  void Add(EventCatalog& catalog) {
    for (const std::string& event : PmuEvents(members_.front(), fs_)) {
      if (auto entry = Event(event)) catalog.entries.push_back(std::move(*entry));
    }
    if (auto form = Form()) catalog.entries.push_back(std::move(*form));
  }

 private:
  [[nodiscard]] std::string Path(const std::string& file) const {
    return PmuPath(members_.front()) + "/" + file;
  }

  [[nodiscard]] Availability AvailabilityOf(const std::string& terms) {
    const auto specs = ParsePmuEvent(members_.front(), terms, fs_);
    if (!specs || specs->empty()) {
      Availability none;
      none.reason = specs ? "" : specs.error().message;
      return none;
    }
    Availability found = probe_.Of(specs->front());
    if (!first_) first_ = found;
    return found;
  }

  std::optional<CatalogEntry> Event(const std::string& event) {
    const auto text = fs_.ReadLine(Path("events/" + event));
    if (!text) return std::nullopt;
    CatalogEntry entry{.kind = EventKind::kPmu, .group = name_};
    std::string terms = event;
    std::string tried = event;
    for (const std::string& term : WantedTerms(*text)) {
      terms += "," + term + "=N";
      tried += "," + term + "=0";
    }
    entry.name = name_ + "/" + terms + "/";
    if (tried != event) entry.example = name_ + "/" + tried + "/";
    EventScale scale = ReadEventScale(members_.front(), event, fs_);
    entry.scale = scale.factor;
    entry.unit = std::move(scale.unit);
    entry.description = DescribePmuEvent(event);
    if (entry.description.empty()) entry.description = *text;
    if (!entry.unit.empty()) entry.description += ", in " + entry.unit;
    entry.long_description = "is " + name_ + "/" + *text + "/" + Members();
    entry.availability = AvailabilityOf(tried);
    return entry;
  }

  // How an event is written by its parameters. Those of kprobe and uprobe need a path in memory
  // that no text can give; their events are made with `perf probe` and then have names.
  std::optional<CatalogEntry> Form() {
    if (name_ == "kprobe" || name_ == "uprobe") return std::nullopt;
    const auto formats = fs_.ListDir(PmuPath(members_.front()) + "/format");
    if (!formats || formats->empty()) return std::nullopt;
    CatalogEntry entry{.kind = EventKind::kForm};
    std::string bits;
    for (const std::string& format : *formats) {
      const auto text = fs_.ReadLine(PmuPath(members_.front()) + "/format/" + format);
      if (!text) continue;
      bits += (bits.empty() ? "" : "\n") + format + ": " + *text;
      if (entry.example.empty() || format == "event") entry.example = name_ + "/" + format + "=0/";
    }
    if (bits.empty()) return std::nullopt;
    entry.name = name_ + "/" + FormTerms(*formats) + "/";
    entry.description = "any event of this PMU by its parameters" + Members();
    entry.long_description = std::move(bits);
    if (!first_) {
      const auto type = fs_.ReadNumber(Path("type"));
      if (!type) return std::nullopt;
      first_ = probe_.Of(MakeSpec(static_cast<std::uint32_t>(*type), 0, entry.name));
    }
    entry.availability = *first_;
    return entry;
  }

  [[nodiscard]] std::string Members() const {
    return members_.size() == 1 ? "" : " on each of " + std::to_string(members_.size()) + " units";
  }

  const std::string& name_;
  const std::vector<std::string>& members_;
  const HostFs& fs_;
  const AvailabilityProbe& probe_;
  std::optional<Availability> first_;  // what the first event that was opened said
};

}  // namespace

void AddPmuEvents(const HostFs& fs, const AvailabilityProbe& probe, EventCatalog& catalog) {
  for (const auto& [name, members] : FamiliesOf(PmuNames(fs), fs)) {
    PmuFamily(name, members, fs, probe).Add(catalog);
  }
}

}  // namespace prof::perf
