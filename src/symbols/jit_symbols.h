// JIT code by the jitdump files of its process.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbols/elf_symbols.h"
#include "symbols/jit_dump.h"

#include "prof/model/address.h"
#include "prof/model/code.h"
#include "prof/model/record.h"
#include "prof/symbols/symbolizer.h"

namespace prof::symbols {

// A process may have several: one of each runtime in it, and those of programs it executed before.
// Of loads in several files that cover an address, the one with the latest time counts. Not
// thread-safe.
class JitDumps {
 public:
  // Borrowed descriptors, as ModuleFiles::jit_dump_fds.
  explicit JitDumps(std::span<const int> fds);

  [[nodiscard]] bool empty() const { return dumps_.empty(); }
  // What they are called, and what could not be read of which; for people.
  [[nodiscard]] std::string Names() const;
  [[nodiscard]] const std::string& problems() const { return problems_; }

  // One entry for each address (ascending); without frames where no file has a name. `lines`: with
  // file and line.
  std::vector<model::AddressSymbols> Resolve(std::span<const model::FileAddr> addresses,
                                             bool lines);
  // Symbolizer::ReadCode() for JIT code.
  model::ModuleCode ReadCode(const model::Module& module, std::span<const FunctionRange> functions,
                             const SymbolizerOptions& options);

 private:
  struct Found {
    JitDump* dump = nullptr;
    const JitLoad* load = nullptr;
  };
  // `found` of one dump, put over those of earlier ones.
  static void Merge(JitDump& dump, std::span<const JitLoad* const> loads,
                    std::vector<Found>& found);
  std::vector<Found> Find(std::span<const model::FileAddr> addresses);
  std::vector<NamedRange> NamesAt(std::span<const model::FileAddr> addresses);

  std::vector<JitDump> dumps_;
  std::string problems_;
};

}  // namespace prof::symbols
