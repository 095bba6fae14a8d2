// Splits the operands of prof diff at "--".
#include "diff_sides.h"

#include <algorithm>

namespace prof::tools {
namespace {

constexpr const char* kSeparator = "--";

std::unexpected<Error> Refuse(std::string message, std::string hint) {
  return Fail(ErrorKind::kUsage, std::move(message), std::move(hint));
}

// At the only "--".
SidePair SplitAtSeparator(const std::vector<std::string>& words) {
  const auto middle = std::ranges::find(words, kSeparator);
  return {.before = {words.begin(), middle}, .after = {middle + 1, words.end()}};
}

}  // namespace

Result<SidePair> SplitFiles(const std::vector<std::string>& words) {
  constexpr const char* kSides = "prof diff BEFORE... -- AFTER...";
  if (std::ranges::count(words, "-") > 1)
    return Refuse("standard input (-) can be read once", "prof diff before.data -");
  const auto separators = std::ranges::count(words, kSeparator);
  if (separators > 1) return Refuse("two sides are compared, and -- is given twice", kSides);
  SidePair sides;
  if (separators == 1) {
    sides = SplitAtSeparator(words);
    if (sides.before.empty())
      return Refuse("there are no files before --, those of the side before", kSides);
    if (sides.after.empty())
      return Refuse("there are no files behind --, those of the side after", kSides);
    return sides;
  }
  if (words.size() > 2) {
    return Refuse(std::to_string(words.size()) + " files, and no -- between before and after",
                  kSides);
  }
  if (words.size() == 2) return SidePair{.before = {words[0]}, .after = {words[1]}};
  return SidePair{.before = {"prof.data.old"},
                  .after = {words.empty() ? "prof.data" : words.front()}};
}

Result<SidePair> SplitCommands(const std::vector<std::string>& words) {
  constexpr const char* kCommands = "prof diff --runs 10 ./old --its-options -- ./new";
  const auto separators = std::ranges::count(words, kSeparator);
  if (separators == 0) {
    return Refuse(
        words.empty() ? "--runs: no commands to compare" : "--runs: no -- between the two commands",
        kCommands);
  }
  if (separators > 1) {
    return Refuse("--runs: two commands are compared, and -- is given twice",
                  "a command with a -- of its own: sh -c './old -- x'");
  }
  SidePair sides = SplitAtSeparator(words);
  if (sides.before.empty()) return Refuse("--runs: no command before --", kCommands);
  if (sides.after.empty()) return Refuse("--runs: no command behind --", kCommands);
  return sides;
}

}  // namespace prof::tools
