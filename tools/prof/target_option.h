// What subcommands that start or watch a target share on their command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/collect/record_options.h"

namespace prof::tools {

// The texts of -p, -t, -a and -C as CLI11 fills them.
struct TargetTexts {
  std::string pids, tids, cpus;
  bool system = false;
};

// A positive whole number that the kernel takes; `what` is the option it came from.
Result<std::uint64_t> ParseUnsigned(const std::string& text, const std::string& what);

// A positive number up to 1e9; with `percent` there may be a % behind it.
Result<double> ParsePositive(const std::string& text, const std::string& what, bool percent);

// The command that follows the options, without the -- that may stand before it. An unknown option
// in its place is refused with the nearest one as the hint.
Result<std::vector<std::string>> CommandWords(const CLI::App& app);

// What the texts and the command say; `nothing` is the error where they say nothing.
Result<collect::RecordTarget> ParseTarget(const TargetTexts& texts,
                                          std::vector<std::string> command, const Error& nothing);

}  // namespace prof::tools
