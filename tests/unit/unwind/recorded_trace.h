// Replays the traces of tests/data/unwind/aarch64: registers, stack and true callers before each
// instruction of a run.
#pragma once

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "unit/unwind/self_process.h"

namespace prof::unwind {

class RecordedTrace {
 public:
  // "gcc", "pac" or "clang".
  explicit RecordedTrace(const std::string& name)
      : folder_(PROF_TEST_DATA "/unwind/aarch64/"), trace_(folder_ + name + ".trace") {
    auto file = MappedFile::Open(folder_ + name + ".elf");
    if (!file) return;
    auto image = ElfImage::FromFile(std::move(*file), name);
    if (!image) return;
    for (const auto& segment : (*image)->segments()) {
      if (!segment.executable) continue;
      const std::uint64_t start = segment.address.value;
      space_.Map({{start}, {start + segment.file_size}, segment.offset, 0});
    }
    images_.Add(std::move(*image));
    registers_.arch = Arch::kAarch64;
    registers_.valid = (std::uint64_t{1} << 33) - 1;
  }

  // False at the end of the trace.
  bool Next() {
    std::string line;
    while (std::getline(trace_, line)) {
      if (line.starts_with("function ")) {
        AddFunction(line);
      } else if (line.starts_with("top ")) {
        top_ = Hex(line.substr(4));
      } else {
        Apply(line);
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] const model::AddressSpace& space() const { return space_; }
  [[nodiscard]] const TestImages& images() const { return images_; }
  [[nodiscard]] const Registers& registers() const { return registers_; }
  // From the stack pointer to the top of the stack.
  [[nodiscard]] std::vector<std::byte> Stack() const {
    const std::uint64_t sp = registers_.sp().value;
    std::vector<std::byte> stack(top_ - sp);
    for (auto word = memory_.lower_bound(sp); word != memory_.end() && word->first < top_; ++word) {
      std::memcpy(stack.data() + (word->first - sp), &word->second, sizeof(word->second));
    }
    return stack;
  }
  // "Leaf+4 < Main+1c < _start+8", the innermost first; the callers as they were watched.
  [[nodiscard]] std::string Expected() const { return Join({registers_.pc().value}, callers_); }
  [[nodiscard]] std::string Describe(const std::vector<UnwoundFrame>& frames) const {
    std::vector<std::uint64_t> addresses;
    for (const UnwoundFrame& frame : frames) addresses.push_back(frame.address.value);
    return Join(addresses, {});
  }

 private:
  struct Function {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::string name;
  };

  static std::uint64_t Hex(const std::string& text) { return std::stoull(text, nullptr, 16); }

  void AddFunction(const std::string& line) {
    std::istringstream fields(line);
    std::string word;
    Function function;
    fields >> word >> std::hex >> function.start >> function.size >> function.name;
    functions_.push_back(function);
  }

  // "NUMBER=VALUE" for registers, "@ADDRESS=VALUE" for words of the stack, "<A;B" for the callers.
  void Apply(const std::string& line) {
    std::istringstream fields(line);
    std::string field;
    while (fields >> field) {
      const std::size_t equals = field.find('=');
      if (field[0] == '<') {
        SetCallers(field.substr(1));
      } else if (field[0] == '@') {
        memory_[Hex(field.substr(1, equals - 1))] = Hex(field.substr(equals + 1));
      } else {
        const std::size_t number = std::stoul(field.substr(0, equals));
        registers_.value.at(number) = Hex(field.substr(equals + 1));
      }
    }
  }

  void SetCallers(const std::string& text) {
    callers_.clear();
    std::istringstream names(text);
    std::string name;
    while (std::getline(names, name, ';')) callers_.push_back(name);
  }

  [[nodiscard]] std::string Name(std::uint64_t address) const {
    std::ostringstream name;
    for (const Function& function : functions_) {
      if (address < function.start || address > function.start + function.size) continue;
      name << function.name << "+" << std::hex << address - function.start;
      return name.str();
    }
    name << std::hex << address;
    return name.str();
  }

  [[nodiscard]] std::string Join(const std::vector<std::uint64_t>& addresses,
                                 const std::vector<std::string>& more) const {
    std::vector<std::string> names;
    for (const std::uint64_t address : addresses) names.push_back(Name(address));
    names.insert(names.end(), more.begin(), more.end());
    std::string joined;
    for (const std::string& name : names) joined += (joined.empty() ? "" : " < ") + name;
    return joined;
  }

  std::string folder_;
  std::ifstream trace_;
  model::AddressSpace space_;
  TestImages images_;
  std::vector<Function> functions_;
  std::uint64_t top_ = 0;
  std::map<std::uint64_t, std::uint64_t> memory_;
  Registers registers_;
  std::vector<std::string> callers_;
};

}  // namespace prof::unwind
