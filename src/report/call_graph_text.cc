// Draws the call graph of a row: as a tree (graph, fractal), as lists (flat) or one line per chain
// (folded).
#include "report/call_graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::CallGraphStyle;
using analysis::CallGraphValue;
using analysis::CallNode;

constexpr std::size_t kMargin = 12;      // perf's left margin of a graph
constexpr std::size_t kStep = 10;        // and its columns per level, beside the '|'
constexpr std::size_t kPipeWidth = 480;  // as perf indents 40 levels; for more, less
constexpr std::size_t kFlatIndent = 16;
constexpr std::size_t kLeastName =
    12;  // what a terminal leaves of a name before the line itself is cut

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string NodeName(const CallNode& node) {
  return Printable(node.name) + (node.inlined ? " (inlined)" : "");
}

// A chain goes on in one line of ancestry while nothing branches off, ends in between or was left
// out.
bool Continues(const CallNode& node) {
  return node.children.size() == 1 && node.own_weight == 0 && node.pruned_weight == 0 &&
         node.children.front().weight == node.weight;
}

std::size_t BranchDepth(const std::vector<CallNode>& nodes) {
  std::size_t depth = 0;
  for (const CallNode& node : nodes) {
    const CallNode* last = &node;
    while (Continues(*last)) last = &last->children.front();
    depth = std::max(depth, 1 + BranchDepth(last->children));
  }
  return depth;
}

class GraphPainter {
 public:
  GraphPainter(const CallGraphText& how, std::size_t depth) : how_(how) {
    if (depth == 0) return;
    // A deep tree is drawn narrower, so that names stay on the screen and the text of a recursion
    // does not grow with the square of its depth.
    const std::size_t width = how_.width == 0 ? kPipeWidth : static_cast<std::size_t>(how_.width);
    const std::size_t room = width - std::min(width, kMargin + 3 + 2 * kLeastName);
    step_ = std::clamp<std::size_t>(room / depth, 2, kStep + 1) - 1;
  }

  std::string Draw(const std::vector<CallNode>& roots, std::uint64_t row_weight) {
    const bool fractal = how_.options.style == CallGraphStyle::kFractal;
    if (roots.size() == 1 && roots.front().weight == row_weight) {
      DrawTrunk(roots.front());
    } else {
      const std::uint64_t base = fractal ? row_weight : how_.total_weight;
      DrawLevel(roots, base, std::string(kMargin, ' '));
    }
    if (!text_.empty()) text_ += '\n';
    return std::move(text_);
  }

 private:
  void Line(std::string_view prefix, std::string_view text) {
    std::string line(prefix);
    line += text;
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + '\n';
  }

  std::string Fitted(const CallNode& node, std::size_t used) const {
    std::string name = NodeName(node);
    if (how_.width == 0) return name;
    const auto width = static_cast<std::size_t>(how_.width);
    return FitName(name, std::max(kLeastName, width > used ? width - used : 0));
  }

  void DrawTrunk(const CallNode& root) {
    const CallNode* node = &root;
    bool first = true;
    bool printed = false;
    std::string prefix(kMargin, ' ');
    while (true) {
      if (!(first && how_.skip_first)) {
        if (!printed) {
          Line(prefix, "|");
          Line(prefix, "---" + Fitted(*node, kMargin + 3));
          prefix += "   ";
          printed = true;
        } else {
          Line(prefix, Fitted(*node, prefix.size()));
        }
      }
      first = false;
      if (!Continues(*node)) break;
      node = &node->children.front();
    }
    DrawChildren(*node, prefix);
  }

  void DrawChildren(const CallNode& node, const std::string& prefix) {
    if (how_.options.style != CallGraphStyle::kFractal) {
      DrawLevel(node.children, how_.total_weight, prefix);
      return;
    }
    DrawLevel(node.children, node.weight - std::min(node.weight, node.own_weight), prefix);
  }

  std::string Value(const CallNode& node, std::uint64_t base) const {
    switch (how_.options.value) {
      case CallGraphValue::kPeriod:
        return std::to_string(node.weight);
      case CallGraphValue::kCount:
        return std::to_string(node.samples);
      case CallGraphValue::kPercent:
        break;
    }
    return PercentText(Percent(node.weight, base));
  }

  std::string PercentText(double percent) const {
    const std::string text = fmt::format("{:.2f}%", percent);
    const char* color = how_.color ? ShareColor(percent) : nullptr;
    return color == nullptr ? text : color + text + kColorEnd;
  }

