// Profiles to store: one with every kind of record, and random ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "prof/model/record.h"

namespace prof::store::test {

inline model::BuildId MakeBuildId(std::uint8_t seed, std::size_t size = 20) {
  std::array<std::byte, 20> bytes{};
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(seed + i);
  return model::BuildId(std::span(bytes).first(size));
}

inline model::RecordingInfo FullInfo() {
  return {.prof_version = "0.1.0",
          .command_line = {"prof", "record", "-g", "./app", ""},
          .hostname = "host",
          .os_release = "6.18",
          .arch = "x86_64",
          .cpu_model = "A CPU",
          .cpus_online = 2,
          .boot_id = "0b0e",
          .clock_id = 4,
          .start = {1, 2, 3},
          .target = model::TargetKind::kSystem,
          .target_command = {"./app", "--x"},
          .call_graph = model::CallGraphMode::kDwarf,
          .stack_dump_bytes = 65528,
          .max_stack = 1024,
          .cpu_wide = true,
          .kernel_build_id = "abcd",
          .notes = {"one", "two"}};
}

inline model::EventDef FullEvent(model::EventId id) {
  return {.id = id,
          .event = {.name = "cpu-clock",
                    .unit = model::EventUnit::kNanoseconds,
                    .mode = model::SamplingMode::kPeriod,
                    .sampling_value = 997,
                    .replaces = "cycles",
                    .replaced_because = "no hardware counters",
                    .excludes_user = true,
                    .excludes_kernel = true,
                    .restriction = "perf_event_paranoid is 2",
                    .precise = 3,
                    .group_leader = 0,
                    .attr_type = 1,
                    .attr_config = ~std::uint64_t{0},
                    .scale = 2.3283064365386962890625e-10,
                    .scale_unit = "Joules",
                    .refused = "this machine has no such event",
                    .refused_hint = "prof list",
                    .is_default = true}};
}

inline model::RunDef FullRun() {
  return {.run = 3,
          .side = 1,
          .start_ns = 99,
          .wall_ns = 1'000'000'007,
          .user_ns = 900'000'000,
          .system_ns = 0,
          .max_rss_bytes = 4'096'000,
          .exit_status = 137,
          .noise = {.wait_ns = 1,
                    .wait_threads = 15,
                    .voluntary_switches = 2,
                    .involuntary_switches = 3,
                    .minor_faults = 4,
                    .major_faults = 5,
                    .block_reads = 6,
                    .block_writes = 7,
                    .migrations = 8,
                    .steal_ns = 9,
                    .other_cpu_ns = 10,
                    .cpu_pressure_ns = 11,
                    .io_pressure_ns = 12,
                    .memory_pressure_ns = 13,
                    .frequency_khz = 14},
          .metrics = {0.1, -1e300}};
}

inline model::ModuleSymbols FullSymbols() {
  return {
      .module = {.kind = model::ModuleKind::kElf, .path = "/bin/app", .build_id = MakeBuildId(7)},
      .status = model::SymbolStatus::kBuildIdMismatch,
      .detail = "/usr/lib/debug/x",
      .addresses = {{.address = {0x1000},
                     .function_start = {0xff0},
                     .function_size = 64,
                     .frames = {{"inlined", "/src/a.h", 3, true}, {"main", "/src/a.cc", 9, false}},
                     .unoptimized = true},
                    {.address = {0x2000}, .function_start = {}, .frames = {}}}};
}

inline model::ModuleCode FullCode() {
  using namespace model;
  return {.module = {.kind = ModuleKind::kElf, .path = "/bin/app", .build_id = MakeBuildId(7)},
          .machine = {.number = 62, .is_64 = true, .big_endian = true},
          .detail = "/bin/app",
          .functions = {{.start = {0x1000},
                         .size = 12,
                         .name = "_Z4workv",
                         .code = {std::byte{0x55}, std::byte{0x48}, std::byte{0xc3}},
                         .files = {"/src/a.cc", "/src/a.h"},
                         .lines = {{{0x1000}, 0, 7}, {{0x1004}, 1, 3}, {{0x1008}, kNoFile, 0}},
                         .inlined = {{{0x1004}, {0x1008}, 1, "_Z5innerv", 0, 8},
                                     {{0x1004}, {0x1006}, 2, "_Z6inner2v", 1, 4}},
                         .references = {{{0x900}, "memcpy@plt", 0}, {{0x4010}, "table", 16}}},
                        {.start = {0x2000},
                         .size = 5,
                         .name = "_Z4workv.cold",
                         .code = {},
                         .files = {},
                         .lines = {},
                         .inlined = {},
                         .references = {}}}};
}

inline model::SourceFile FullSource() {
  return {.path = "/src/a.cc",
          .state = model::SourceState::kNewerThanProgram,
          .bytes = 1234,
          .checksum = 0xdeadbeef,
          .text = {{5, {"int main() {", "", "  return work();", "}"}}, {40, {"\xff\xfe}"}}}};
}

// Every kind, every field away from its default.
inline std::vector<model::Record> EveryKind() {
  using namespace model;
  return {
      FullInfo(),
      FullEvent(0),
      FullEvent(1),
      SideDef{1, {"sleep", "1 s"}, "sleep '1 s'"},
      MetricDef{1, "ms", "time: ([0-9]+)", true},
      EpochBegin{.index = 0},
      ModuleDef{0, {ModuleKind::kJit, "/tmp/perf-7.map", MakeBuildId(1, 8), 7, true}},
      ProcessDef{.id = 0, .pid = 7, .ns_pid = 1, .parent = kNoProcess, .start_ns = 5},
      ProcessDef{.id = 1, .pid = 8, .ns_pid = 2, .parent = 0, .start_ns = kUnknownTime},
      ThreadDef{.id = 0, .process = 1, .tid = 9, .start_ns = 6, .name = "worker"},
      StackNodeDef{.id = 16, .parent = 1, .frame = {0, FrameKind::kReturn, {0x7fff'0000'1234}}},
      StackNodeDef{.id = 17, .parent = 16, .frame = {0, FrameKind::kInstruction, {~0ULL}}},
      Sample{.time_ns = 100,
             .thread = 0,
             .cpu = 1,
             .event = 1,
             .weight = 1003009,
             .count = 2,
             .stack = 17},
      Sample{.stack = 3},
      ThreadRename{.thread = 0, .time_ns = 101, .exec = true, .name = "renamed"},
      Loss{.cause = LossCause::kThrottled, .time_ns = 102, .cpu = 1, .count = 9, .at_least = true},
      Loss{},
      Slice{"lane", "kernel", "gpu", 103, 50, 0, 16, 77},
      Slice{"lane", "copy", "", 104, 51, kUnknownThread, 0, 0},
      CounterReading{3, 1, 1, 0, 105, 1'000, 2'000, 1'500},
      FullRun(),
      RunDef{},
      EpochBegin{.index = 1},
      Sample{.time_ns = 106, .stack = 2},
      FullSymbols(),
      FullCode(),
      FullSource(),
      SourceFile{.path = "/src/gone.cc", .text = {}},
      CodeSummary{2, 5, 0.0625, 1, false, 30, 4},
      CpuUsage{"app", 1, 2, 3, 4, 5},
      RecordingEnd{{4, 5, 6}, 3, 10, 20, 30, 40, 50, 60, 139, {"lost a bit"}, 70, 0}};
}

// Profiles of random shape whose references are all defined.
class RandomProfile {
 public:
  explicit RandomProfile(std::uint32_t seed) : random_(seed) {}

  std::vector<model::Record> Make() {
    records_.clear();
    records_.push_back(FullInfo());
    const auto events = static_cast<model::EventId>(1 + Below(3));
    for (model::EventId id = 0; id < events; ++id) records_.push_back(FullEvent(id));
    events_ = events;
    const std::uint64_t epochs = 1 + Below(4);
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) Epoch(epoch);
    for (std::uint64_t n = Below(4); n > 0; --n) records_.push_back(Symbols());
    for (std::uint64_t n = Below(4); n > 0; --n) records_.push_back(Code());
    for (std::uint64_t n = Below(4); n > 0; --n) records_.push_back(Source());
    for (std::uint64_t n = Below(4); n > 0; --n) {
      records_.push_back(model::CpuUsage{Word(), Number(), Number(), Number(), Number(), Number()});
    }
    records_.push_back(model::RecordingEnd{.end = {},
                                           .samples = Number(),
                                           .notes = {Word()},
                                           .other_cpu_ns = Number(),
                                           .steal_ns = Number()});
    return std::move(records_);
  }

 private:
  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }
  std::uint32_t Id(std::uint64_t limit) { return static_cast<std::uint32_t>(Below(limit)); }
  // Of every magnitude, the largest included.
  std::uint64_t Number() {
    const std::uint64_t raw = (std::uint64_t{random_()} << 32) | random_();
    return Below(20) == 0 ? ~std::uint64_t{0} : raw >> Below(64);
  }
  std::uint32_t Number32() { return static_cast<std::uint32_t>(Number()); }
  std::string Word() {
    std::string word(Below(12), 'a');
    for (char& letter : word)
      letter = static_cast<char>(Below(10) == 0 ? random_() : 'a' + Below(3));
    return word;
  }
  model::Module Module() {
    return {static_cast<model::ModuleKind>(Below(6)), Word(),
            MakeBuildId(static_cast<std::uint8_t>(random_()), Below(21)), Number32(),
            Below(2) == 0};
  }
  model::ModuleSymbols Symbols() {
    model::ModuleSymbols symbols{.module = Module(),
                                 .status = static_cast<model::SymbolStatus>(Below(6)),
                                 .detail = Word(),
                                 .addresses = {}};
    for (std::uint64_t n = Below(30); n > 0; --n) {
      model::AddressSymbols address{.address = {Number()},
                                    .function_start = {Number()},
                                    .function_size = Number(),
                                    .frames = {}};
      for (std::uint64_t f = Below(4); f > 0; --f) {
        address.frames.push_back({Word(), Word(), Number32(), f != 1});
      }
      address.unoptimized = Below(3) == 0;
      symbols.addresses.push_back(std::move(address));
    }
    return symbols;
  }

