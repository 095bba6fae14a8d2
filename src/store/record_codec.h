// The records that come once or rarely (head, events, epochs, runs, tail) to bytes and back.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "prof/base/byte_reader.h"
#include "prof/base/byte_writer.h"
#include "prof/model/record.h"

namespace prof::store {

// Append tag, length and fields. A later version adds fields at the end only.
void EncodeRecord(const model::RecordingInfo& record, ByteWriter& out);
void EncodeRecord(const model::EventDef& record, ByteWriter& out);
void EncodeRecord(const model::EpochBegin& record, ByteWriter& out);
void EncodeRecord(const model::CpuUsage& record, ByteWriter& out);
void EncodeRecord(const model::RecordingEnd& record, ByteWriter& out);
void EncodeRecord(const model::SideDef& record, ByteWriter& out);
void EncodeRecord(const model::MetricDef& record, ByteWriter& out);
void EncodeRecord(const model::RunDef& record, ByteWriter& out);
void EncodeRecord(const model::CodeSummary& record, ByteWriter& out);

struct MalformedRecord {};
struct UnknownRecord {
  bool required = false;
};
using DecodedRecord = std::variant<MalformedRecord, UnknownRecord, model::Record>;

// Reads the next record of a records block. in.ok() is false after a broken tag or length, which
// ends the block; a record that is malformed inside leaves `in` at the next one.
DecodedRecord DecodeRecord(ByteReader& in);

}  // namespace prof::store
