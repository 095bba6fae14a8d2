// Looks up tracepoint ids in tracefs.
#include "perf/tracepoint_events.h"

#include <fnmatch.h>

#include <string_view>

#include "perf/spec_builder.h"

namespace prof::perf {
namespace {

bool IsGlob(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

// Names in `folder` that match; a plain name is not looked for, its file says whether it exists.
std::vector<std::string> Matching(const std::string& pattern, const std::string& folder,
                                  const HostFs& fs) {
  if (!IsGlob(pattern)) return {pattern};
  std::vector<std::string> matching;
  for (std::string& name : fs.ListDir(folder).value_or(std::vector<std::string>{})) {
    if (::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0) {
      matching.push_back(std::move(name));
    }
  }
  return matching;
}

bool LeadsElsewhere(const std::string& name) {
  return name.empty() || name.front() == '.' || name.find('/') != std::string::npos;
}

}  // namespace

Result<std::string> TracepointsFolder(const HostFs& fs) {
  Error denied;
  for (const std::string_view mount : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    const std::string folder = std::string(mount) + "/events";
    const auto systems = fs.ListDir(folder);
    if (systems) return folder;
    if (systems.error().kind == ErrorKind::kPermission && denied.message.empty()) {
      denied = {ErrorKind::kPermission, "tracepoints cannot be read: " + systems.error().message,
                std::string("run as root, or: sudo mount -o remount,mode=750,gid=$(id -g) ") +
                    std::string(mount)};
    }
  }
  if (!denied.message.empty()) return std::unexpected(std::move(denied));
  return Fail(ErrorKind::kUnsupported, "tracepoints cannot be read: tracefs is not mounted",
              "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

Result<std::vector<EventSpec>> FindTracepoints(const std::string& system, const std::string& name,
                                               const HostFs& fs) {
  const std::string wanted = system + ":" + name;
  auto found = TracepointsFolder(fs);
  if (!found) {
    found.error().message.insert(0, "event '" + wanted + "': ");
    return std::unexpected(std::move(found).error());
  }
  const std::string& folder = *found;
  std::vector<EventSpec> specs;
  if (!LeadsElsewhere(system) && !LeadsElsewhere(name)) {
    for (const std::string& one_system : Matching(system, folder, fs)) {
      const std::string system_folder = folder + "/" + one_system;
      for (const std::string& one_name : Matching(name, system_folder, fs)) {
        // "enable" and "filter" lie beside the tracepoints and have no id.
        const auto id = fs.ReadNumber(system_folder + "/" + one_name + "/id");
        if (!id) {
          if (id.error().kind != ErrorKind::kPermission) continue;
          return Fail(ErrorKind::kPermission,
                      "tracepoint '" + wanted + "' cannot be read: " + id.error().message,
                      "run as root, or: sudo mount -o remount,mode=750,gid=$(id -g) " +
                          folder.substr(0, folder.rfind('/')));
        }
        specs.push_back(MakeSpec(PERF_TYPE_TRACEPOINT, static_cast<std::uint64_t>(*id),
                                 one_system + ":" + one_name));
        specs.back().tracepoint = true;
      }
    }
  }
  if (specs.empty()) return Fail(ErrorKind::kNotFound, "no tracepoint matches '" + wanted + "'");
  return specs;
}

std::vector<std::string> TracepointNames(const HostFs& fs) {
  std::vector<std::string> names;
  const auto folder = TracepointsFolder(fs);
  if (!folder) return names;
  for (const std::string& system : fs.ListDir(*folder).value_or(std::vector<std::string>{})) {
    if (system == "ftrace") continue;  // the tracer's own records, most of them without an id
    const auto tracepoints = fs.ListDir(*folder + "/" + system);
    if (!tracepoints) continue;
    for (const std::string& name : *tracepoints) {
      if (name != "enable" && name != "filter") names.push_back(system + ":" + name);
    }
  }
  return names;
}

}  // namespace prof::perf
