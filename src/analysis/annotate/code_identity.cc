// Compares instructions without their relocated operands.
#include "analysis/annotate/code_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace prof::analysis {
namespace {

bool IsPartOfNumber(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == 'x' || c == '-' || c == '+';
}

// "lea 0x10(%rip),%rax" and "lea rax,[rip+0x10]" without "0x10" and "+0x10".
std::string WithoutDisplacement(std::string text) {
  for (const std::string_view base : {"(%rip)", "(%eip)"}) {
    const std::size_t at = text.find(base);
    if (at == std::string::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && IsPartOfNumber(text[begin - 1])) --begin;
    return text.erase(begin, at - begin);
  }
  for (const std::string_view base : {"[rip", "[eip"}) {
    const std::size_t at = text.find(base);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + base.size();
    std::size_t end = begin;
    while (end < text.size() && IsPartOfNumber(text[end])) ++end;
    return text.erase(begin, end - begin);
  }
  return text;
}

// "jl     1006" without "1006".
std::string WithoutTarget(std::string text, model::FileAddr target) {
  const std::string number = fmt::format("{:x}", target.value);
  const std::size_t at = text.rfind(number);
  if (at != std::string::npos) text.erase(at, number.size());
  return text;
}

bool IsInside(const CodeCopy& copy, model::FileAddr address) {
  return address >= copy.start && address - copy.start < copy.size;
}

bool MeansTheSame(const CodeCopy& a, const AnnotatedInstruction& x, model::FileAddr in_a,
                  const CodeCopy& b, const AnnotatedInstruction& y, model::FileAddr in_b) {
  if (IsInside(a, in_a) || IsInside(b, in_b)) {
    return IsInside(a, in_a) && IsInside(b, in_b) && in_a - a.start == in_b - b.start;
  }
  return x.target_name.empty() || y.target_name.empty() || x.target_name == y.target_name;
}

bool IsSameInstruction(const CodeCopy& a, const AnnotatedInstruction& x, const CodeCopy& b,
                       const AnnotatedInstruction& y) {
  if (x.code.address - a.start != y.code.address - b.start || x.code.length != y.code.length ||
      x.code.flow != y.code.flow) {
    return false;
  }
  if (x.code.target && y.code.target) {
    return WithoutTarget(x.code.text, *x.code.target) ==
               WithoutTarget(y.code.text, *y.code.target) &&
           MeansTheSame(a, x, *x.code.target, b, y, *y.code.target);
  }
  if (x.code.referred && y.code.referred) {
    return WithoutDisplacement(x.code.text) == WithoutDisplacement(y.code.text) &&
           MeansTheSame(a, x, *x.code.referred, b, y, *y.code.referred);
  }
  return x.bytes == y.bytes;
}

}  // namespace

bool IsSameCode(const CodeCopy& a, const CodeCopy& b) {
  if (a.size != b.size || a.instructions.empty()) return false;
  return std::ranges::equal(a.instructions, b.instructions, [&](const auto& x, const auto& y) {
    return IsSameInstruction(a, x, b, y);
  });
}

}  // namespace prof::analysis
