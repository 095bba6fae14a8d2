// Parsing of arguments and printing of errors, the same for every subcommand.
#include "command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace prof::tools {
namespace {

std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string NearestOption(const CLI::App& app, const std::string& wrong) {
  std::string best;
  std::size_t best_distance = 4;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string full = "--" + name;
      if (const auto distance = EditDistance(wrong, full); distance < best_distance) {
        best_distance = distance;
        best = full;
      }
    }
  }
  return best;
}

std::string UsageHint(const CLI::App& app, const CLI::ParseError& error,
                      const std::vector<std::string>& args) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const std::string& arg : args) {
      if (arg.starts_with("--") && app.get_option_no_throw(arg) == nullptr)
        return NearestOptionHint(app, arg);
    }
  }
  return app.get_name() + " --help";
}

}  // namespace

int PrintError(const std::string& command, const Error& error) {
  std::fprintf(stderr, "prof %s: %s\n", command.c_str(), error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "hint: %s\n", error.hint.c_str());
  return kExitFailure;
}

std::optional<int> ParseArguments(CLI::App& app, const std::string& command,
                                  const std::vector<std::string>& args) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return PrintError(command, {ErrorKind::kUsage, error.what(), UsageHint(app, error, args)});
  }
}

std::string NearestOptionHint(const CLI::App& app, const std::string& wrong) {
  const std::string nearest = NearestOption(app, wrong.substr(0, wrong.find('=')));
  return nearest.empty() ? app.get_name() + " --help" : "did you mean " + nearest + "?";
}

std::string SymbolCacheDir() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::string(cache) + "/prof";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.cache/prof";
  return "";
}

}  // namespace prof::tools
