// Record streams built by hand, one short line per definition, and their profiles.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/profile.h"

namespace prof::analysis::test {

// Defines as it goes: an event "cpu-clock", one epoch, and whatever the calls ask for. A function
// is an address of its own; names become symbols at the end.
class Stream {
 public:
  Stream() {
    Add(model::RecordingInfo{});
    AddEvent("cpu-clock");
    Epoch();
  }

  void Add(const model::Record& record) { EXPECT_TRUE(builder_.Append(record).has_value()); }

  model::EventId AddEvent(const std::string& name) {
    model::EventDesc event;
    event.name = name;
    event.unit = model::EventUnit::kNanoseconds;
    Add(model::EventDef{.id = events_, .event = event});
    return events_++;
  }

  void Epoch() {
    Add(model::EpochBegin{.index = epochs_++});
    modules_ = processes_ = threads_ = 0;
    nodes_ = model::kStackRootCount;
  }

  model::ModuleId Module(const std::string& path, model::ModuleKind kind = model::ModuleKind::kElf,
                         std::uint32_t pid = 0) {
    model::Module module;
    module.path = path;
    module.kind = kind;
    module.pid = pid;
    Add(model::ModuleDef{.id = modules_, .module = module});
    by_id_[{epochs_, modules_}] = module;
    return modules_++;
  }

  model::ThreadId Thread(std::uint32_t pid, std::uint32_t tid, const std::string& name,
                         std::uint64_t start_ns = 1) {
    Add(model::ProcessDef{.id = processes_, .pid = pid});
    model::ThreadDef def;
    def.id = threads_;
    def.process = processes_++;
    def.tid = tid;
    def.start_ns = start_ns;
    def.name = name;
    Add(def);
    return threads_++;
  }

  void Rename(model::ThreadId thread, std::uint64_t time_ns, const std::string& name) {
    model::ThreadRename rename;
    rename.thread = thread;
    rename.time_ns = time_ns;
    rename.name = name;
    Add(rename);
  }

  model::StackId Node(model::StackId parent, model::ModuleId module, std::uint64_t address,
                      model::FrameKind kind = model::FrameKind::kInstruction) {
    model::StackNodeDef def;
    def.id = nodes_;
    def.parent = parent;
    def.frame = {.module = module, .kind = kind, .address = {address}};
    Add(def);
    return nodes_++;
  }

  // A stack of instruction frames, outermost first.
  model::StackId Stack(model::ModuleId module, std::initializer_list<std::uint64_t> addresses,
                       model::StackEnd end = model::StackEnd::kComplete) {
    model::StackId node = model::RootOf(end);
    for (const std::uint64_t address : addresses) node = Node(node, module, address);
    return node;
  }

  void Sample(model::ThreadId thread, model::StackId stack, std::uint64_t weight = 1,
              std::uint64_t time_ns = 1000, std::uint32_t cpu = 0, model::EventId event = 0) {
    Add(model::Sample{.time_ns = time_ns,
                      .thread = thread,
                      .cpu = cpu,
                      .event = event,
                      .weight = weight,
                      .stack = stack});
  }

  const model::Module& ModuleAt(model::ModuleId module) { return by_id_[{epochs_, module}]; }

  // Innermost first; the last one is the real function, which has `size` bytes from `start` on.
  void Symbol(model::ModuleId module, std::uint64_t address,
              const std::vector<model::SymbolFrame>& frames, std::uint64_t start = 0,
              std::uint64_t size = 0, bool unoptimized = false) {
    model::AddressSymbols entry;
    entry.address = {address};
    entry.function_start = {start};
    entry.function_size = size;
    entry.frames = frames;
    entry.unoptimized = unoptimized;
    symbols_[module].push_back(entry);
  }
  void Symbol(model::ModuleId module, std::uint64_t address, const std::string& name,
              const std::string& file = "", std::uint32_t line = 0) {
    Symbol(module, address,
           std::vector<model::SymbolFrame>{
               {.name = name, .file = file, .line = line, .inlined = false}});
  }

  Profile Build() {
    for (const auto& [module, addresses] : symbols_) {
      model::ModuleSymbols symbols;
      symbols.module = by_id_[{epochs_, module}];
      symbols.addresses = addresses;
      Add(symbols);
    }
    return builder_.Build();
  }

 private:
  ProfileBuilder builder_;
  model::EventId events_ = 0;
  std::uint32_t epochs_ = 0;
  model::ModuleId modules_ = 0;
  model::ProcessId processes_ = 0;
  model::ThreadId threads_ = 0;
  model::StackId nodes_ = model::kStackRootCount;
  std::map<std::pair<std::uint32_t, model::ModuleId>, model::Module> by_id_;
  std::map<model::ModuleId, std::vector<model::AddressSymbols>> symbols_;
};

}  // namespace prof::analysis::test
