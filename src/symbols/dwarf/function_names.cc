// Finds the names of functions.
#include "symbols/dwarf/function_names.h"

#include <dwarf.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "symbols/dwarf/entry_cursor.h"

namespace prof::symbols {
namespace {

// Chains of references in real DWARF have at most three links; broken ones may be rings.
constexpr int kMaxReferences = 8;
constexpr std::size_t kMaxNesting = 40;
// Broken DWARF may nest scopes whose names are as long as the file.
constexpr std::size_t kMaxScopeBytes = 1 << 14;
constexpr std::string_view kUnnamedType = "{unnamed type}";

struct NameAttributes {
  std::string_view name;
  std::string_view linkage_name;
  std::optional<Entry> origin;         // DW_AT_abstract_origin
  std::optional<Entry> specification;  // the declaration of a member or of a namespace's function
};

NameAttributes ReadNames(const Entry& entry) {
  NameAttributes names;
  const Unit& unit = *entry.unit;
  ForEachAttribute(entry, [&](std::uint16_t attribute, const FormValue& value) {
    switch (attribute) {
      case DW_AT_name:
        names.name = unit.String(value);
        break;
      case DW_AT_linkage_name:
      case DW_AT_MIPS_linkage_name:
        names.linkage_name = unit.String(value);
        break;
      case DW_AT_abstract_origin:
        names.origin = unit.Reference(value);
        break;
      case DW_AT_specification:
        names.specification = unit.Reference(value);
        break;
      default:
        break;
    }
  });
  return names;
}

// Where the references lead to, and what is said there.
struct Origin {
  Entry entry;
  NameAttributes names;
};

Origin FollowOrigins(const Entry& function) {
  Origin at{function, ReadNames(function)};
  for (int i = 0; i < kMaxReferences && at.names.origin; ++i) {
    at = {*at.names.origin, ReadNames(*at.names.origin)};
  }
  return at;
}

Origin FollowSpecifications(Origin at) {
  for (int i = 0; i < kMaxReferences && at.names.specification; ++i) {
    at = {*at.names.specification, ReadNames(*at.names.specification)};
  }
  return at;
}

std::string_view LinkageName(Origin at) {
  for (int i = 0; i < kMaxReferences && at.names.linkage_name.empty(); ++i) {
    if (!at.names.specification) break;
    at = {*at.names.specification, ReadNames(*at.names.specification)};
  }
  return at.names.linkage_name;
}

bool HasNamespaces(const Unit& unit) {
  switch (unit.root().language) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
    case DW_LANG_Go:
      return false;
    default:
      return true;
  }
}

// Appends "name::" for namespaces and types.
void AppendScope(const Entry& entry, std::string& scope) {
  const std::uint16_t tag = TagOf(entry);
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_module: {
      const std::string_view name = ReadNames(entry).name;
      const std::string_view unnamed =
          tag == DW_TAG_namespace ? std::string_view("(anonymous namespace)") : kUnnamedType;
      scope.append(name.empty() ? unnamed : name).append("::");
      return;
    }
    default:
      return;
  }
}

}  // namespace

void LearnedNames::Learn(const Entry& function, std::string_view symbol) {
  if (!symbol.starts_with("_Z") && !symbol.starts_with("_R")) return;
  const Origin origin = FollowOrigins(function);
  if (!LinkageName(origin).empty()) return;
  by_origin_.try_emplace(origin.entry, symbol.substr(0, symbol.find('.')));
}

std::string_view LearnedNames::Find(const Entry& origin) const {
  const auto found = by_origin_.find(origin);
  return found == by_origin_.end() ? std::string_view() : found->second;
}

// DWARF has no links to parents, but entries are stored in the order of the tree, so the way down
// is, on each level, the entry whose descendants include the target.
const std::vector<FunctionNames::Scope>& FunctionNames::ScopesIn(const Entry& parent) {
  const auto [slot, fresh] = scopes_.try_emplace(parent);
  std::vector<Scope>& scopes = slot->second;
  if (!fresh) return scopes;
  const EntryCursor cursor(*parent.unit);
  EntryShape entry;
  if (!cursor.Read(parent.offset, entry) || entry.abbreviation == nullptr ||
      !entry.abbreviation->children) {
    return scopes;
  }
  for (std::uint64_t at = entry.next; cursor.Read(at, entry) && entry.abbreviation != nullptr;) {
    const std::uint64_t begin = at;
    at = cursor.Skip(entry);
    if (at == 0) break;
    if (entry.abbreviation->children) scopes.push_back({begin, at});
  }
  return scopes;
}

// "ns::Class::" for an entry.
std::string FunctionNames::ScopeOf(const Entry& target, std::size_t nesting) {
  std::string scope;
  if (nesting > kMaxNesting || !HasNamespaces(*target.unit)) return scope;
  std::vector<Entry> path = {{target.unit, target.unit->header().entries}};
  while (path.size() < kMaxNesting) {
    const std::vector<Scope>& scopes = ScopesIn(path.back());
    const auto after = std::ranges::lower_bound(scopes, target.offset, {}, &Scope::begin);
    if (after == scopes.begin() || std::prev(after)->end <= target.offset) break;
    path.push_back({target.unit, std::prev(after)->begin});
  }
  // The body of a member stands at the end of the unit, away from its class, so that what is around
  // a function is not its scope.
  const auto function = std::ranges::find(path.rbegin(), path.rend(), DW_TAG_subprogram, TagOf);
  if (function != path.rend()) scope = QualifiedName(*function, nesting + 1) + "::";
  for (auto entry = function.base(); entry != path.end() && scope.size() < kMaxScopeBytes;
       ++entry) {
    AppendScope(*entry, scope);
  }
  return scope;
}

// Of an entry without abstract origin.
std::string FunctionNames::QualifiedName(const Entry& function, std::size_t nesting) {
  const Origin declaration = FollowSpecifications({function, ReadNames(function)});
  if (declaration.names.name.empty()) return {};
  std::string scope = ScopeOf(declaration.entry, nesting);
  const std::string unnamed = std::string(kUnnamedType) + "::";
  if (declaration.names.name == "operator()" && scope.ends_with(unnamed)) {
    scope.replace(scope.size() - unnamed.size(), unnamed.size(), "{lambda}::");
  }
  return scope.append(declaration.names.name);
}

const std::string& FunctionNames::Of(const Entry& function) {
  const Origin origin = FollowOrigins(function);
  const auto [slot, fresh] = by_entry_.try_emplace(origin.entry);
  std::string& name = slot->second;
  if (!fresh) return name;
  name = learned_.Find(origin.entry);
  if (name.empty()) name = LinkageName(origin);
  if (name.empty()) name = QualifiedName(origin.entry, 0);
  return name;
}

}  // namespace prof::symbols
