// What a recording did not get, as records of the stream and for the user's last line.
#pragma once

#include "collect/event_set.h"
#include "collect/reader_pair.h"
#include "collect/stream_writer.h"
#include "collect/target_state.h"

#include "prof/collect/record_session.h"

namespace prof::collect {

// Everything that a count says, each cause once (the kernel's rings: once per CPU).
void AppendLosses(const EventSet& events, const PairCounts& counts, const SideBandCounts& side_band,
                  StreamWriter& writer, RecordSummary& summary);

}  // namespace prof::collect
