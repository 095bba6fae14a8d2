// libpfm4, loaded when a name may be one of its and not before.
#pragma once

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "prof/base/result.h"

namespace prof::perf {

// The functions of libpfm4 that are used, with the types of its headers. It is not linked: its
// tables of every CPU hold 41,000 addresses, which the dynamic loader writes at each start.
struct PfmLibrary {
  decltype(&::pfm_initialize) initialize = nullptr;
  decltype(&::pfm_terminate) terminate = nullptr;
  decltype(&::pfm_get_os_event_encoding) get_os_event_encoding = nullptr;
  decltype(&::pfm_get_pmu_info) get_pmu_info = nullptr;
  decltype(&::pfm_get_event_next) get_event_next = nullptr;
  decltype(&::pfm_get_event_info) get_event_info = nullptr;
  decltype(&::pfm_get_event_attr_info) get_event_attr_info = nullptr;
};

// Loads the shared library `file` for the rest of the process. kUnsupported when it is not there or
// lacks a function.
Result<PfmLibrary> LoadPfmLibrary(const char* file);

// The libpfm4 of this machine, loaded by the first call; later ones get the same answer. Any
// thread.
const Result<PfmLibrary>& ThePfmLibrary();

}  // namespace prof::perf
