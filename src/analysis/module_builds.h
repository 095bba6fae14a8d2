// Which modules the samples are in, and how much of their code was not optimized.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prof/analysis/profile.h"

namespace prof::analysis {

// A module says something about a recording from this share of the samples on.
inline constexpr double kLargeModule = 0.1;

// Modules that the "Shared Object" column calls the same are one.
struct ModuleBuild {
  std::string name;
  std::uint64_t samples = 0;      // whose innermost frame is in it, of all events
  std::uint64_t unoptimized = 0;  // of those: in code that the compiler did not optimize (-O0)

  [[nodiscard]] bool IsMostlyUnoptimized() const { return unoptimized > samples / 2; }
};

// Without the kernel and JIT memory, which nobody compiles for a recording; by name.
std::vector<ModuleBuild> ModuleBuilds(const Profile& profile);

}  // namespace prof::analysis
