// Confidence intervals of shares.
#pragma once

namespace prof::analysis {

struct ShareInterval {
  double low = 0;
  double high = 0;
};

// The 95 % Wilson score interval of a share seen in `samples` draws (need not be whole: an
// effective number of samples). [0, 1] without samples.
[[nodiscard]] ShareInterval WilsonInterval(double share, double samples);

}  // namespace prof::analysis
