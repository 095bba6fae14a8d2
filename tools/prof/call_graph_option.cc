// Parses the call graph argument of prof report.
#include "call_graph_option.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace prof::tools {
namespace {

using analysis::CallGraphOptions;
using analysis::CallGraphOrder;
using analysis::CallGraphStyle;
using analysis::CallGraphValue;

constexpr const char* kDefault = "graph,0.5,caller";
constexpr std::string_view kFlags =
    "nTGqv";  // letters without arguments that -g may be clustered with

struct Style {
  std::string_view name;
  CallGraphStyle style;
};
constexpr Style kStyles[] = {{"graph", CallGraphStyle::kGraph},
                             {"fractal", CallGraphStyle::kFractal},
                             {"flat", CallGraphStyle::kFlat},
                             {"folded", CallGraphStyle::kFolded},
                             {"none", CallGraphStyle::kNone}};

bool ParseWord(std::string_view word, CallGraphOptions& options) {
  for (const Style& style : kStyles) {
    if (word == style.name) {
      options.style = style.style;
      return true;
    }
  }
  if (word == "caller" || word == "callee") {
    options.order = word == "caller" ? CallGraphOrder::kCaller : CallGraphOrder::kCallee;
    return true;
  }
  if (word == "function" || word == "address") {
    options.by_address = word == "address";
    return true;
  }
  if (word == "percent" || word == "period" || word == "count") {
    options.value = word == "percent"  ? CallGraphValue::kPercent
                    : word == "period" ? CallGraphValue::kPeriod
                                       : CallGraphValue::kCount;
    return true;
  }
  return false;
}

std::optional<double> ParseNumber(std::string_view word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || !(number >= 0) || number > 1e9)
    return std::nullopt;
  return number;
}

bool IsCallGraph(const std::string& word) {
  CallGraphOptions scratch;
  return !word.empty() && ParseCallGraph(word, scratch).has_value();
}

// Where the 'g' of "-g", "-ng" or "-gflat" stands; npos: not such a word.
std::size_t ClusteredG(std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return std::string_view::npos;
  const std::size_t at = word.find_first_not_of(kFlags, 1);
  return at != std::string_view::npos && word[at] == 'g' ? at : std::string_view::npos;
}

}  // namespace

Status ParseCallGraph(std::string_view text, CallGraphOptions& options) {
  int numbers = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (ParseWord(word, options)) continue;
    const std::optional<double> number = ParseNumber(word);
    if (!number || numbers == 2) {
      return Fail(ErrorKind::kUsage,
                  "--call-graph: '" + std::string(word) + "' is not part of a call graph",
                  "TYPE,MIN,LIMIT,ORDER,KEY,VALUE, e.g. -g fractal,1,caller; types are graph, "
                  "fractal, flat, folded, none");
    }
    if (numbers++ == 0) {
      options.min_percent = *number;
    } else {
      options.print_limit = static_cast<std::uint32_t>(std::lround(*number));
    }
  }
  return {};
}

std::vector<std::string> AttachCallGraphArguments(const std::vector<std::string>& args) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string attached;
    if (const std::size_t g = ClusteredG(args[i]); g != std::string::npos) {
      if (g > 1) result.push_back(args[i].substr(0, g));
      attached = args[i].substr(g + 1);
    } else if (args[i] != "--call-graph") {
      result.push_back(args[i]);
      continue;
    }
    if (attached.empty())
      attached = i + 1 < args.size() && IsCallGraph(args[i + 1]) ? args[++i] : kDefault;
    result.push_back("--call-graph=" + attached);
  }
  return result;
}

}  // namespace prof::tools