  void DrawLevel(const std::vector<CallNode>& nodes, std::uint64_t base,
                 const std::string& prefix) {
    std::size_t shown = nodes.size();
    if (how_.options.print_limit != 0)
      shown = std::min<std::size_t>(shown, how_.options.print_limit);
    std::uint64_t remaining = base;
    for (std::size_t i = 0; i < shown; ++i) remaining -= std::min(remaining, nodes[i].weight);
    const bool rest = how_.options.style == CallGraphStyle::kFractal && shown > 0 &&
                      remaining > 0 && how_.options.value == CallGraphValue::kPercent;
    for (std::size_t i = 0; i < shown; ++i) {
      // As in perf, the bar goes on below the last node when a limit, and not the end of the list,
      // stopped it.
      const bool last = i + 1 == nodes.size() && !rest;
      Line(prefix, "|");
      DrawNode(nodes[i], base, prefix + (last ? " " : "|"));
    }
    if (rest) Line(prefix, " --" + PercentText(Percent(remaining, base)) + "--[...]");
  }

  void DrawNode(const CallNode& node, std::uint64_t base, const std::string& prefix) {
    const std::string value = Value(node, base);
    const std::size_t used = prefix.size() + 4 + (how_.color ? 7 : value.size());
    Line(prefix, "--" + value + "--" + Fitted(node, used));
    const std::string below = prefix + std::string(step_, ' ');
    const CallNode* last = &node;
    while (Continues(*last)) {
      last = &last->children.front();
      Line(below, Fitted(*last, below.size()));
    }
    DrawChildren(*last, below);
  }

  const CallGraphText& how_;
  std::size_t step_ = kStep;
  std::string text_;
};

struct Chain {
  std::vector<const CallNode*> frames;
  const CallNode* end = nullptr;
  std::size_t order = 0;  // in the tree: equal chains stay in it
};

void CollectChains(const CallNode& node, std::vector<const CallNode*>& path, double least,
                   std::vector<Chain>& chains) {
  path.push_back(&node);
  if (node.own_weight > 0 && static_cast<double>(node.own_weight) >= least)
    chains.push_back({path, &node, chains.size()});
  for (const CallNode& child : node.children) CollectChains(child, path, least, chains);
  path.pop_back();
}

// Whole chains by what ended exactly there, descending.
std::vector<Chain> Chains(const analysis::TableRow& row, const CallGraphText& how) {
  std::vector<Chain> chains;
  std::vector<const CallNode*> path;
  const double least = how.options.min_percent / 100 * static_cast<double>(how.total_weight);
  for (const CallNode& root : row.call_graph) CollectChains(root, path, least, chains);
  std::ranges::sort(chains, [](const Chain& a, const Chain& b) {
    return std::pair(b.end->own_weight, a.order) < std::pair(a.end->own_weight, b.order);
  });
  if (how.options.print_limit != 0 && chains.size() > how.options.print_limit)
    chains.resize(how.options.print_limit);
  return chains;
}

std::string ChainValue(const Chain& chain, const CallGraphText& how) {
  switch (how.options.value) {
    case CallGraphValue::kPeriod:
      return std::to_string(chain.end->own_weight);
    case CallGraphValue::kCount:
      return std::to_string(chain.end->own_samples);
    case CallGraphValue::kPercent:
      break;
  }
  return fmt::format("{:.2f}%", Percent(chain.end->own_weight, how.total_weight));
}

std::string RenderFlat(const analysis::TableRow& row, const CallGraphText& how) {
  std::string text;
  for (const Chain& chain : Chains(row, how)) {
    text += "           " + ChainValue(chain, how) + '\n';
    for (const CallNode* node : chain.frames) {
      std::string name = NodeName(*node);
      if (how.width > 0) name = FitName(name, static_cast<std::size_t>(how.width) - kFlatIndent);
      text += std::string(kFlatIndent, ' ') + name + '\n';
    }
    text += '\n';
  }
  return text;
}

std::string RenderFolded(const analysis::TableRow& row, const CallGraphText& how) {
  std::string text;
  for (const Chain& chain : Chains(row, how)) {
    text += ChainValue(chain, how);
    char before = ' ';
    for (const CallNode* node : chain.frames) {
      text += before == ' ' ? " " : how.folded_separator;
      text += NodeName(*node);
      before = ';';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

const char* ShareColor(double percent) {
  if (percent >= 5) return "\033[31m";
  return percent >= 0.5 ? "\033[32m" : nullptr;
}

std::string RenderCallGraph(const analysis::TableRow& row, std::uint64_t row_weight,
                            const CallGraphText& how) {
  if (row.call_graph.empty()) return {};
  switch (how.options.style) {
    case CallGraphStyle::kNone:
      return {};
    case CallGraphStyle::kFlat:
      return RenderFlat(row, how);
    case CallGraphStyle::kFolded:
      return RenderFolded(row, how);
    case CallGraphStyle::kGraph:
    case CallGraphStyle::kFractal:
      break;
  }
  return GraphPainter(how, BranchDepth(row.call_graph)).Draw(row.call_graph, row_weight);
}

}  // namespace prof::report
