// The witnesses of a run's disturbance: as named numbers for programs, and in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "prof/model/run.h"

namespace prof::report {

struct NoiseWitness {
  const char* name;  // part of the schema in docs/stat-formats.md
  const char* unit;  // "ns", "kHz", ""
  std::uint64_t value = 0;
};
// Those that are known. Of several runs together (`runs` above 1) there is no frequency.
std::vector<NoiseWitness> KnownWitnesses(const model::RunNoise& noise, std::size_t runs);

// What disturbed, and by how much: "waited 0.3 ms for a CPU", "2 involuntary switches". `none` are
// the disturbances that are known not to have happened: "no migrations".
struct NoiseWords {
  std::vector<std::string> some;
  std::vector<std::string> none;
};
NoiseWords DescribeNoise(const model::RunNoise& noise, double elapsed_s);

}  // namespace prof::report
