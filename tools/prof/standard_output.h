// What prof prints as its result, and where to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "prof/base/result.h"

namespace prof::tools {

// All of `text` to standard output; `what` names it in the error ("report"). A reader that has gone
// away (| head) is no error. SIGPIPE is ignored from then on.
Status WriteOutput(const std::string& text, const std::string& what);

enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

// --stdio-color, as report and annotate have it.
void BindColor(CLI::App& app, std::string& text);
ColorMode ParseColor(const std::string& text);

bool WritesToTerminal();
// kAuto: on a terminal, unless NO_COLOR is set (no-color.org).
bool WantsColor(ColorMode mode);

// Columns of the terminal behind standard output, 80 where it is none or does not say.
int TerminalWidth();

}  // namespace prof::tools
