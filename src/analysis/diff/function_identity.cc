// Takes off names what another build would change.
#include "analysis/diff/function_identity.h"

#include "analysis/clone_suffix.h"
#include "analysis/function_text.h"

#include "prof/symbols/demangle.h"

namespace prof::analysis::diff {
namespace {

// The legacy mangling of Rust ends in "::h" and 16 hexadecimal digits.
std::string_view WithoutRustHash(std::string_view name) {
  constexpr std::string_view kMark = "::h";
  constexpr std::size_t kDigits = 16;
  if (name.size() <= kMark.size() + kDigits) return name;
  const std::string_view tail = name.substr(name.size() - kMark.size() - kDigits);
  const bool hash =
      tail.starts_with(kMark) &&
      tail.find_first_not_of("0123456789abcdef", kMark.size()) == std::string_view::npos;
  return hash ? name.substr(0, name.size() - tail.size()) : name;
}

}  // namespace

std::string ModuleIdentity(const model::Module& module) {
  return module.kind == model::ModuleKind::kJit ? "[JIT]" : DsoText(module);
}

std::string_view WithoutSoVersion(std::string_view module) {
  constexpr std::string_view kSo = ".so.";
  const std::size_t at = module.find(kSo);
  if (at == std::string_view::npos || at == 0) return module;
  const std::string_view version = module.substr(at + kSo.size());
  const bool is_version =
      !version.empty() && version.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_version ? module.substr(0, at + kSo.size() - 1) : module;
}

std::string FunctionIdentity(std::string_view linkage_name) {
  const std::string name = LinkageText(linkage_name, NameStyle::kFull);
  return std::string(WithoutRustHash(WithoutCloneSuffix(name)));
}

std::string WithoutParameters(std::string_view identity) {
  return symbols::StripSignature(identity);
}

}  // namespace prof::analysis::diff
