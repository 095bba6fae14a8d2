// Writes the JSON of files and events.
#include "report/json_parts.h"

namespace prof::report {
namespace {

const char* UnitName(model::EventUnit unit) {
  switch (unit) {
    case model::EventUnit::kCount:
      return "count";
    case model::EventUnit::kNanoseconds:
      return "ns";
    case model::EventUnit::kBytes:
      return "bytes";
  }
  return "";
}

}  // namespace

Json FileJson(const FileFacts& file) {
  return {{"name", file.name},
          {"bytes", file.bytes},
          {"complete", file.complete},
          {"corrupt_blocks", file.corrupt_blocks},
          {"unknown_blocks", file.unknown_blocks},
          {"cut_bytes", file.cut_bytes}};
}

Json EventJson(const model::EventDesc& event) {
  return {{"name", event.name},
          {"unit", UnitName(event.unit)},
          {"mode", event.mode == model::SamplingMode::kFrequency ? "frequency" : "period"},
          {"sampling_value", event.sampling_value},
          {"replaces", event.replaces},
          {"replaced_because", event.replaced_because},
          {"excludes_user", event.excludes_user},
          {"excludes_kernel", event.excludes_kernel},
          {"restriction", event.restriction}};
}

std::string DumpJson(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace prof::report
