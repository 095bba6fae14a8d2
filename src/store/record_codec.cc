// Lists the fields of the rare records, once for both directions.
#include "store/record_codec.h"

#include <bit>
#include <string>
#include <type_traits>
#include <vector>

#include "store/format.h"

namespace prof::store {
namespace {

class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}

  void Number(std::uint64_t value) { out_.Varint(value); }
  void Flag(bool value) { out_.U8(value ? 1 : 0); }
  // A number that may be kNotKnown, which takes one byte then.
  void Known(std::uint64_t value) { out_.Varint(value + 1); }
  void Real(double value) { out_.U64(std::bit_cast<std::uint64_t>(value)); }
  void Fraction(double value) { Real(value); }
  void Reals(const std::vector<double>& values) {
    out_.Varint(values.size());
    for (const double value : values) Real(value);
  }
  void Signed(std::int32_t value) { out_.ZigZag(value); }
  template <class E>
  void Enum(E value, E) {
    out_.Varint(static_cast<std::uint64_t>(value));
  }
  void Text(const std::string& value) { out_.String(value); }
  void Texts(const std::vector<std::string>& values) {
    out_.Varint(values.size());
    for (const std::string& value : values) out_.String(value);
  }

 private:
  ByteWriter& out_;
};

// Fields that an older writer did not know are absent at the end and keep their default.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : in_(bytes) {}

  [[nodiscard]] bool ok() const { return in_.ok(); }
  void Number(std::uint64_t& value) {
    if (in_.remaining() > 0) value = in_.Varint();
  }
  template <class T>
  requires std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint8_t>
  void Number(T& value) {
    if (in_.remaining() == 0) return;
    const std::uint64_t raw = in_.Varint();
    value = static_cast<T>(raw);
    if (value != raw) in_.Failed();
  }
  void Flag(bool& value) {
    if (in_.remaining() > 0) value = in_.U8() != 0;
  }
  void Known(std::uint64_t& value) {
    if (in_.remaining() > 0) value = in_.Varint() - 1;
  }
  void Real(double& value) {
    if (in_.remaining() > 0) value = std::bit_cast<double>(in_.U64());
  }
  // From 0 to 1.
  void Fraction(double& value) {
    Real(value);
    if (!(value >= 0 && value <= 1)) in_.Failed();
  }
  void Reals(std::vector<double>& values) {
    if (in_.remaining() == 0) return;
    const std::uint64_t count = in_.Varint();
    if (count > in_.remaining() / sizeof(double)) in_.Failed();
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) Real(values.emplace_back());
  }
  void Signed(std::int32_t& value) {
    if (in_.remaining() == 0) return;
    const std::int64_t raw = in_.ZigZag();
    value = static_cast<std::int32_t>(raw);
    if (value != raw) in_.Failed();
  }
  template <class E>
  void Enum(E& value, E last) {
    if (in_.remaining() == 0) return;
    const std::uint64_t raw = in_.Varint();
    if (raw > static_cast<std::uint64_t>(last)) {
      in_.Failed();
    } else {
      value = static_cast<E>(raw);
    }
  }
  void Text(std::string& value) {
    if (in_.remaining() > 0) value = in_.String();
  }
  void Texts(std::vector<std::string>& values) {
    if (in_.remaining() == 0) return;
    const std::uint64_t count = in_.Varint();
    // Every string needs at least its length byte.
    if (count > in_.remaining()) in_.Failed();
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) values.emplace_back(in_.String());
  }

 private:
  ByteReader in_;
};

template <class Io, class Clock>
void VisitClock(Io& io, Clock& clock) {
  io.Number(clock.monotonic_ns);
  io.Number(clock.realtime_ns);
  io.Number(clock.boottime_ns);
}

