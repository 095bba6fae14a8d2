// Demangles C++ and Rust names.
#include "prof/symbols/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "symbols/rust_demangle.h"

namespace prof::symbols {
namespace {

// The demangler of libstdc++ recurses over its input; compilers stay far below this.
constexpr std::size_t kMaxNameBytes = 64 << 10;

std::optional<std::string> DemangleCxx(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr) return std::nullopt;
  return std::string(text.get());
}

// The suffixes of compilers and linkers: ".cold", ".isra.0", "@plt", "@@GLIBC_2.14".
std::size_t SuffixStart(std::string_view name) {
  return std::min(name.find_first_of(".@"), name.size());
}

// LLVM makes local names unique with ".llvm.<hash>"; it says nothing to readers.
std::string_view WithoutLlvmHash(std::string_view suffix) {
  const std::size_t at = suffix.find(".llvm.");
  return at == std::string_view::npos ? suffix : suffix.substr(0, at);
}

}  // namespace

std::string Demangle(std::string_view linkage_name) {
  const std::string unchanged(linkage_name);
  if (linkage_name.size() > kMaxNameBytes) return unchanged;
  if (linkage_name.starts_with("_R")) {
    const std::size_t end = std::min(linkage_name.find_first_of(".@$"), linkage_name.size());
    auto rust = DemangleRustV0(linkage_name.substr(0, end));
    return rust ? *rust + std::string(WithoutLlvmHash(linkage_name.substr(end))) : unchanged;
  }
  if (!linkage_name.starts_with("_Z")) return unchanged;
  if (linkage_name.starts_with("_ZN")) {
    // Legacy Rust names contain dots ("..") of their own; the hash at the end marks where they end.
    const std::size_t hash = linkage_name.rfind("17h");
    constexpr std::size_t kTail = 3 + 16 + 1;
    if (hash != std::string_view::npos && linkage_name.size() - hash >= kTail) {
      if (auto rust = DemangleRustLegacy(linkage_name.substr(0, hash + kTail))) {
        return *rust + std::string(WithoutLlvmHash(linkage_name.substr(hash + kTail)));
      }
    }
  }
  const std::size_t end = SuffixStart(linkage_name);
  if (auto cxx = DemangleCxx(linkage_name.substr(0, end))) {
    return *cxx + std::string(linkage_name.substr(end));
  }
  // A few compilers put a dot into the name itself; then the demangler knows better where it ends.
  const std::size_t version = std::min(linkage_name.find('@'), linkage_name.size());
  if (auto cxx = DemangleCxx(linkage_name.substr(0, version))) {
    return *cxx + std::string(linkage_name.substr(version));
  }
  return unchanged;
}

}  // namespace prof::symbols
