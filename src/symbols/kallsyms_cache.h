// Kernel symbols kept between runs of prof within one boot.
#pragma once

#include <optional>
#include <string>

#include "symbols/kallsyms.h"

#include "prof/base/host_fs.h"

namespace prof::symbols {

// One file per user. It is valid for one boot and one set of loaded modules (their names and
// sizes), which is cheaper to compare than kallsyms is to read (2 ms against 70).
class KallsymsCache {
 public:
  // An empty `dir`: no cache.
  KallsymsCache(const HostFs& fs, std::string dir);
  // Nothing when the file is missing, another user's, writable for others, malformed or of another
  // boot.
  [[nodiscard]] std::optional<Kallsyms> Load() const;
  // Atomic (rename); failing is no error, the next run reads kallsyms again.
  void Store(const Kallsyms& symbols) const;

 private:
  std::string dir_;
  std::string key_;  // empty: no cache
};

}  // namespace prof::symbols
