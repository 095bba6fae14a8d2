// Binds and reads --names.
#include "names_option.h"

namespace prof::tools {

void BindNames(CLI::App& app, std::string& text) {
  app.add_option("--names", text,
                 "plain (default): without parameters, as perf;\nfull: with them; short: template "
                 "arguments folded")
      ->check(CLI::IsMember({"plain", "full", "short"}))
      ->type_name("STYLE");
}

analysis::NameStyle ParseNames(const std::string& text) {
  return text == "short"  ? analysis::NameStyle::kShort
         : text == "full" ? analysis::NameStyle::kFull
                          : analysis::NameStyle::kPlain;
}

}  // namespace prof::tools
