// Finds the span of sampling.
#include "analysis/diff/sampling_span.h"

#include <algorithm>

namespace prof::analysis::diff {

SamplingSpan SpanOf(const Recording& recording) {
  const Profile& profile = recording.profile;
  std::uint64_t first = model::kUnknownTime;
  std::uint64_t last = 0;
  std::size_t timed = 0;
  for (const model::Sample& sample : profile.samples()) {
    if (sample.time_ns == model::kUnknownTime) continue;
    ++timed;
    first = std::min(first, sample.time_ns);
    last = std::max(last, sample.time_ns);
  }
  SamplingSpan span{.timed = timed > 0 && timed * 2 >= profile.samples().size()};
  const model::RecordingEnd& end = profile.end();
  if (profile.has_end() && end.sampling_end_ns > end.sampling_begin_ns) {
    span.begin_ns = end.sampling_begin_ns;
    span.end_ns = end.sampling_end_ns;
  } else if (timed > 0) {
    span.begin_ns = first;
    span.end_ns = last;
  }
  span.begin_ns = std::max(span.begin_ns, recording.time_begin_ns);
  span.end_ns = std::max(span.begin_ns, std::min(span.end_ns, recording.time_end_ns));
  return span;
}

}  // namespace prof::analysis::diff
