// The catalogue's part from tracefs.
#include <map>
#include <string>
#include <string_view>

#include "perf/catalog_parts.h"
#include "perf/tracepoint_events.h"

namespace prof::perf {
namespace {

// "system:name" to the definition of the kprobe or uprobe that somebody gave this name, from lines
// such as "p:probes/open do_sys_open file=+0(%di):string".
std::map<std::string, std::string> ReadProbes(const std::string& tracefs, const HostFs& fs) {
  std::map<std::string, std::string> probes;
  for (const char* file : {"/kprobe_events", "/uprobe_events"}) {
    const std::string text = fs.ReadFile(tracefs + file).value_or("");
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t colon = line.find(':');
      const std::size_t blank = line.find(' ');
      if (colon == std::string_view::npos || blank == std::string_view::npos || blank < colon) {
        continue;
      }
      std::string name(line.substr(colon + 1, blank - colon - 1));
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos) continue;
      name[slash] = ':';
      probes[name] = (line.front() == 'r' ? "at the return from " : "at ") +
                     std::string(line.substr(blank + 1));
    }
  }
  return probes;
}

// What a format file says of one field: "field:char prev_comm[16];" is "char prev_comm[16]".
struct Field {
  std::string declaration;
  std::string name;
};
Field ParseField(std::string_view line) {
  constexpr std::string_view kKey = "field:";
  line.remove_prefix(line.find(kKey) + kKey.size());
  const std::string_view declaration = line.substr(0, line.find(';'));
  const std::size_t bracket = std::min(declaration.find('['), declaration.size());
  // "__data_loc char[] name" has its brackets before the name.
  const bool in_type = declaration.find(' ', bracket) != std::string_view::npos;
  const std::string_view to_name = in_type ? declaration : declaration.substr(0, bracket);
  const std::size_t begin = to_name.find_last_of(" *");
  return {std::string(declaration),
          std::string(begin == std::string_view::npos ? to_name : to_name.substr(begin + 1))};
}

}  // namespace

void AddTracepoints(const HostFs& fs, const AvailabilityProbe& probe, EventCatalog& catalog) {
  const auto folder = TracepointsFolder(fs);
  if (!folder) {
    catalog.gaps.push_back({EventKind::kTracepoint, folder.error().message, folder.error().hint});
    return;
  }
  const auto probes = ReadProbes(folder->substr(0, folder->rfind('/')), fs);
  const Availability availability = probe.OfKernelEvents();
  Availability unreadable;
  std::string checked_system;
  bool readable = true;
  for (const std::string& name : TracepointNames(fs)) {
    const std::size_t colon = name.find(':');
    CatalogEntry entry{.group = name.substr(0, colon), .name = name};
    const auto made = probes.find(name);
    entry.kind = made == probes.end() ? EventKind::kTracepoint : EventKind::kProbe;
    if (made != probes.end()) entry.description = made->second;
    // Rights on tracefs are given by folder; one id tells for its system.
    if (entry.group != checked_system) {
      checked_system = entry.group;
      const auto id =
          fs.ReadNumber(*folder + "/" + entry.group + "/" + name.substr(colon + 1) + "/id");
      readable = id.has_value() || id.error().kind != ErrorKind::kPermission;
      if (!readable) unreadable.reason = "its id cannot be read: " + id.error().message;
      unreadable.hint = "run as root";
    }
    entry.availability = readable ? availability : unreadable;
    catalog.entries.push_back(std::move(entry));
  }
}

void DescribeTracepoint(CatalogEntry& entry, const HostFs& fs) {
  const auto folder = TracepointsFolder(fs);
  const std::size_t colon = entry.name.find(':');
  if (!folder || colon == std::string::npos) return;
  const auto format = fs.ReadFile(*folder + "/" + entry.name.substr(0, colon) + "/" +
                                  entry.name.substr(colon + 1) + "/format");
  if (!format) return;
  std::string names;
  std::string declarations;
  std::string_view rest = *format;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find("field:") == std::string_view::npos) continue;
    const Field field = ParseField(line);
    if (field.name.starts_with("common_")) continue;  // every tracepoint has these
    names += (names.empty() ? "" : ", ") + field.name;
    declarations += (declarations.empty() ? "" : "\n") + field.declaration;
  }
  if (entry.description.empty()) entry.description = "fields: " + (names.empty() ? "none" : names);
  entry.long_description = std::move(declarations);
}

}  // namespace prof::perf
