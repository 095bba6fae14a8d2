// Quantiles of Student's t for many different degrees of freedom.
#pragma once

#include <unordered_map>

namespace prof::analysis::statistics {

// One quantile, computed once for degrees that are hardly different: they count as the next lower
// ones of a grid of steps of 1 %, which makes the quantile larger by less than that (near 0.5: by
// more, but of less).
class StudentTable {
 public:
  explicit StudentTable(double probability) : probability_(probability) {}
  // degrees > 0; may be infinite.
  [[nodiscard]] double Quantile(double degrees);

 private:
  double probability_;
  std::unordered_map<int, double> known_;
};

}  // namespace prof::analysis::statistics
