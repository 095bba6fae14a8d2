// Where the machine code of a copy is found.
#pragma once

#include <string>

#include "prof/analysis/annotate.h"

namespace prof::analysis {

struct FoundCode {
  const model::FunctionCode* function = nullptr;  // with bytes; null: none
  model::CodeMachine machine;
  std::string origin;  // where it came from, or why there is none
};

class CodeLookup {
 public:
  // Borrows both.
  CodeLookup(const Profile& profile, const CodeProvider& missing)
      : profile_(profile), missing_(missing) {}

  // Line tables and code in the profile, the code of one function with or without bytes: the one
  // that begins at `start`, or the one around `address`; null: none.
  [[nodiscard]] const model::FunctionCode* StartingAt(ModuleIndex module,
                                                      model::FileAddr start) const;
  [[nodiscard]] const model::FunctionCode* Around(ModuleIndex module,
                                                  model::FileAddr address) const;
  // From the profile, else from the provider.
  [[nodiscard]] FoundCode Find(ModuleIndex module, FunctionExtent extent,
                               const std::string& linkage_name) const;
  [[nodiscard]] const model::ModuleCode* OfModule(ModuleIndex module) const;

 private:
  [[nodiscard]] std::string WhyMissing(ModuleIndex module,
                                       const model::FunctionCode* recorded) const;

  const Profile& profile_;
  const CodeProvider& missing_;
};

// Of code whose file did not say: the machine of the recording.
[[nodiscard]] model::CodeMachine MachineOf(const model::RecordingInfo& info);
[[nodiscard]] disasm::Architecture ArchitectureOf(const model::CodeMachine& machine);

}  // namespace prof::analysis
