// What the addresses that instructions name are called.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/annotate/code_lookup.h"
#include "analysis/annotate/scoped_samples.h"
#include "analysis/function_text.h"

namespace prof::analysis {

// LinkageText() with a cache.
class LinkageTexts {
 public:
  explicit LinkageTexts(NameStyle style) : style_(style) {}
  const std::string& Of(std::string_view linkage_name);

 private:
  NameStyle style_;
  std::map<std::string, std::string, std::less<>> cache_;
};

class TargetNames {
 public:
  // Borrows all.
  TargetNames(const Profile& profile, const ScopedSamples& samples, const CodeLookup& lookup,
              LinkageTexts& texts)
      : profile_(profile), samples_(samples), lookup_(lookup), texts_(texts) {}

  // The name of `address` in code of `copy`, whose FunctionCode is `code`; empty: not known.
  // `called`: a function is called there.
  std::string Of(const CodeCopy& copy, const model::FunctionCode& code, model::FileAddr address,
                 bool called);

 private:
  struct Named {
    model::FileAddr start;
    std::uint64_t size = 0;
    std::string linkage_name;
  };
  const std::vector<Named>& FunctionsOf(ModuleIndex module);

  const Profile& profile_;
  const ScopedSamples& samples_;
  const CodeLookup& lookup_;
  LinkageTexts& texts_;
  std::map<ModuleIndex, std::vector<Named>> functions_;  // ascending, each start once
};

}  // namespace prof::analysis
