// Machine code and its records for tests of annotations, and short texts of what came out.
#pragma once

#include <elf.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "unit/analysis/stream.h"

#include "prof/analysis/annotate.h"

namespace prof::analysis::test {

inline std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// 20 bytes of a loop, to be placed at 0x1000:
//   1000 push %rbp; 1001 mov %rsp,%rbp; 1004 xor %eax,%eax
//   1006 add $0x1,%eax; 1009 cmp %edi,%eax; 100b jl 1006
//   100d call 2000; 1012 pop %rbp; 1013 ret
inline std::vector<std::byte> LoopBytes() {
  return Bytes({0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x83, 0xc0, 0x01, 0x39,
                0xf8, 0x7c, 0xf9, 0xe8, 0xee, 0x0f, 0x00, 0x00, 0x5d, 0xc3});
}
inline constexpr std::uint64_t kLoopStart = 0x1000;

// The loop as function `name`: lines 10 to 14 of "/src/loop.c", the add on line 12.
inline model::FunctionCode LoopCode(const std::string& name) {
  model::FunctionCode code;
  code.start = {kLoopStart};
  code.code = LoopBytes();
  code.size = code.code.size();
  code.name = name;
  code.files = {"/src/loop.c"};
  code.lines = {{{0x1000}, 0, 10}, {{0x1004}, 0, 11}, {{0x1006}, 0, 12},
                {{0x1009}, 0, 11}, {{0x100d}, 0, 13}, {{0x1012}, 0, 14}};
  return code;
}

inline void AddCode(Stream& stream, model::ModuleId module,
                    std::vector<model::FunctionCode> functions, std::uint16_t machine = EM_X86_64) {
  model::ModuleCode code;
  code.module = stream.ModuleAt(module);
  code.machine = {.number = machine, .is_64 = machine != EM_386, .big_endian = false};
  code.functions = std::move(functions);
  stream.Add(code);
}

inline FunctionChoice Choose(const Profile& profile, const std::string& query,
                             const AnnotateScope& scope = {}) {
  auto choice = ChooseFunctions(profile, query, scope);
  EXPECT_TRUE(choice.has_value()) << (choice ? "" : choice.error().message);
  return choice.value_or(FunctionChoice{});
}

// Of the first match.
inline AnnotatedFunction AnnotateBest(const Profile& profile, const std::string& query,
                                      const AnnotateOptions& options = {}) {
  const FunctionChoice choice = Choose(profile, query, options.scope);
  EXPECT_FALSE(choice.matches.empty()) << query;
  if (choice.matches.empty()) return {};
  auto function = Annotate(profile, choice.matches.front(), options);
  EXPECT_TRUE(function.has_value()) << (function ? "" : function.error().message);
  return function.value_or(AnnotatedFunction{});
}

// "3/1 4/1": weight/samples of each event.
inline std::string Text(const Amounts& amounts) {
  std::string text;
  for (const Amount& amount : amounts) {
    text += (text.empty() ? "" : " ") + std::to_string(amount.weight) + "/" +
            std::to_string(amount.samples);
  }
  return text;
}

// "name@module self children" per match.
inline std::vector<std::string> Texts(const std::vector<FunctionMatch>& matches) {
  std::vector<std::string> texts;
  for (const FunctionMatch& match : matches) {
    texts.push_back(match.name + "@" + match.module + " " + Text(match.self) + " " +
                    Text(match.children));
  }
  return texts;
}

// "path:line self inlined children" per line.
inline std::vector<std::string> LineTexts(const AnnotatedFunction& function) {
  std::vector<std::string> texts;
  for (const AnnotatedLine& line : function.lines) {
    const std::string path =
        line.file == model::kNoFile ? "?" : function.sources.at(line.file).path;
    texts.push_back(path + ":" + std::to_string(line.line) + " " + Text(line.self) + " " +
                    Text(line.inlined) + " " + Text(line.children));
  }
  return texts;
}

// "f path:line < g path:line": from the inside out.
inline std::string Text(const Position& position, const AnnotatedFunction& function) {
  std::string text;
  for (const InlineStep& step : position) {
    const std::string path =
        step.file == model::kNoFile ? "?" : function.sources.at(step.file).path;
    text += (text.empty() ? "" : " < ") + step.name + " " + path + ":" + std::to_string(step.line);
  }
  return text;
}

}  // namespace prof::analysis::test
