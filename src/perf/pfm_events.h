// Event names of the CPU vendors' manuals, from the tables of libpfm4.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "prof/perf/event_spec.h"

namespace prof::perf {

// libpfm4, initialised for the lifetime of the object. Its state belongs to the process: there may
// be only one session at a time, on one thread.
class PfmSession {
 public:
  PfmSession();
  ~PfmSession();
  PfmSession(const PfmSession&) = delete;
  PfmSession& operator=(const PfmSession&) = delete;

  // "INST_RETIRED:ANY_P", "skl::UOPS_ISSUED:ANY:u", ...; nothing when libpfm4 does not know it for
  // this machine.
  [[nodiscard]] std::optional<EventSpec> Find(const std::string& name) const;
  // The events of the PMUs of this machine, without unit masks.
  [[nodiscard]] std::vector<std::string> Names() const;

 private:
  bool usable_ = false;
};

}  // namespace prof::perf