  model::ModuleCode Code() {
    model::ModuleCode code{
        .module = Module(),
        .machine = {static_cast<std::uint16_t>(random_()), Below(2) == 0, Below(2) == 0},
        .detail = Word(),
        .functions = {}};
    std::uint64_t start = Number() >> 1;
    for (std::uint64_t n = Below(6); n > 0; --n) {
      start += 1 + Below(1 << 20);
      code.functions.push_back(Function(start));
    }
    return code;
  }
  model::FunctionCode Function(std::uint64_t start) {
    model::FunctionCode function{.start = {start},
                                 .size = Below(200),
                                 .name = Word(),
                                 .code = {},
                                 .files = {},
                                 .lines = {},
                                 .inlined = {},
                                 .references = {}};
    if (function.size > 0) function.code.resize(Below(function.size + 1));
    for (auto& byte : function.code) byte = static_cast<std::byte>(random_());
    for (std::uint64_t n = Below(4); n > 0; --n) function.files.push_back(Word());
    const auto file = [&] {
      return Below(3) == 0 || function.files.empty() ? model::kNoFile : Id(function.files.size());
    };
    const std::uint64_t end = start + function.size;
    for (std::uint64_t at = start + Below(9); at < end; at += Below(20)) {
      function.lines.push_back({{at}, file(), Number32()});
    }
    AddInlined(start, end, 1, file, &function.inlined);
    for (std::uint64_t at = Number() >> 1, n = Below(5); n > 0; --n) {
      function.references.push_back({{at += 1 + Below(999)}, Word(), Number()});
    }
    return function;
  }
  template <class File>
  void AddInlined(std::uint64_t begin, std::uint64_t end, std::uint32_t depth, File file,
                  std::vector<model::InlinedRange>* out) {
    for (std::uint64_t at = begin + Below(20); at < end; at += Below(20)) {
      const std::uint64_t last = at + 1 + Below(end - at);
      out->push_back({{at}, {last}, depth, Word(), file(), Number32()});
      if (Below(2) == 0) AddInlined(at, last, depth + 1, file, out);
      at = last;
    }
  }
  model::SourceFile Source() {
    model::SourceFile source{.path = Word(),
                             .state = static_cast<model::SourceState>(Below(4)),
                             .bytes = Number(),
                             .checksum = Number32(),
                             .text = {}};
    std::uint32_t next = 1;
    for (std::uint64_t n = Below(4); n > 0; --n) {
      model::SourceLines piece{.first_line = next + Id(100), .text = {}};
      for (std::uint64_t lines = 1 + Below(20); lines > 0; --lines) piece.text.push_back(Word());
      next = piece.first_line + static_cast<std::uint32_t>(piece.text.size());
      source.text.push_back(std::move(piece));
    }
    return source;
  }

