// Runs that do not belong to the rest.
#pragma once

#include <cstddef>
#include <vector>

#include "prof/analysis/statistics/sample.h"

namespace prof::analysis::statistics {

struct Outlier {
  std::size_t run = 0;  // index in Sample::values()
  double value = 0;
  double score = 0;  // modified z-score: negative below the median
};

// The runs whose modified z-score (x - median) / (1.4826 MAD) is beyond +-3.5, in order of runs;
// MAD is the median of the absolute distances to the median. Iglewicz and Hoaglin, "How to Detect
// and Handle Outliers" (1993). Chosen over Tukey's fences because it bears up to half of the runs
// being bad and points at something in fewer clean samples: of 10 normal values in 12 % (the fences
// in 27 %), of 30 in 8 % (34 %). Where more than half of the values are equal (MAD = 0) the scale
// is 1.2533 times the mean absolute distance. Fewer than kRunsForOutliers values: none, as nothing
// tells a bad run from a wide distribution.
inline constexpr std::size_t kRunsForOutliers = 6;
inline constexpr double kOutlierScore = 3.5;
[[nodiscard]] std::vector<Outlier> FindOutliers(const Sample& sample);

}  // namespace prof::analysis::statistics
