// Finds the span of sampling.
#include "analysis/diff/sampling_span.h"

#include <algorithm>

namespace prof::analysis::diff {

SamplingSpan SpanOf(const Recording& recording) {
  const Profile& profile = recording.profile;
  const SampleTimes& times = profile.sample_times();
  SamplingSpan span{.timed = times.known > 0 && times.known * 2 >= profile.samples().size()};
  const model::RecordingEnd& end = profile.end();
  if (profile.has_end() && end.sampling_end_ns > end.sampling_begin_ns) {
    span.begin_ns = end.sampling_begin_ns;
    span.end_ns = end.sampling_end_ns;
  } else if (times.known > 0) {
    span.begin_ns = times.first_ns;
    span.end_ns = times.last_ns;
  }
  span.begin_ns = std::max(span.begin_ns, recording.time_begin_ns);
  span.end_ns = std::max(span.begin_ns, std::min(span.end_ns, recording.time_end_ns));
  return span;
}

}  // namespace prof::analysis::diff