template <class Io, class R>
void VisitInfo(Io& io, R& info) {
  io.Text(info.prof_version);
  io.Texts(info.command_line);
  io.Text(info.hostname);
  io.Text(info.os_release);
  io.Text(info.arch);
  io.Text(info.cpu_model);
  io.Number(info.cpus_online);
  io.Text(info.boot_id);
  io.Number(info.clock_id);
  VisitClock(io, info.start);
  io.Enum(info.target, model::TargetKind::kImported);
  io.Texts(info.target_command);
  io.Enum(info.call_graph, model::CallGraphMode::kDwarf);
  io.Number(info.stack_dump_bytes);
  io.Number(info.max_stack);
  io.Flag(info.cpu_wide);
  io.Text(info.kernel_build_id);
  io.Texts(info.notes);
}

template <class Io, class R>
void VisitEvent(Io& io, R& def) {
  auto& event = def.event;
  io.Number(def.id);
  io.Text(event.name);
  io.Enum(event.unit, model::EventUnit::kBytes);
  io.Enum(event.mode, model::SamplingMode::kPeriod);
  io.Number(event.sampling_value);
  io.Text(event.replaces);
  io.Text(event.replaced_because);
  io.Flag(event.excludes_user);
  io.Flag(event.excludes_kernel);
  io.Text(event.restriction);
  io.Number(event.precise);
  io.Signed(event.group_leader);
  io.Number(event.attr_type);
  io.Number(event.attr_config);
  io.Real(event.scale);
  io.Text(event.scale_unit);
  io.Text(event.refused);
  io.Text(event.refused_hint);
  io.Flag(event.is_default);
}

template <class Io, class R>
void VisitUsage(Io& io, R& usage) {
  io.Text(usage.comm);
  io.Number(usage.used_ns);
  io.Number(usage.sampled_ns);
  io.Number(usage.processes);
  io.Number(usage.unsampled_processes);
  io.Number(usage.unsampled_used_ns);
}

template <class Io, class R>
void VisitEnd(Io& io, R& end) {
  VisitClock(io, end.end);
  io.Number(end.samples);
  io.Number(end.sampling_begin_ns);
  io.Number(end.sampling_end_ns);
  io.Number(end.target_cpu_ns);
  io.Number(end.prof_cpu_ns);
  io.Number(end.idle_ns);
  io.Number(end.recorded_cpus);
  io.Number(end.exit_status);
  io.Texts(end.notes);
  io.Known(end.other_cpu_ns);
  io.Known(end.steal_ns);
}

template <class Io, class R>
void VisitSide(Io& io, R& side) {
  io.Number(side.id);
  io.Texts(side.command);
  io.Text(side.text);
}

template <class Io, class R>
void VisitMetric(Io& io, R& metric) {
  io.Number(metric.id);
  io.Text(metric.name);
  io.Text(metric.pattern);
  io.Flag(metric.higher_is_better);
}

template <class Io, class R>
void VisitRun(Io& io, R& run) {
  io.Number(run.run);
  io.Number(run.side);
  io.Known(run.start_ns);
  io.Number(run.wall_ns);
  io.Known(run.user_ns);
  io.Known(run.system_ns);
  io.Known(run.max_rss_bytes);
  io.Number(run.exit_status);
  auto& noise = run.noise;
  for (auto* value :
       {&noise.wait_ns, &noise.voluntary_switches, &noise.involuntary_switches, &noise.minor_faults,
        &noise.major_faults, &noise.block_reads, &noise.block_writes, &noise.migrations,
        &noise.steal_ns, &noise.other_cpu_ns, &noise.cpu_pressure_ns, &noise.io_pressure_ns,
        &noise.memory_pressure_ns, &noise.frequency_khz}) {
    io.Known(*value);
  }
  io.Reals(run.metrics);
  io.Number(noise.wait_threads);
}

template <class Io, class R>
void VisitCodeSummary(Io& io, R& summary) {
  io.Number(summary.functions);
  io.Number(summary.functions_left_out);
  io.Fraction(summary.left_out_share);
  io.Number(summary.functions_without_code);
  io.Flag(summary.source_wanted);
  io.Number(summary.source_bytes);
  io.Number(summary.source_lines_left_out);
}

