// Finds near names by edit distance.
#include "prof/base/near_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace prof {
namespace {

constexpr std::size_t kShortestPart = 3;    // shorter texts are parts of too many names
constexpr std::size_t kDistanceOfPart = 2;  // a name that contains the text counts as this near

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Insertions, deletions, replacements and swaps of neighbours from `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // the row of i - 2
  std::vector<std::size_t> last(b.size() + 1);    // the row of i - 1
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> NearestNames(std::string_view wrong, std::vector<std::string> candidates,
                                      std::size_t limit) {
  const std::string text = Lower(wrong);
  const std::size_t farthest = std::max<std::size_t>(2, text.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (std::string& candidate : candidates) {
    const std::string name = Lower(candidate);
    const std::size_t longer =
        std::max(name.size(), text.size()) - std::min(name.size(), text.size());
    std::size_t distance = longer > farthest ? longer : EditDistance(text, name);
    if (text.size() >= kShortestPart && name.find(text) != std::string::npos) {
      distance = std::min(distance, kDistanceOfPart);
    }
    if (distance <= farthest) near.emplace_back(distance, std::move(candidate));
  }
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  std::vector<std::string> names;
  for (auto& [distance, name] : near) {
    if (names.size() == limit) break;
    names.push_back(std::move(name));
  }
  return names;
}

std::string DidYouMean(const std::vector<std::string>& names, std::string otherwise) {
  if (names.empty()) return otherwise;
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i] + "'";
  }
  return text + "?";
}

}  // namespace prof
