// The options of `prof stat` as CLI11 fills them; texts are interpreted afterwards.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "target_option.h"

namespace prof::tools {

struct StatTexts {
  TargetTexts target;
  std::vector<std::string> events, metrics, alternatives, patterns;
  std::string repeats, precision, max_time, warmups, fail_if_slower;
  std::string interval, interval_count, timeout, delay;
  std::string separator, output, log_fd, save, prepare, post;
  bool no_aggregation = false, per_thread = false, per_core = false, per_socket = false,
       per_node = false;
  bool detailed = false, null = false, group = false, topdown = false, all_user = false,
       all_kernel = false, no_inherit = false, no_scale = false;
  bool higher_is_better = false, shell = false, ignore_failure = false, sync = false;
  bool json = false, append = false, quiet = false, verbose = false, big_numbers = true,
       table = false, metric_only = false, summary = false;
};

// Adds all options and the help to `app`.
void BindStatOptions(CLI::App& app, StatTexts& texts);

}  // namespace prof::tools
