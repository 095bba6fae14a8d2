// Describes a recording for its file and for -v.
#include "collect/recording_head.h"

#include "collect/host_info.h"

namespace prof::collect {

model::RecordingInfo DescribeRecording(const RecordOptions& options, const AttrPlan& plan,
                                       bool cpu_wide, const HostFs& fs) {
  model::RecordingInfo info = DescribeHost(fs);
  info.command_line = options.command_line;
  info.target = options.target.kind;
  info.target_command = options.target.command;
  info.call_graph = options.call_graph;
  info.stack_dump_bytes = plan.dump_bytes;
  info.max_stack = options.call_graph == model::CallGraphMode::kNone ? 0 : options.max_stack;
  if (options.call_graph == model::CallGraphMode::kFramePointers)
    info.max_stack = plan.chain_frames;
  info.cpu_wide = cpu_wide;
  info.notes = plan.notes;  // the others stand with their events
  return info;
}

std::vector<std::string> DescribeSampling(EventSet& events, bool cpu_wide, bool whole_cpus) {
  const AttrPlan& plan = events.plan();
  std::vector<std::string> lines;
  for (const PlannedEvent& event : plan.events) {
    lines.push_back("event " + event.desc.name + ": " + std::to_string(event.desc.sampling_value) +
                    (event.desc.mode == model::SamplingMode::kFrequency ? " Hz" : " per sample"));
  }
  lines.push_back(std::to_string(events.rings().size()) + " CPUs, rings of " +
                  std::to_string(events.rings().front().samples().data_bytes() / 1024) +
                  " KB, stack dumps of " + std::to_string(plan.dump_bytes) + " bytes");
  lines.push_back(cpu_wide     ? "CPU-wide events, filtered on the command's processes"
                  : whole_cpus ? "CPU-wide events"
                               : "events inherited by the target's tasks");
  return lines;
}

}  // namespace prof::collect