template <class R>
void WriteRecord(RecordKind kind, const R& record, void (*visit)(FieldWriter&, const R&),
                 ByteWriter& out) {
  ByteWriter fields;
  FieldWriter io(fields);
  visit(io, record);
  out.Varint(static_cast<std::uint64_t>(kind) << 1);
  out.Varint(fields.size());
  out.Bytes(fields.bytes());
}

template <class R>
DecodedRecord ReadRecord(std::span<const std::byte> fields, void (*visit)(FieldReader&, R&)) {
  FieldReader io(fields);
  R record;
  visit(io, record);
  if (!io.ok()) return MalformedRecord{};
  return model::Record(std::move(record));
}

}  // namespace

void EncodeRecord(const model::RecordingInfo& record, ByteWriter& out) {
  WriteRecord(RecordKind::kRecordingInfo, record, VisitInfo, out);
}

void EncodeRecord(const model::EventDef& record, ByteWriter& out) {
  WriteRecord(RecordKind::kEventDef, record, VisitEvent, out);
}

void EncodeRecord(const model::EpochBegin& record, ByteWriter& out) {
  WriteRecord<model::EpochBegin>(
      RecordKind::kEpochBegin, record,
      [](FieldWriter& io, const model::EpochBegin& epoch) { io.Number(epoch.index); }, out);
}

void EncodeRecord(const model::CpuUsage& record, ByteWriter& out) {
  WriteRecord(RecordKind::kCpuUsage, record, VisitUsage, out);
}

void EncodeRecord(const model::RecordingEnd& record, ByteWriter& out) {
  WriteRecord(RecordKind::kRecordingEnd, record, VisitEnd, out);
}

void EncodeRecord(const model::SideDef& record, ByteWriter& out) {
  WriteRecord(RecordKind::kSideDef, record, VisitSide, out);
}

void EncodeRecord(const model::MetricDef& record, ByteWriter& out) {
  WriteRecord(RecordKind::kMetricDef, record, VisitMetric, out);
}

void EncodeRecord(const model::RunDef& record, ByteWriter& out) {
  WriteRecord(RecordKind::kRunDef, record, VisitRun, out);
}

void EncodeRecord(const model::CodeSummary& record, ByteWriter& out) {
  WriteRecord(RecordKind::kCodeSummary, record, VisitCodeSummary, out);
}

DecodedRecord DecodeRecord(ByteReader& in) {
  const std::uint64_t tag = in.Varint();
  const auto fields = in.Bytes(in.Varint());
  if (!in.ok()) return MalformedRecord{};
  switch (static_cast<RecordKind>(tag >> 1 <= 0xff ? tag >> 1 : 0)) {
    case RecordKind::kRecordingInfo:
      return ReadRecord<model::RecordingInfo>(fields, VisitInfo);
    case RecordKind::kEventDef:
      return ReadRecord<model::EventDef>(fields, VisitEvent);
    case RecordKind::kEpochBegin:
      return ReadRecord<model::EpochBegin>(
          fields, [](FieldReader& io, model::EpochBegin& epoch) { io.Number(epoch.index); });
    case RecordKind::kCpuUsage:
      return ReadRecord<model::CpuUsage>(fields, VisitUsage);
    case RecordKind::kRecordingEnd:
      return ReadRecord<model::RecordingEnd>(fields, VisitEnd);
    case RecordKind::kSideDef:
      return ReadRecord<model::SideDef>(fields, VisitSide);
    case RecordKind::kMetricDef:
      return ReadRecord<model::MetricDef>(fields, VisitMetric);
    case RecordKind::kRunDef:
      return ReadRecord<model::RunDef>(fields, VisitRun);
    case RecordKind::kCodeSummary:
      return ReadRecord<model::CodeSummary>(fields, VisitCodeSummary);
  }
  return UnknownRecord{.required = (tag & 1) != 0};
}

}  // namespace prof::store
