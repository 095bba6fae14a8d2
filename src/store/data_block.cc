// Turns definitions and data into rows.
#include "store/data_block.h"

#include <algorithm>

namespace prof::store {
namespace {

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void DataBlockBuilder::Count(const TableBuilder& table, std::size_t estimate) {
  raw_estimate_ += estimate;
  fullest_ = std::max(fullest_, table.rows());
}

void DataBlockBuilder::Add(const model::ModuleDef& def) {
  const model::Module& module = def.module;
  modules_.Add<schema::Modules::kCount>(
      {def.id, static_cast<std::uint64_t>(module.kind), strings_.Id(module.path),
       strings_.Id(AsText(module.build_id.bytes())), module.pid, module.replaced});
  Count(modules_, kOtherEstimate);
}

void DataBlockBuilder::Add(const model::ProcessDef& def) {
  processes_.Add<schema::Processes::kCount>(
      {def.id, def.pid, def.ns_pid, def.parent, def.start_ns});
  Count(processes_, kOtherEstimate);
}

void DataBlockBuilder::Add(const model::ThreadDef& def) {
  threads_.Add<schema::Threads::kCount>(
      {def.id, def.process, def.tid, def.start_ns, strings_.Id(def.name)});
  Count(threads_, kOtherEstimate);
}

void DataBlockBuilder::Add(const model::ThreadRename& rename) {
  renames_.Add<schema::Renames::kCount>(
      {rename.thread, rename.time_ns, rename.exec, strings_.Id(rename.name)});
  Count(renames_, kOtherEstimate);
}

void DataBlockBuilder::Add(const model::StackNodeDef& def) {
  const model::Frame& frame = def.frame;
  nodes_.Add<schema::Nodes::kCount>({def.id, frame.module, static_cast<std::uint64_t>(frame.kind),
                                     def.parent, frame.address.value});
  Count(nodes_, kNodeEstimate);
}

void DataBlockBuilder::Add(const model::Loss& loss) {
  losses_.Add<schema::Losses::kCount>(
      {static_cast<std::uint64_t>(loss.cause), loss.time_ns, loss.cpu, loss.count, loss.at_least});
  Count(losses_, kOtherEstimate);
}

void DataBlockBuilder::Add(const model::Slice& slice) {
  slices_.Add<schema::Slices::kCount>(
      {strings_.Id(slice.lane), strings_.Id(slice.name), strings_.Id(slice.category),
       slice.begin_ns, slice.duration_ns, slice.thread, slice.stack, slice.correlation});
  Count(slices_, kOtherEstimate);
}

void DataBlockBuilder::Add(const model::CounterReading& reading) {
  counters_.Add<schema::Counters::kCount>({reading.run, reading.event, reading.cpu, reading.thread,
                                           reading.time_ns, reading.value, reading.enabled_ns,
                                           reading.running_ns});
  Count(counters_, kOtherEstimate);
}

DataBlockBuilder::TimeRange DataBlockBuilder::SampleTimes() const {
  TimeRange range;
  for (std::size_t row = 0; row < samples_.rows(); ++row) {
    const std::uint64_t time = samples_.At(row, schema::Samples::kTime);
    if (time == model::kUnknownTime) continue;
    range.begin = std::min(range.begin, time);
    range.end = range.end == model::kUnknownTime ? time : std::max(range.end, time);
  }
  return range;
}

void DataBlockBuilder::Encode(ByteWriter& out) {
  strings_.EncodePending(out);
  for (TableBuilder* table : {&modules_, &processes_, &threads_, &renames_, &nodes_, &samples_,
                              &losses_, &slices_, &counters_}) {
    table->Encode(out);
    table->Clear();
  }
  raw_estimate_ = 0;
  fullest_ = 0;
}

}  // namespace prof::store
