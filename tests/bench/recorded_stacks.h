// The samples of a `perf record --call-graph dwarf` file as inputs of the unwinder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/perf_data.h"
#include "support/recorded_processes.h"

#include "prof/base/result.h"
#include "prof/unwind/stack_unwinder.h"

namespace prof::bench {

// One sample, valid during the visit.
struct RecordedStack {
  unwind::StackInput input;
  const model::AddressSpace& space;
};

// Calls `visit` for every sample that has a 64-bit user stack, in order of time, with the mappings
// of that moment. What the recorder itself does not unwind is passed over: kernel threads and
// samples between an exec and its first user instruction.
inline void ForEachStack(const test::PerfData& data, test::RecordedProcesses& processes,
                         const std::function<void(const RecordedStack&)>& visit) {
  for (const test::PerfData::Record& record : data.records()) {
    const perf::DecodedRecord decoded = data.Decode(record);
    processes.Apply(decoded);
    const auto* sample = std::get_if<perf::SampleRecord>(&decoded);
    if (sample == nullptr || sample->user_abi != PERF_SAMPLE_REGS_ABI_64 ||
        sample->user_stack.empty()) {
      continue;
    }
    const model::AddressSpace& space = processes.SpaceOf(sample->id.pid);
    const auto& layout = data.events()[record.event].layout;
    const unwind::StackInput input{
        unwind::RegistersFromPerf(layout.regs_user, sample->user_registers), sample->user_stack};
    const bool in_kernel =
        (sample->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if (in_kernel && space.Find(input.registers.pc()) == nullptr) continue;
    visit({input, space});
  }
}

}  // namespace prof::bench
