// Which part of an event this user may observe: user code, the kernel, guests.
#pragma once

#include <string>

#include "prof/model/event.h"
#include "prof/perf/event_open.h"
#include "prof/perf/event_spec.h"

namespace prof::collect {

// "kernel.perf_event_paranoid is 2"
std::string ParanoidText(const perf::KernelLimits& limits);

// Events that the kernel raises in its own code: with the kernel left out none would remain. (The
// tracepoints of single system calls carry the user's registers.)
bool HappensInKernelOnly(const perf::EventSpec& event);

// Guests are left out, as perf does it, where the event does not ask for them.
void LeaveGuestsOut(perf_event_attr& attr);

// Without the right to the kernel's part, an event that asks for both parts is restricted to user
// code, which its name (":u") and `restriction` then say.
void RestrictToRights(perf_event_attr& attr, model::EventDesc& desc,
                      const perf::KernelLimits& limits);

}  // namespace prof::collect
