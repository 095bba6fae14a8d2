// Annotated functions made by hand, for the tests of every renderer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/annotate.h"
#include "prof/analysis/annotate_compare.h"
#include "prof/report/report_data.h"

namespace prof::report::test {

using analysis::Amounts;

// 1 ms each, as a cpu-clock of 1000 Hz has them.
inline Amounts Samples(std::uint64_t samples) { return {{samples * 1'000'000, samples}}; }

inline analysis::AnnotatedEvent CpuClock(std::uint64_t samples) {
  analysis::AnnotatedEvent event;
  event.desc.name = "cpu-clock";
  event.desc.unit = model::EventUnit::kNanoseconds;
  event.desc.replaces = "cycles";
  event.desc.replaced_because = "no hardware counters on this machine";
  event.total = {samples * 1'000'000, samples};
  event.skid =
      "a timer: the address is where the interrupt arrived, often after the instruction that took "
      "the time";
  return event;
}

inline FileFacts WholeFile(std::string name = "prof.data") {
  FileFacts file;
  file.name = std::move(name);
  file.bytes = 48'311;
  return file;
}

struct Code {
  std::uint64_t address;
  std::uint8_t length;
  const char* text;
  std::uint32_t position;
  std::uint64_t samples = 0;
};

inline analysis::AnnotatedInstruction Make(const Code& code) {
  analysis::AnnotatedInstruction one;
  one.code.address = {code.address};
  one.code.length = code.length;
  one.code.text = code.text;
  for (std::uint8_t i = 0; i < code.length; ++i)
    one.bytes.push_back(static_cast<std::byte>(0x40 + 7 * i + code.address % 16));
  one.position = code.position;
  if (code.samples > 0) one.self = Samples(code.samples);
  return one;
}

inline void Jump(analysis::CodeCopy& copy, std::uint32_t from, std::uint32_t to,
                 disasm::Flow flow = disasm::Flow::kConditionalJump) {
  analysis::AnnotatedInstruction& source = copy.instructions[from];
  source.code.flow = flow;
  source.code.target = copy.instructions[to].code.address;
  source.jumps_to = to;
  const std::uint64_t offset = copy.instructions[to].code.address - copy.start;
  source.target_name = "<+0x";
  for (int shift = offset > 0xff ? 8 : 4; shift >= 0; shift -= 4)
    source.target_name += "0123456789abcdef"[offset >> shift & 15];
  source.target_name += '>';
  copy.instructions[to].begins_block = true;
}

inline model::SourceLines MatmulText() {
  return {36,
          {"// c += a * b, all of them n by n and dense.", "template <class Matrix>",
           "void multiply(const Matrix& a, const Matrix& b, Matrix& c, std::size_t n) {",
           "\tfor (std::size_t i = 0; i < n; ++i) {", "\t\tfor (std::size_t j = 0; j < n; ++j) {",
           "\t\t\tdouble sum = 0;",
           "\t\t\tfor (std::size_t k = 0; k < n; ++k) sum += a.at(i * n + k) * b.at(k * n + j);",
           "\t\t\tc[i * n + j] = sum;", "\t\t}", "\t}", "\tstd::puts(\"done\");", "}", ""}};
}

inline const std::string kMultiply = "multiply<std::vector<double, std::allocator<double> > >";

inline std::vector<analysis::AnnotatedSource> MultiplySources() {
  std::vector<analysis::AnnotatedSource> sources(2);
  sources[0].path = "/home/ada/matmul/src/multiply.cc";
  sources[0].state = model::SourceState::kRead;
  sources[0].text = {MatmulText()};
  sources[1].path = "/usr/include/c++/12/bits/stl_vector.h";
  sources[1].state = model::SourceState::kRead;
  sources[1].text = {
      {1121,
       {"      _GLIBCXX_NODISCARD _GLIBCXX20_CONSTEXPR", "      operator[](size_type __n) const",
        "      { return *(this->_M_impl._M_start + __n); }"}},
      {1153,
       {"      _M_range_check(size_type __n) const _GLIBCXX_NOEXCEPT", "      {",
        "\tif (__n >= this->size())",
        "\t  __throw_out_of_range_fmt(__N(\"vector::_M_range_check: __n \""}}};
  return sources;
}

inline std::vector<analysis::Position> MultiplyPositions() {
  const std::string vector = "std::vector<double, std::allocator<double> >::";
  const auto own = [](std::uint32_t line) { return analysis::InlineStep{kMultiply, 0, line}; };
  return {{own(38)},
          {own(40)},
          {{vector + "_M_range_check", 1, 1155}, {vector + "at", 1, 1176}, own(42)},
          {{vector + "operator[]", 1, 1123}, {vector + "at", 1, 1177}, own(42)},
          {own(42)},
          {own(43)},
          {own(39)},
          {own(46)},
          {own(47)},
          {{vector + "_M_range_check", 1, 1156}, {vector + "at", 1, 1176}, own(42)}};
}

// Three loops; an inlined bounds check that jumps to the cold part.
inline analysis::CodeCopy MultiplyCode() {
  analysis::CodeCopy copy;
  copy.name = kMultiply;
  copy.linkage_name = "_Z8multiplyISt6vectorIdSaIdEEEvRKT_S4_RS2_m";
  copy.module = 0;
  copy.start = {0x1180};
  copy.size = 86;
  copy.self = Samples(12'300);
  copy.positions = MultiplyPositions();
  copy.instructions = {Make({0x1180, 1, "push   %rbx", 0, 3}),
                       Make({0x1181, 3, "test   %rcx,%rcx", 6}),
                       Make({0x1184, 6, "je     11c8", 6}),
                       Make({0x118a, 4, "mov    (%rdi),%r8", 1, 12}),
                       Make({0x118e, 5, "pxor   %xmm1,%xmm1", 1}),
                       Make({0x1193, 4, "cmp    %r9,%rax", 2, 1'022}),
                       Make({0x1197, 2, "jae    10f0", 2, 310}),
                       Make({0x1199, 6, "movsd  (%r8,%rax,8),%xmm0", 3, 2'418}),
                       Make({0x119f, 5, "mulsd  (%rsi,%rdx,8),%xmm0", 4, 5'604}),
                       Make({0x11a4, 4, "addsd  %xmm0,%xmm1", 4, 2'702}),
                       Make({0x11a8, 4, "add    $0x1,%rax", 4, 101}),
                       Make({0x11ac, 3, "cmp    %rax,%rcx", 4}),
                       Make({0x11af, 2, "jne    1193", 4, 97}),
                       Make({0x11b1, 5, "movsd  %xmm1,(%rbx,%rdx,8)", 5, 31}),
                       Make({0x11b6, 4, "add    $0x1,%rdx", 1}),
                       Make({0x11ba, 3, "cmp    %rdx,%rcx", 1}),
                       Make({0x11bd, 2, "jne    118a", 1}),
                       Make({0x11bf, 4, "add    $0x1,%r10", 6}),
                       Make({0x11c3, 3, "cmp    %r10,%rcx", 6}),
                       Make({0x11c6, 2, "jne    118a", 6}),
                       Make({0x11c8, 7, "lea    0xe35(%rip),%rdi", 7}),
                       Make({0x11cf, 5, "call   1040", 7}),
                       Make({0x11d4, 1, "pop    %rbx", 8}),
                       Make({0x11d5, 1, "ret", 8})};
  Jump(copy, 2, 20);
  Jump(copy, 12, 5);
  Jump(copy, 16, 3);
  Jump(copy, 19, 3);
  copy.instructions[6].code.flow = disasm::Flow::kConditionalJump;
  copy.instructions[6].code.target = model::FileAddr{0x10f0};
  copy.instructions[6].target_name = kMultiply + ".cold";
  copy.instructions[20].code.referred = model::FileAddr{0x2004};
  copy.instructions[20].target_name = ".rodata+0x4";
  copy.instructions[21].code.flow = disasm::Flow::kCall;
  copy.instructions[21].code.target = model::FileAddr{0x1040};
  copy.instructions[21].target_name = "puts@plt";
  copy.instructions[23].code.flow = disasm::Flow::kReturn;
  copy.hot = analysis::CodeBlock{7, 12, Samples(10'922)};
  copy.origin = "recorded with the profile (/home/ada/matmul/matmul)";
  return copy;
}

inline analysis::CodeCopy MultiplyColdCode() {
  analysis::CodeCopy copy;
  copy.name = kMultiply + ".cold";
  copy.linkage_name = "_Z8multiplyISt6vectorIdSaIdEEEvRKT_S4_RS2_m.cold";
  copy.module = 0;
  copy.start = {0x10f0};
  copy.size = 17;
  copy.self = Samples(45);
  copy.positions = MultiplyPositions();
  copy.instructions = {
      Make({0x10f0, 7, "lea    0xf31(%rip),%rdi", 9, 3}), Make({0x10f7, 3, "mov    %r9,%rdx", 9}),
      Make({0x10fa, 2, "xor    %eax,%eax", 9, 40}), Make({0x10fc, 5, "call   1060", 9})};
  copy.instructions[0].code.referred = model::FileAddr{0x2028};
  copy.instructions[3].code.flow = disasm::Flow::kCall;
  copy.instructions[3].code.target = model::FileAddr{0x1060};
  copy.instructions[3].target_name = "std::__throw_out_of_range_fmt(char const*, ...)@plt";
  copy.hot = analysis::CodeBlock{0, 3, Samples(43)};
  copy.outside = Samples(2);
  copy.origin = "recorded with the profile (/home/ada/matmul/matmul)";
  return copy;
}

inline analysis::AnnotatedLine Line(std::uint32_t file, std::uint32_t number, std::uint64_t self,
                                    std::uint64_t inlined, std::uint64_t children) {
  analysis::AnnotatedLine line;
  line.file = file;
  line.line = number;
  if (self > 0) line.self = Samples(self);
  if (inlined > 0) line.inlined = Samples(inlined);
  if (children > 0) line.children = Samples(children);
  return line;
}

// 12,345 of 20,113 samples, nearly all in the inner loop of multiply.cc:42.
inline analysis::AnnotatedFunction Multiply() {
  analysis::AnnotatedFunction function;
  function.name = kMultiply;
  function.module = "matmul";
  function.events = {CpuClock(20'113)};
  function.self = Samples(12'345);
  function.children = Samples(13'275);
  function.sources = MultiplySources();
  function.copies = {MultiplyCode(), MultiplyColdCode()};
  function.lines = {
      Line(0, 38, 3, 0, 3),   Line(0, 40, 12, 0, 12), Line(0, 42, 12'297, 3'793, 12'299),
      Line(0, 43, 31, 0, 31), Line(0, 46, 0, 0, 930), Line(model::kNoFile, 0, 2, 0, 2)};
  const std::vector<analysis::Position> positions = MultiplyPositions();
  function.lines[2].callees = {
      {positions[3], Samples(2'418)}, {positions[2], Samples(1'332)}, {positions[9], Samples(43)}};
  return function;
}

// Amounts of a second event: every other sample of the first, `factor` each.
inline void AddSecondEvent(Amounts& amounts, std::uint64_t factor) {
  if (amounts.empty()) return;
  const std::uint64_t samples = amounts[0].samples / 2;
  amounts.push_back({samples * factor, samples});
}

inline analysis::AnnotatedFunction TwoEvents() {
  constexpr std::uint64_t kFactor = 10'007;
  analysis::AnnotatedFunction function = Multiply();
  analysis::AnnotatedEvent misses;
  misses.event = 1;
  misses.desc.name = "cache-misses";
  misses.desc.precise = 2;
  misses.total = {9'000 * kFactor, 9'000};
  misses.skid = "precise: the address is that of the instruction that missed";
  function.events.push_back(misses);
  AddSecondEvent(function.self, kFactor);
  AddSecondEvent(function.children, kFactor);
  for (analysis::AnnotatedLine& line : function.lines) {
    AddSecondEvent(line.self, kFactor);
    AddSecondEvent(line.inlined, kFactor);
    AddSecondEvent(line.children, kFactor);
    for (analysis::AnnotatedLine::Inlined& callee : line.callees)
      AddSecondEvent(callee.self, kFactor);
  }
  for (analysis::CodeCopy& copy : function.copies) {
    AddSecondEvent(copy.self, kFactor);
    AddSecondEvent(copy.outside, kFactor);
    if (copy.hot) AddSecondEvent(copy.hot->self, kFactor);
    for (analysis::AnnotatedInstruction& one : copy.instructions) AddSecondEvent(one.self, kFactor);
  }
  return function;
}

// Only the part of main that the function was inlined into, in two pieces of code.
inline analysis::AnnotatedFunction InlinedCopy() {
  analysis::AnnotatedFunction function = Multiply();
  analysis::CodeCopy copy = MultiplyCode();
  copy.name = "main";
  copy.linkage_name = "main";
  copy.inlined = true;
  copy.instructions.erase(copy.instructions.begin() + 14, copy.instructions.begin() + 20);
  copy.instructions[2].jumps_to = 14;
  function.copies = {copy};
  return function;
}

inline analysis::AnnotatedFunction WithoutText() {
  analysis::AnnotatedFunction function = Multiply();
  for (analysis::AnnotatedSource& source : function.sources) {
    source.text.clear();
    source.state = model::SourceState::kMissing;
  }
  function.sources[1].state = model::SourceState::kUnreadable;
  function.sources[0].warning = "changed since the recording";
  return function;
}

// A stripped program.
inline analysis::AnnotatedFunction WithoutLines() {
  analysis::AnnotatedFunction function = Multiply();
  function.sources.clear();
  function.lines = {Line(model::kNoFile, 0, 12'345, 0, 13'275)};
  for (analysis::CodeCopy& copy : function.copies)
    copy.positions.assign(copy.positions.size(), {{kMultiply, model::kNoFile, 0}});
  function.notes = {
      "no line table in /home/ada/matmul/matmul: build with -g, or install its debug symbols"};
  return function;
}

inline analysis::AnnotatedFunction WithoutCode() {
  analysis::AnnotatedFunction function = Multiply();
  for (analysis::CodeCopy& copy : function.copies) {
    copy.instructions.clear();
    copy.hot.reset();
    copy.outside = copy.self;
    copy.origin = "/home/ada/matmul/matmul is not there, and the profile has none";
  }
  return function;
}

inline FileFacts CutFile() {
  FileFacts file = WholeFile();
  file.complete = false;
  file.cut_bytes = 812;
  file.corrupt_blocks = 1;
  return file;
}

// The bounds check is gone from the source; the cold part is the same code at another address.
inline analysis::AnnotateComparison MultiplyChanged() {
  analysis::AnnotateComparison comparison;
  comparison.before = Multiply();
  comparison.after = Multiply();
  analysis::AnnotatedFunction& after = comparison.after;
  after.self = Samples(8'012);
  after.children = Samples(8'950);
  after.events[0].total = {15'800'000'000, 15'800};
  after.lines = {Line(0, 38, 4, 0, 4),   Line(0, 41, 15, 0, 15), Line(0, 44, 7'900, 2'200, 7'900),
                 Line(0, 45, 91, 0, 91), Line(0, 48, 0, 0, 930), Line(model::kNoFile, 0, 2, 0, 2)};
  after.copies[1].start = {0x10a0};
  after.copies[1].instructions[0].self = Samples(10);
  after.copies[1].instructions[2].self = {};
  for (analysis::AnnotatedInstruction& one : after.copies[1].instructions)
    one.code.address = one.code.address - 0x50;
  const auto add = [&](std::optional<std::uint32_t> left, std::optional<std::uint32_t> right,
                       std::uint32_t was, std::uint32_t line, const char* text) {
    comparison.lines.push_back({left, right, was, line, after.sources[0].path, text});
  };
  const std::vector<std::string> text = MatmulText().text;
  add(0, 0, 38, 38, text[2].c_str());
  add({}, {}, 39, 39, text[3].c_str());
  add({}, {}, 0, 40, "\t\tconst double* row = a.data() + i * n;");
  add(1, 1, 40, 41, text[4].c_str());
  add({}, {}, 41, 42, text[5].c_str());
  add(2, {}, 42, 0, text[6].c_str());
  add({}, {}, 0, 43, "\t\t\t// b is n by n");
  add({}, 2, 0, 44, "\t\t\tfor (std::size_t k = 0; k < n; ++k) sum += row[k] * b[k * n + j];");
  add(3, 3, 43, 45, text[7].c_str());
  for (std::uint32_t i = 0; i < 12; ++i) add({}, {}, 44 + i, 46 + i, "\t\t}");
  comparison.lines.push_back({5, 5, 0, 0, "", ""});
  comparison.identical = {{1, 1}};
  comparison.notes = {"the code of the first copy differs: it is compared by source line only"};
  return comparison;
}

}  // namespace prof::report::test
