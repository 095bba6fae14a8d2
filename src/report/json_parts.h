// Objects that several JSON outputs have; part of their schemas.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "prof/model/event.h"
#include "prof/report/report_data.h"

namespace prof::report {

using Json = nlohmann::ordered_json;

Json FileJson(const FileFacts& file);
Json EventJson(const model::EventDesc& event);

// The text of a whole output: broken UTF-8 replaced, a newline behind.
std::string DumpJson(const Json& json);

}  // namespace prof::report