  void Epoch(std::uint32_t index) {
    records_.push_back(model::EpochBegin{.index = index});
    modules_ = processes_ = threads_ = 0;
    nodes_ = model::kStackRootCount;
    for (std::uint64_t n = Below(600); n > 0; --n) OneMore();
  }

  void OneMore() {
    using namespace model;
    const std::uint64_t kind = Below(20);
    const ThreadId thread = threads_ > 0 && Below(8) != 0 ? Id(threads_) : kUnknownThread;
    if (kind == 0) {
      records_.push_back(ModuleDef{modules_++, Module()});
    } else if (kind == 1) {
      const ProcessId parent = processes_ > 0 ? Id(processes_) : kNoProcess;
      records_.push_back(ProcessDef{processes_++, Number32(), Number32(), parent, Number()});
    } else if (kind == 2) {
      const ProcessId process = processes_ > 0 ? Id(processes_) : kNoProcess;
      records_.push_back(ThreadDef{threads_++, process, Number32(), Number(), Word()});
    } else if (kind == 3 && threads_ > 0) {
      records_.push_back(ThreadRename{Id(threads_), Number(), Below(2) == 0, Word()});
    } else if (kind < 9 && modules_ > 0) {
      const StackId parent = Below(2) == 0 ? nodes_ - 1 : Id(nodes_);
      const Frame frame{Id(modules_), static_cast<FrameKind>(Below(3)), {Number()}};
      records_.push_back(StackNodeDef{nodes_++, parent, frame});
    } else if (kind == 9) {
      records_.push_back(
          Loss{static_cast<LossCause>(Below(8)), Number(), Number32(), Number(), Below(2) == 0});
    } else if (kind == 10) {
      records_.push_back(
          Slice{Word(), Word(), Word(), Number(), Number(), thread, Id(nodes_), Number()});
    } else if (kind == 11) {
      records_.push_back(CounterReading{Number32(), Id(events_), Number32(), thread, Number(),
                                        Number(), Number(), Number()});
    } else {
      const std::uint32_t cpu = Below(9) == 0 ? kUnknownCpu : Id(4);
      records_.push_back(
          Sample{Number(), thread, cpu, Id(events_), Number(), Number(), Id(nodes_)});
    }
  }

  std::mt19937 random_;
  std::vector<model::Record> records_;
  model::EventId events_ = 0;
  model::ModuleId modules_ = 0;
  model::ProcessId processes_ = 0;
  model::ThreadId threads_ = 0;
  model::StackId nodes_ = model::kStackRootCount;
};

}  // namespace prof::store::test
