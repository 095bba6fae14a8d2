// What `prof record` writes when sampling has ended: symbols of what was hit, code and line tables
// of the hot functions, their sources.
#pragma once

#include "record_arguments.h"

#include "prof/analysis/hit_counts.h"
#include "prof/base/result.h"
#include "prof/collect/record_session.h"
#include "prof/store/writer.h"

namespace prof::tools {

// So that the file can be read anywhere and after any rebuild. `hits` is finished. Shows progress
// on a terminal.
Status WriteRecordingTail(const collect::RecordSession& session, store::Writer& writer,
                          const analysis::HitCounts& hits, const RecordArguments& arguments);

}  // namespace prof::tools
