// Recordings of a few functions, one short line each, and their diffs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/analysis/stream.h"

#include "prof/analysis/diff/diff_builder.h"

namespace prof::analysis::diff::test {

inline constexpr std::uint64_t kMs = 1'000'000;

// One recording of one thread. Functions get addresses as they are called, so that another order,
// or another `base`, is another layout.
class RunMaker {
 public:
  explicit RunMaker(std::uint64_t base = 0x1000) : next_(base) {
    thread_ = stream_.Thread(7, 7, "app");
  }

  model::ModuleId Module(const std::string& path,
                         model::ModuleKind kind = model::ModuleKind::kElf) {
    const auto known = modules_.find(path);
    if (known != modules_.end()) return known->second;
    return modules_[path] = stream_.Module(path, kind);
  }

  // `count` samples of 1 ms in a stack of functions "name" or "path:name", outermost first, spread
  // evenly over `seconds`.
  RunMaker& Add(const std::vector<std::string>& functions, int count, double seconds = 1,
                std::uint64_t weight = kMs) {
    model::StackId node = model::RootOf(model::StackEnd::kComplete);
    std::string path;
    for (const std::string& function : functions) {
      path += ";" + function;
      const auto known = nodes_.find(path);
      if (known != nodes_.end()) {
        node = known->second;
        continue;
      }
      const auto [module, address] = Place(function);
      node = nodes_[path] = stream_.Node(node, module, address);
    }
    for (int i = 0; i < count; ++i) {
      const auto time = static_cast<std::uint64_t>(seconds * 1e9 * (i + 0.5) / count);
      stream_.Sample(thread_, node, weight, 1000 + time);
    }
    return *this;
  }

  analysis::test::Stream& stream() { return stream_; }
  model::ThreadId thread() const { return thread_; }
  Profile Build() { return stream_.Build(); }

 private:
  std::pair<model::ModuleId, std::uint64_t> Place(const std::string& function) {
    const auto known = places_.find(function);
    if (known != places_.end()) return known->second;
    const std::size_t colon = function.find(':');
    const bool in_app = colon == std::string::npos;
    const auto module = Module(in_app ? "/bin/app" : function.substr(0, colon));
    const std::string name = in_app ? function : function.substr(colon + 1);
    next_ += 0x40;
    if (name != "?") stream_.Symbol(module, next_, name);
    return places_[function] = {module, next_};
  }

  analysis::test::Stream stream_;
  model::ThreadId thread_ = 0;
  std::uint64_t next_;
  std::map<std::string, model::ModuleId> modules_;
  std::map<std::string, model::StackId> nodes_;
  std::map<std::string, std::pair<model::ModuleId, std::uint64_t>> places_;
};

// Profiles of both sides; the names are b1, b2, ... and a1, a2, ...
struct Sides {
  std::vector<Profile> before;
  std::vector<Profile> after;
};

inline Result<ProfileDiff> TryDiff(const Sides& sides, const DiffOptions& options = DiffOptions()) {
  DiffBuilder builder(options);
  const auto add = [&](Side side, const std::vector<Profile>& profiles, const char* name) {
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      const Status added =
          builder.Add({.side = side, .name = name + std::to_string(i + 1), .profile = profiles[i]});
      if (!added) return added;
    }
    return Status{};
  };
  PROF_TRY(add(Side::kBefore, sides.before, "b"));
  PROF_TRY(add(Side::kAfter, sides.after, "a"));
  return builder.Build();
}

inline ProfileDiff Diff(const Sides& sides, const DiffOptions& options = DiffOptions()) {
  auto diff = TryDiff(sides, options);
  EXPECT_TRUE(diff.has_value()) << (diff ? "" : diff.error().message);
  return diff ? *std::move(diff) : ProfileDiff{.events = {EventDiff{}}};
}

inline Sides Pair(RunMaker& before, RunMaker& after) {
  Sides sides;
  sides.before.push_back(before.Build());
  sides.after.push_back(after.Build());
  return sides;
}

// "app|f" of a row; "|" between its keys.
inline std::string KeysOf(const DiffRow& row) {
  std::string text;
  for (const std::string& key : row.keys) text += (text.empty() ? "" : "|") + key;
  return text;
}

inline const DiffRow* FindRow(const EventDiff& event, const std::string& keys) {
  for (const DiffRow& row : event.rows) {
    if (KeysOf(row) == keys) return &row;
  }
  return nullptr;
}

}  // namespace prof::analysis::diff::test
