// --names: how functions are called, as report and annotate have it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "prof/analysis/profile.h"

namespace prof::tools {

void BindNames(CLI::App& app, std::string& text);
analysis::NameStyle ParseNames(const std::string& text);

}  // namespace prof::tools
