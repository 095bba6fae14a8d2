// Finds the names of DWARF functions.
#include "symbols/dwarf_names.h"

#include <dwarf.h>

#include <string_view>
#include <utility>

namespace prof::symbols {
namespace {

// Chains of references in real DWARF have at most three links; broken ones may be rings.
constexpr int kMaxReferences = 8;
constexpr int kMaxNesting = 40;
constexpr const char* kUnnamedType = "{unnamed type}";

Dwarf_Die Follow(Dwarf_Die die, unsigned attribute) {
  for (int i = 0; i < kMaxReferences; ++i) {
    Dwarf_Attribute reference;
    Dwarf_Die next;
    if (::dwarf_attr(&die, attribute, &reference) == nullptr ||
        ::dwarf_formref_die(&reference, &next) == nullptr) {
      break;
    }
    die = next;
  }
  return die;
}

const char* LinkageName(Dwarf_Die die) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute;
    if (::dwarf_attr_integrate(&die, name, &attribute) != nullptr) {
      return ::dwarf_formstring(&attribute);
    }
  }
  return nullptr;
}

bool HasNamespaces(Dwarf_Die& unit) {
  switch (::dwarf_srclang(&unit)) {
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

std::string QualifiedName(Dwarf_Die function, int nesting);

// The scope of what is inside `die`, itself being in `scope`.
std::string Enter(std::string scope, Dwarf_Die& die, int nesting) {
  const char* name = ::dwarf_diename(&die);
  switch (::dwarf_tag(&die)) {
    case DW_TAG_namespace:
      return scope + (name == nullptr ? "(anonymous namespace)" : name) + "::";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_module:
      return scope + (name == nullptr ? kUnnamedType : name) + "::";
    case DW_TAG_subprogram:
      // The body of a member stands at the end of the unit, away from its class.
      return QualifiedName(die, nesting + 1) + "::";
    default:
      return scope;
  }
}

// "ns::Class::" for an entry. DWARF has no links to parents, but entries are stored in the order of
// the tree, so the way down is, on each level, the last entry that does not begin behind the
// target.
std::string ScopeOf(Dwarf_Die target, int nesting) {
  std::string scope;
  Dwarf_Die parent;
  if (nesting > kMaxNesting || ::dwarf_diecu(&target, &parent, nullptr, nullptr) == nullptr ||
      !HasNamespaces(parent)) {
    return scope;
  }
  const Dwarf_Off wanted = ::dwarf_dieoffset(&target);
  for (; nesting < kMaxNesting; ++nesting) {
    Dwarf_Die child;
    if (::dwarf_child(&parent, &child) != 0) return scope;
    for (Dwarf_Die next; ::dwarf_siblingof(&child, &next) == 0; child = next) {
      const Dwarf_Off offset = ::dwarf_dieoffset(&next);
      if (offset > wanted || offset <= ::dwarf_dieoffset(&child)) break;
    }
    if (::dwarf_dieoffset(&child) >= wanted) return scope;
    scope = Enter(std::move(scope), child, nesting);
    parent = child;
  }
  return scope;
}

// Of an entry without abstract origin.
std::string QualifiedName(Dwarf_Die function, int nesting) {
  Dwarf_Die declaration = Follow(function, DW_AT_specification);
  const char* name = ::dwarf_diename(&declaration);
  if (name == nullptr) return {};
  std::string scope = ScopeOf(declaration, nesting);
  const std::string unnamed = std::string(kUnnamedType) + "::";
  if (std::string_view(name) == "operator()" && scope.ends_with(unnamed)) {
    scope.replace(scope.size() - unnamed.size(), unnamed.size(), "{lambda}::");
  }
  return scope + name;
}

}  // namespace

void DwarfNames::Learn(Dwarf_Die function, std::string_view symbol) {
  if (!symbol.starts_with("_Z") && !symbol.starts_with("_R")) return;
  const Dwarf_Die origin = Follow(function, DW_AT_abstract_origin);
  if (LinkageName(origin) != nullptr) return;
  by_entry_.try_emplace(origin.addr, symbol.substr(0, symbol.find('.')));
}

const std::string& DwarfNames::Of(Dwarf_Die function) {
  const Dwarf_Die origin = Follow(function, DW_AT_abstract_origin);
  const auto [slot, fresh] = by_entry_.try_emplace(origin.addr);
  std::string& name = slot->second;
  if (!fresh) return name;
  if (const char* linkage = LinkageName(origin)) return name = linkage;
  return name = QualifiedName(origin, 0);
}

}  // namespace prof::symbols
