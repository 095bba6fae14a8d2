// Text in columns: measuring, padding, cutting names to a width, wrapping sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prof::report {

// Columns a text takes: its code points.
std::size_t DisplayWidth(std::string_view text);

// Control characters become '?': names come from the target and must not steer a terminal.
std::string Printable(std::string_view text);

std::string PadLeft(std::string_view text, std::size_t width);
std::string PadRight(std::string_view text, std::size_t width);

// Tabs become spaces up to the next multiple of 8 columns, as terminals show them.
std::string ExpandTabs(std::string_view text);

// The beginning of a text and "..." where it is longer than `width` columns (at least 4).
std::string CutText(std::string_view text, std::size_t width);

// A line of source in at most `width` columns (at least 4): its indentation goes first.
std::string FitSource(std::string_view line, std::size_t width);

// A symbol name in at most `width` columns (at least 4): first template arguments become "<...>",
// the longest list first, then parameters "(...)" and nothing, and only then is the middle left
// out.
std::string FitName(std::string_view name, std::size_t width);

// Columns of a name with all template arguments and parameters folded.
std::size_t FoldedWidth(std::string_view name);

// Breaks a sentence at spaces, but not between a number and its "%"; words longer than `width` stay
// whole.
std::vector<std::string> WrapWords(std::string_view text, std::size_t width);

}  // namespace prof::report
