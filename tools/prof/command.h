// What every subcommand of prof shares: how it is called, how it parses, how it reports an error.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prof/base/result.h"

namespace prof::tools {

// prof's own failures exit with this (the target's statuses and 126/127 keep their meaning).
inline constexpr int kExitFailure = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

// A subcommand gets the words after its name, prints to stdout and stderr, and returns the exit
// status.
using CommandMain = int (*)(const std::vector<std::string>& args);
struct CommandEntry {
  const char* name;
  const char* summary;
  CommandMain main;
};

int AnnotateMain(const std::vector<std::string>& args);
int DiffMain(const std::vector<std::string>& args);
int ListMain(const std::vector<std::string>& args);
int RecordMain(const std::vector<std::string>& args);
int ReportMain(const std::vector<std::string>& args);
int StatMain(const std::vector<std::string>& args);

// "prof record: <message>" and, when there is one, "hint: <hint>" on stderr. Returns kExitFailure.
int PrintError(const std::string& command, const Error& error);

// Makes `app`'s help one of prof's: these usage lines, plain names of values. After all options.
void StyleHelp(CLI::App& app, const std::vector<std::string>& usages);

// Puts the options that `add` adds to `app` into one section of its help.
void AddSection(CLI::App& app, const std::string& name, const std::function<void()>& add);

// Parses `args` into what was bound to `app`. Nothing: go on. A value: exit with it (help was
// printed: 0; a usage error was printed, with the nearest option as the hint: kExitFailure).
std::optional<int> ParseArguments(CLI::App& app, const std::string& command,
                                  const std::vector<std::string>& args);

// "did you mean --x?" for a mistyped long option, else where the help is.
std::string NearestOptionHint(const CLI::App& app, const std::string& wrong);

// Where kernel symbols are cached: $XDG_CACHE_HOME/prof or ~/.cache/prof; empty when neither
// variable is set.
std::string SymbolCacheDir();

}  // namespace prof::tools
