// Writes both sides of a diff's call tree as folded stacks.
#include <algorithm>
#include <cmath>
#include <vector>

#include "report/text_fit.h"

#include "prof/report/diff_formats.h"

namespace prof::report {
namespace {

using analysis::diff::DiffTree;
using analysis::diff::EventDiff;

constexpr double kMost = 9e15;

// A frame of a stack: what separates frames and lines is something else in it.
std::string FrameName(const std::string& name) {
  std::string frame = Printable(name);
  std::ranges::replace(frame, ';', ':');
  return frame.empty() ? "[unknown]" : frame;
}

std::string Number(double amount, double factor) {
  const double number = amount * factor;
  return std::to_string(std::isfinite(number) ? std::llround(std::clamp(number, 0.0, kMost)) : 0);
}

}  // namespace

std::string RenderDiffFolded(const analysis::diff::ProfileDiff& diff) {
  if (diff.events.empty() || !diff.events.front().tree) return {};
  const EventDiff& event = diff.events.front();
  const DiffTree& tree = *event.tree;
  const double factor = event.unit.unit == model::EventUnit::kNanoseconds ? 1e6 : 1;
  std::vector<std::string> names;
  names.reserve(tree.names.size());
  for (const std::string& name : tree.names) names.push_back(FrameName(name));

  std::string text;
  std::string stack;
  // Of the nodes on the way to the current one: the end of their subtree, and how long the stack
  // was before their name.
  struct Open {
    std::size_t end = 0;
    std::size_t length = 0;
  };
  std::vector<Open> path;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const DiffTree::Node& node = tree.nodes[i];
    while (!path.empty() && path.back().end <= i) {
      stack.resize(path.back().length);
      path.pop_back();
    }
    if (i > 0) {
      path.push_back({i + std::max<std::size_t>(node.size, 1), stack.size()});
      if (!stack.empty()) stack += ';';
      stack += node.name < names.size() ? names[node.name] : "[unknown]";
    }
    const std::string before = Number(node.self_before, factor);
    const std::string after = Number(node.self_after, factor);
    if (before == "0" && after == "0") continue;
    text.append(stack.empty() ? "[no stack]" : stack).append(" ");
    text.append(before).append(" ").append(after).append("\n");
  }
  return text;
}

}  // namespace prof::report
