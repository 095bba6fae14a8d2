// Event names of the CPU vendors' manuals, from the tables of libpfm4.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prof/perf/event_spec.h"

namespace prof::perf {

struct PfmLibrary;

// A name as Find takes it, and what the manual says.
struct PfmEvent {
  std::string name;  // "INST_RETIRED:ANY_P"; an event with unit masks is there once for each
  std::string description;
};
struct PfmTable {
  std::string pmu;  // "skl", in front of names that an earlier table has too: "skl::INST_RETIRED"
  std::string description;
  std::vector<PfmEvent> events;
};

// libpfm4, initialised for the lifetime of the object; knows no name where it is not installed
// (pfm_library.h says so). Its state belongs to the process: there may be only one session at a
// time, on one thread.
class PfmSession {
 public:
  PfmSession();
  ~PfmSession();
  PfmSession(const PfmSession&) = delete;
  PfmSession& operator=(const PfmSession&) = delete;

  // "INST_RETIRED:ANY_P", "skl::UOPS_ISSUED:ANY:u", ...; nothing when libpfm4 does not know it for
  // this machine.
  [[nodiscard]] std::optional<EventSpec> Find(const std::string& name) const;
  // The tables of the PMUs of this machine. Names are not checked against Find.
  [[nodiscard]] std::vector<PfmTable> Tables() const;
  // The events of the PMUs of this machine, without unit masks.
  [[nodiscard]] std::vector<std::string> Names() const;

 private:
  const PfmLibrary* library_ = nullptr;  // null: not installed, or it knows nothing of this machine
};

}  // namespace prof::perf
