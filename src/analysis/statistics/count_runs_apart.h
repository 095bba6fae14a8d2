// How far two single runs of one program may lie apart.
#pragma once

#include <span>
#include <vector>

#include "analysis/statistics/count_dispersion.h"
#include "analysis/statistics/count_table.h"

namespace prof::analysis::statistics {

struct RunsApart {
  double variation = 0;  // from run to run beyond what blocks show, as a share of an amount
  double widened = 1;    // the median item's standard error, by this factor; at least 1
};

// Widens `spreads`, each of the difference of the means of a block, by what only runs show.
RunsApart WidenByRuns(std::span<const CountRow> rows, const CountDesign& design,
                      std::span<Spread> spreads);

}  // namespace prof::analysis::statistics
