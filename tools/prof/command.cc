// Parsing of arguments and printing of errors, the same for every subcommand.
#include "command.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "prof/base/near_names.h"

namespace prof::tools {
namespace {

// Several usage lines; the option's value without its range, which the text names where it matters.
class HelpStyle : public CLI::Formatter {
 public:
  explicit HelpStyle(std::vector<std::string> usages) : usages_(std::move(usages)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    std::string text;
    for (const std::string& usage : usages_)
      text += (text.empty() ? "\nUsage: " : "       ") + usage + '\n';
    return text;
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    return name.substr(0, name.find('{'));  // the value that --no-x stands for
  }

 private:
  std::vector<std::string> usages_;
};

std::string NearestOption(const CLI::App& app, const std::string& wrong) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const auto nearest = NearestNames(wrong, std::move(names), 1);
  return nearest.empty() ? "" : nearest.front();
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

// CLI11's messages in words: the option as the help names it, and what is wrong with it.
std::string UsageMessage(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return "unknown option " + text.substr(text.rfind(": ") + 2);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    const std::size_t name = text.find("--");
    const std::size_t equals = text.find(" = ");
    if (name == std::string::npos || equals == std::string::npos) return text;
    return text.substr(name, equals - name) + ": '" + text.substr(equals + 3) + "' is not a number";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const CLI::Option* option = app.get_option_no_throw(text.substr(0, text.find(':')));
    if (option != nullptr) return option->get_name(false, true) + ": a value is missing";
  }
  return text;
}

}  // namespace

int PrintError(const std::string& command, const Error& error) {
  std::fprintf(stderr, "prof %s: %s\n", command.c_str(), error.message.c_str());
  std::string hint = error.hint;
  if (hint.empty() && error.kind == ErrorKind::kUsage) hint = "prof " + command + " --help";
  if (!hint.empty()) std::fprintf(stderr, "hint: %s\n", hint.c_str());
  return kExitFailure;
}

void AddSection(CLI::App& app, const std::string& name, const std::function<void()>& add) {
  const std::vector<CLI::Option*> before = app.get_options();
  add();
  for (CLI::Option* option : app.get_options()) {
    if (std::ranges::find(before, option) == before.end() && option->nonpositional())
      option->group(name);
  }
}

std::optional<int> ParseArguments(CLI::App& app, const std::string& command,
                                  const std::vector<std::string>& args) {
  std::vector<std::string> reversed(args.rbegin(), args.rend());  // CLI11 takes them from the back
  try {
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::string help = app.help();
    for (std::size_t at = 0; (at = help.find("\n\n\n", at)) != std::string::npos;)
      help.erase(at, 1);
    std::fputs(help.c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return PrintError(command,
                      {ErrorKind::kUsage, UsageMessage(app, error), UsageHint(app, error, args)});
  }
}

void StyleHelp(CLI::App& app, const std::vector<std::string>& usages) {
  constexpr std::size_t kNameWidth = 28;
  auto style = std::make_shared<HelpStyle>(usages);
  style->column_width(kNameWidth);
  app.formatter(style);
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_size() != 0 && option->get_option_text().empty())
      option->option_text(option->get_type_name().substr(0, option->get_type_name().find(':')));
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
