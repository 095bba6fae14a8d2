// Patience anchors with Myers' greedy algorithm between them.
#include "analysis/annotate/sequence_diff.h"

#include <algorithm>
#include <unordered_map>

namespace prof::analysis {
namespace {

using Index = std::uint32_t;

struct Stretch {
  Index a_begin = 0;
  Index a_end = 0;
  Index b_begin = 0;
  Index b_end = 0;
};

class Differ {
 public:
  Differ(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::unordered_map<std::string_view, Index> ids;
    const auto number = [&](const auto& lines, std::vector<Index>& numbers) {
      for (const std::string_view line : lines) {
        numbers.push_back(ids.try_emplace(line, static_cast<Index>(ids.size())).first->second);
      }
    };
    number(a, a_);
    number(b, b_);
    kinds_ = ids.size();
  }

  MatchedPairs Run() {
    Stretch rest{.a_end = static_cast<Index>(a_.size()), .b_end = static_cast<Index>(b_.size())};
    for (const auto& [a, b] : Anchors()) {
      Match({rest.a_begin, a, rest.b_begin, b});
      pairs_.emplace_back(a, b);
      rest.a_begin = a + 1;
      rest.b_begin = b + 1;
    }
    Match(rest);
    return std::move(pairs_);
  }

 private:
  // Lines that are in each sequence once, in the longest selection that is in order in both.
  MatchedPairs Anchors() const {
    constexpr Index kNever = ~Index{0};
    constexpr Index kOften = kNever - 1;
    const auto places = [&](const std::vector<Index>& lines) {
      std::vector<Index> place(kinds_, kNever);
      for (Index i = 0; i < lines.size(); ++i) {
        place[lines[i]] = place[lines[i]] == kNever ? i : kOften;
      }
      return place;
    };
    const std::vector<Index> in_a = places(a_);
    const std::vector<Index> in_b = places(b_);
    // The longest ascending run of places in b, by piles of patience sorting.
    MatchedPairs unique;
    std::vector<Index> before;  // of each unique pair: the top of the pile to its left
    std::vector<Index> tops;    // into `unique`
    for (Index i = 0; i < a_.size(); ++i) {
      const Index at = in_b[a_[i]];
      if (in_a[a_[i]] != i || at >= kOften) continue;
      const auto pile =
          std::ranges::lower_bound(tops, at, {}, [&](Index top) { return unique[top].second; });
      before.push_back(pile == tops.begin() ? kNever : *std::prev(pile));
      const auto fresh = static_cast<Index>(unique.size());
      if (pile == tops.end()) {
        tops.push_back(fresh);
      } else {
        *pile = fresh;
      }
      unique.emplace_back(i, at);
    }
    MatchedPairs anchors;
    for (Index at = tops.empty() ? kNever : tops.back(); at != kNever; at = before[at]) {
      anchors.push_back(unique[at]);
    }
    std::ranges::reverse(anchors);
    return anchors;
  }

  void Match(Stretch stretch) {
    while (stretch.a_begin < stretch.a_end && stretch.b_begin < stretch.b_end &&
           a_[stretch.a_begin] == b_[stretch.b_begin]) {
      pairs_.emplace_back(stretch.a_begin++, stretch.b_begin++);
    }
    MatchedPairs tail;
    while (stretch.a_begin < stretch.a_end && stretch.b_begin < stretch.b_end &&
           a_[stretch.a_end - 1] == b_[stretch.b_end - 1]) {
      tail.emplace_back(--stretch.a_end, --stretch.b_end);
    }
    if (stretch.a_begin < stretch.a_end && stretch.b_begin < stretch.b_end) MatchMyers(stretch);
    pairs_.insert(pairs_.end(), tail.rbegin(), tail.rend());
  }

  // Diagonal k is x - y; reach[d][k + d] is how far x comes with d edits.
  void MatchMyers(const Stretch& s) {
    const auto n = static_cast<std::int64_t>(s.a_end - s.a_begin);
    const auto m = static_cast<std::int64_t>(s.b_end - s.b_begin);
    std::vector<std::vector<std::int64_t>> reach;
    for (std::int64_t d = 0; d <= std::min<std::int64_t>(n + m, kMostEdits); ++d) {
      std::vector<std::int64_t> row(static_cast<std::size_t>(2 * d + 1), -1);
      bool done = false;
      for (std::int64_t k = -d; k <= d && !done; k += 2) {
        std::int64_t x = d == 0 ? 0 : Start(reach.back(), d, k);
        if (x < 0 || x > n || x - k > m || x - k < 0) continue;
        while (x < n && x - k < m &&
               a_[s.a_begin + static_cast<Index>(x)] == b_[s.b_begin + static_cast<Index>(x - k)]) {
          ++x;
        }
        row[static_cast<std::size_t>(k + d)] = x;
        done = x == n && x - k == m;
      }
      reach.push_back(std::move(row));
      if (done) return Backtrack(s, reach, n, n - m);
    }
  }

  // Where diagonal k is entered with the d-th edit: by a step down from k + 1 or right from k - 1.
  static std::int64_t Start(const std::vector<std::int64_t>& before, std::int64_t d,
                            std::int64_t k) {
    const auto at = [&](std::int64_t diagonal) {
      const std::int64_t index = diagonal + d - 1;
      const bool inside = index >= 0 && index < static_cast<std::int64_t>(before.size());
      return inside ? before[static_cast<std::size_t>(index)] : -1;
    };
    const std::int64_t right = at(k - 1) < 0 ? -1 : at(k - 1) + 1;
    return std::max(at(k + 1), right);
  }

  void Backtrack(const Stretch& s, const std::vector<std::vector<std::int64_t>>& reach,
                 std::int64_t x, std::int64_t k) {
    MatchedPairs found;
    for (auto d = static_cast<std::int64_t>(reach.size()) - 1; d >= 0; --d) {
      const auto row = static_cast<std::size_t>(d);
      const std::int64_t start = d == 0 ? 0 : Start(reach[row - 1], d, k);
      for (; x > start; --x) {
        found.emplace_back(s.a_begin + static_cast<Index>(x - 1),
                           s.b_begin + static_cast<Index>(x - 1 - k));
      }
      if (d == 0) break;
      const auto& before = reach[row - 1];
      const std::int64_t down = k + 1 + d - 1;
      const bool from_above = down < static_cast<std::int64_t>(before.size()) &&
                              before[static_cast<std::size_t>(down)] == start;
      if (from_above) {
        ++k;
      } else {
        --k;
        --x;
      }
    }
    pairs_.insert(pairs_.end(), found.rbegin(), found.rend());
  }

  std::vector<Index> a_;  // lines as numbers
  std::vector<Index> b_;
  std::size_t kinds_ = 0;
  MatchedPairs pairs_;
};

}  // namespace

MatchedPairs CommonLines(const std::vector<std::string_view>& a,
                         const std::vector<std::string_view>& b) {
  return Differ(a, b).Run();
}

}  // namespace prof::analysis
