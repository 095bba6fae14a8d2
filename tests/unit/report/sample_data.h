// A small report for the tests of every renderer.
#pragma once

#include "prof/report/report_data.h"

namespace prof::report::test {

inline ReportData SampleData() {
  ReportData data;
  data.file.name = "prof.data";
  model::EventDesc event;
  event.name = "cpu-clock";
  event.unit = model::EventUnit::kNanoseconds;
  event.sampling_value = 997;
  data.events = {event};
  data.samples = 4000;
  data.honesty.seconds = 4.0;
  analysis::EventHonesty honesty;
  honesty.samples = 4000;
  honesty.weight = 4'000'000'000;
  data.honesty.events = {honesty};
  model::RecordingEnd end;
  end.target_cpu_ns = 3'900'000'000;
  end.prof_cpu_ns = 20'000'000;
  end.recorded_cpus = 2;
  data.end = end;
  data.sort = {analysis::SortKey::kComm, analysis::SortKey::kDso, analysis::SortKey::kSym};

  analysis::EventTable table;
  table.total_weight = 4'000'000'000;
  table.total_samples = 4000;
  table.rows = {{.keys = {"app", "app", "std::map<int, std::string>::find"},
                 .level = '.',
                 .self_weight = 3'000'000'000,
                 .children_weight = 3'000'000'000,
                 .self_samples = 3000,
                 .children_samples = 3000,
                 .call_graph = {}},
                {.keys = {"app", "[kernel.kallsyms]", "do_syscall_64"},
                 .level = 'k',
                 .self_weight = 40'000'000,
                 .children_weight = 40'000'000,
                 .self_samples = 40,
                 .children_samples = 40,
                 .call_graph = {}},
                {.keys = {"kworker/0:1", "libc.so.6", "malloc"},
                 .level = '.',
                 .self_weight = 4'000'000,
                 .children_weight = 4'000'000,
                 .self_samples = 4,
                 .children_samples = 4,
                 .call_graph = {}}};
  data.tables = {table};
  return data;
}

}  // namespace prof::report::test
