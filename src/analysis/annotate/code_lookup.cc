// Looks in the profile, then asks the caller.
#include "analysis/annotate/code_lookup.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

namespace prof::analysis {
namespace {

const model::FunctionCode* FindStart(const model::ModuleCode& code, model::FileAddr start) {
  const auto found =
      std::ranges::lower_bound(code.functions, start, {}, &model::FunctionCode::start);
  return found != code.functions.end() && found->start == start ? &*found : nullptr;
}

}  // namespace

const model::ModuleCode* CodeLookup::OfModule(ModuleIndex module) const {
  if (module >= profile_.modules().size()) return nullptr;
  const auto found = std::ranges::find(profile_.code(), profile_.modules()[module].module,
                                       &model::ModuleCode::module);
  return found == profile_.code().end() ? nullptr : &*found;
}

const model::FunctionCode* CodeLookup::StartingAt(ModuleIndex module, model::FileAddr start) const {
  const model::ModuleCode* code = OfModule(module);
  return code == nullptr ? nullptr : FindStart(*code, start);
}

const model::FunctionCode* CodeLookup::Around(ModuleIndex module, model::FileAddr address) const {
  const model::ModuleCode* code = OfModule(module);
  if (code == nullptr) return nullptr;
  const auto after =
      std::ranges::upper_bound(code->functions, address, {}, &model::FunctionCode::start);
  if (after == code->functions.begin()) return nullptr;
  const model::FunctionCode& before = *std::prev(after);
  return address - before.start < before.size ? &before : nullptr;
}

FoundCode CodeLookup::Find(ModuleIndex module, FunctionExtent extent,
                           const std::string& linkage_name) {
  if (extent.size == 0 || module >= profile_.modules().size()) {
    return {.origin = "no symbol says where this code begins and ends"};
  }
  const model::FunctionCode* recorded = StartingAt(module, extent.start);
  if (recorded != nullptr && !recorded->code.empty()) {
    const model::ModuleCode& code = *OfModule(module);
    return {.function = recorded,
            .machine = code.machine,
            .origin = "recorded with the profile" +
                      (code.detail.empty() ? "" : " (" + code.detail + ")")};
  }
  FoundCode found{.origin = WhyMissing(module, recorded)};
  if (!missing_) return found;
  if (asked_ == kMostAsked) {
    found.origin += fmt::format("; looked for were those of {} hotter copies", kMostAsked);
    return found;
  }
  ++asked_;
  const model::ModuleCode* asked =
      missing_(profile_.modules()[module].module, extent.start, extent.size, linkage_name);
  if (asked == nullptr) return found;
  const model::FunctionCode* function = FindStart(*asked, extent.start);
  if (function == nullptr || function->code.empty()) {
    // What was tried now may be just what failed when it was recorded.
    if (!found.origin.contains(asked->detail)) found.origin += "; " + asked->detail;
    return found;
  }
  return {.function = function,
          .machine = asked->machine,
          .origin = asked->detail.empty() ? "read now, not recorded" : asked->detail};
}

std::string CodeLookup::WhyMissing(ModuleIndex module, const model::FunctionCode* recorded) const {
  const model::ModuleCode* code = OfModule(module);
  if (recorded != nullptr) {
    return "its code could not be read" + (code->detail.empty() ? "" : ": " + code->detail);
  }
  const auto& summary = profile_.code_summary();
  if (!summary) return "the profile has no code: it was cut short, or made without symbols";
  if (summary->functions_left_out > 0) {
    return fmt::format("not in the profile, which leaves out {} cold functions",
                       summary->functions_left_out);
  }
  return "its code is not in the profile" +
         (code == nullptr || code->detail.empty() ? "" : ": " + code->detail);
}

model::CodeMachine MachineOf(const model::RecordingInfo& info) {
  if (info.arch == "x86_64") return {.number = EM_X86_64};
  if (info.arch == "aarch64") return {.number = EM_AARCH64};
  const bool x86_32 =
      info.arch.size() == 4 && info.arch.front() == 'i' && info.arch.ends_with("86");
  if (x86_32) return {.number = EM_386, .is_64 = false};
  return {};
}

disasm::Architecture ArchitectureOf(const model::CodeMachine& machine) {
  switch (machine.number) {
    case EM_X86_64:
      return disasm::Architecture::kX86_64;
    case EM_386:
      return disasm::Architecture::kX86_32;
    case EM_AARCH64:
      return disasm::Architecture::kAarch64;
    default:
      return disasm::Architecture::kOther;
  }
}

}  // namespace prof::analysis
