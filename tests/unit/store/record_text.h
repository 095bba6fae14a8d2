// Records as text, for comparing streams and for showing where they differ.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "prof/model/record.h"

namespace prof::store::test {

inline std::string Text(const model::Module& m) {
  return fmt::format("{} {} {} {} {}", static_cast<int>(m.kind), m.path, m.build_id.Hex(), m.pid,
                     m.replaced);
}
inline std::string Text(const model::ClockTriple& c) {
  return fmt::format("{}/{}/{}", c.monotonic_ns, c.realtime_ns, c.boottime_ns);
}

struct RecordText {
  std::string operator()(const model::RecordingInfo& r) const {
    return fmt::format("info {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", r.prof_version,
                       r.command_line, r.hostname, r.os_release, r.arch, r.cpu_model, r.cpus_online,
                       r.boot_id, r.clock_id, Text(r.start), static_cast<int>(r.target),
                       r.target_command, static_cast<int>(r.call_graph), r.stack_dump_bytes,
                       r.max_stack, r.cpu_wide, r.kernel_build_id, r.notes);
  }
  std::string operator()(const model::EventDef& r) const {
    const auto& e = r.event;
    return fmt::format("event {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", r.id,
                       e.name, static_cast<int>(e.unit), static_cast<int>(e.mode), e.sampling_value,
                       e.replaces, e.replaced_because, e.excludes_user, e.excludes_kernel,
                       e.restriction, e.precise, e.group_leader, e.attr_type, e.attr_config,
                       e.scale, e.scale_unit, e.refused, e.refused_hint, e.is_default);
  }
  std::string operator()(const model::EpochBegin& r) const {
    return fmt::format("epoch {}", r.index);
  }
  std::string operator()(const model::ModuleDef& r) const {
    return fmt::format("module {} {}", r.id, Text(r.module));
  }
  std::string operator()(const model::ProcessDef& r) const {
    return fmt::format("process {} {} {} {} {}", r.id, r.pid, r.ns_pid, r.parent, r.start_ns);
  }
  std::string operator()(const model::ThreadDef& r) const {
    return fmt::format("thread {} {} {} {} {}", r.id, r.process, r.tid, r.start_ns, r.name);
  }
  std::string operator()(const model::ThreadRename& r) const {
    return fmt::format("rename {} {} {} {}", r.thread, r.time_ns, r.exec, r.name);
  }
  std::string operator()(const model::StackNodeDef& r) const {
    return fmt::format("node {} {} {} {} {:x}", r.id, r.parent, r.frame.module,
                       static_cast<int>(r.frame.kind), r.frame.address.value);
  }
  std::string operator()(const model::Sample& r) const {
    return fmt::format("sample {} {} {} {} {} {} {}", r.time_ns, r.thread, r.cpu, r.event, r.weight,
                       r.count, r.stack);
  }
  std::string operator()(const model::Loss& r) const {
    return fmt::format("loss {} {} {} {} {}", static_cast<int>(r.cause), r.time_ns, r.cpu, r.count,
                       r.at_least);
  }
  std::string operator()(const model::Slice& r) const {
    return fmt::format("slice {} {} {} {} {} {} {} {}", r.lane, r.name, r.category, r.begin_ns,
                       r.duration_ns, r.thread, r.stack, r.correlation);
  }
  std::string operator()(const model::CounterReading& r) const {
    return fmt::format("counter {} {} {} {} {} {} {} {}", r.run, r.event, r.cpu, r.thread,
                       r.time_ns, r.value, r.enabled_ns, r.running_ns);
  }
  std::string operator()(const model::SideDef& r) const {
    return fmt::format("side {} {} {}", r.id, r.command, r.text);
  }
  std::string operator()(const model::MetricDef& r) const {
    return fmt::format("metric {} {} {} {}", r.id, r.name, r.pattern, r.higher_is_better);
  }
  std::string operator()(const model::RunDef& r) const {
    const auto& n = r.noise;
    return fmt::format(
        "run {} {} {} {} {} {} {} {}: {} {} {} {} {} {} {} {} {} {} {} {} {} {}: {} {}", r.run,
        r.side, r.start_ns, r.wall_ns, r.user_ns, r.system_ns, r.max_rss_bytes, r.exit_status,
        n.wait_ns, n.voluntary_switches, n.involuntary_switches, n.minor_faults, n.major_faults,
        n.block_reads, n.block_writes, n.migrations, n.steal_ns, n.other_cpu_ns, n.cpu_pressure_ns,
        n.io_pressure_ns, n.memory_pressure_ns, n.frequency_khz, r.metrics, n.wait_threads);
  }
  std::string operator()(const model::ModuleSymbols& r) const {
    std::string text =
        fmt::format("symbols {} {} {}", Text(r.module), static_cast<int>(r.status), r.detail);
    for (const auto& a : r.addresses) {
      text += fmt::format(" [{:x} {:x} {} {}", a.address.value, a.function_start.value,
                          a.function_size, a.unoptimized);
      for (const auto& f : a.frames) {
        text += fmt::format(" ({} {} {} {})", f.name, f.file, f.line, f.inlined);
      }
      text += "]";
    }
    return text;
  }
  std::string operator()(const model::ModuleCode& r) const {
    std::string text = fmt::format("code {} {} {} {} {}", Text(r.module), r.machine.number,
                                   r.machine.is_64, r.machine.big_endian, r.detail);
    for (const auto& f : r.functions) {
      text += fmt::format(" [{:x} {} {} {}", f.start.value, f.size, f.name, f.files);
      for (const auto byte : f.code) text += fmt::format(" {:02x}", std::to_integer<int>(byte));
      for (const auto& l : f.lines) {
        text += fmt::format(" ({:x} {} {})", l.address.value, l.file, l.line);
      }
      for (const auto& i : f.inlined) {
        text += fmt::format(" <{:x} {:x} {} {} {} {}>", i.begin.value, i.end.value, i.depth, i.name,
                            i.call_file, i.call_line);
      }
      for (const auto& c : f.references) {
        text += fmt::format(" {{{:x} {} {}}}", c.address.value, c.name, c.offset);
      }
      text += "]";
    }
    return text;
  }
  std::string operator()(const model::SourceFile& r) const {
    std::string text =
        fmt::format("source {} {} {} {:x}", r.path, static_cast<int>(r.state), r.bytes, r.checksum);
    for (const auto& piece : r.text) text += fmt::format(" {}{}", piece.first_line, piece.text);
    return text;
  }
  std::string operator()(const model::CodeSummary& r) const {
    return fmt::format("code-summary {} {} {} {} {} {} {}", r.functions, r.functions_left_out,
                       r.left_out_share, r.functions_without_code, r.source_wanted, r.source_bytes,
                       r.source_lines_left_out);
  }
  std::string operator()(const model::CpuUsage& r) const {
    return fmt::format("usage {} {} {} {} {} {}", r.comm, r.used_ns, r.sampled_ns, r.processes,
                       r.unsampled_processes, r.unsampled_used_ns);
  }
  std::string operator()(const model::RecordingEnd& r) const {
    return fmt::format("end {} {} {} {} {} {} {} {} {} {} {} {}", Text(r.end), r.samples,
                       r.sampling_begin_ns, r.sampling_end_ns, r.target_cpu_ns, r.prof_cpu_ns,
                       r.idle_ns, r.recorded_cpus, r.exit_status, r.notes, r.other_cpu_ns,
                       r.steal_ns);
  }
};

inline std::string Text(const model::Record& record) { return std::visit(RecordText{}, record); }

// A stream in the order that the file keeps: exact per kind within what lies between two rare
// records, where data of different kinds may change places.
inline std::vector<std::string> Canonical(const std::vector<model::Record>& records) {
  std::vector<std::string> result;
  std::array<std::vector<std::string>, std::variant_size_v<model::Record>> kinds;
  const auto flush = [&] {
    for (auto& kind : kinds) {
      result.insert(result.end(), kind.begin(), kind.end());
      kind.clear();
    }
  };
  for (const model::Record& record : records) {
    const bool rare = std::holds_alternative<model::RecordingInfo>(record) ||
                      std::holds_alternative<model::EventDef>(record) ||
                      std::holds_alternative<model::EpochBegin>(record) ||
                      std::holds_alternative<model::ModuleSymbols>(record) ||
                      std::holds_alternative<model::CpuUsage>(record) ||
                      std::holds_alternative<model::SideDef>(record) ||
                      std::holds_alternative<model::MetricDef>(record) ||
                      std::holds_alternative<model::RunDef>(record) ||
                      std::holds_alternative<model::RecordingEnd>(record);
    if (rare) {
      flush();
      result.push_back(Text(record));
    } else {
      kinds[record.index()].push_back(Text(record));
    }
  }
  flush();
  return result;
}

}  // namespace prof::store::test
