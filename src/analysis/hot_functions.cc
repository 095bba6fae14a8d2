// Ranks the functions of a module by their samples.
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "prof/analysis/hot_code.h"

namespace prof::analysis {
namespace {

struct Candidate {
  symbols::FunctionRange range;
  std::uint64_t self = 0;
  std::uint64_t stacks = 0;
};

// Both are ascending by address; addresses without hits are passed over.
std::vector<Candidate> AddUp(const model::ModuleSymbols& symbols,
                             std::span<const AddressHits> hits) {
  std::vector<Candidate> found;
  std::unordered_map<model::FileAddr, std::size_t> by_start;
  auto hit = hits.begin();
  for (const model::AddressSymbols& entry : symbols.addresses) {
    while (hit != hits.end() && hit->address < entry.address) ++hit;
    if (hit == hits.end()) break;
    if (hit->address != entry.address || entry.frames.empty() || entry.function_size == 0) continue;
    const auto [place, added] = by_start.emplace(entry.function_start, found.size());
    if (added) {
      found.push_back(
          {{entry.function_start, entry.function_size, entry.frames.back().name}, 0, 0});
    }
    found[place->second].self += hit->self;
    found[place->second].stacks += hit->stacks;
  }
  return found;
}

}  // namespace

std::vector<symbols::FunctionRange> HotFunctions::Choose(const model::ModuleSymbols& symbols,
                                                         std::span<const AddressHits> hits) {
  std::vector<Candidate> candidates = AddUp(symbols, hits);
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.self, b.stacks, a.range.start) <
           std::tuple(a.self, a.stacks, b.range.start);
  });
  const auto share = [this](std::uint64_t part) {
    return samples_ == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(samples_);
  };
  std::vector<symbols::FunctionRange> ranges;
  for (Candidate& candidate : candidates) {
    const bool hot = share(candidate.self) >= limits_.self_share;
    const bool ran = candidate.self > 0;
    if (!ran && share(candidate.stacks) < limits_.stack_share) continue;
    if (!hot && chosen_ >= limits_.functions) {
      if (!ran) continue;
      ++left_out_;
      left_out_samples_ += candidate.self;
      continue;
    }
    ++chosen_;
    ranges.push_back(std::move(candidate.range));
  }
  std::ranges::sort(ranges, {}, &symbols::FunctionRange::start);
  return ranges;
}

void HotFunctions::Count(const model::ModuleCode& code) {
  with_code_ += static_cast<std::uint64_t>(std::ranges::count_if(
      code.functions, [](const model::FunctionCode& function) { return !function.code.empty(); }));
}

model::CodeSummary HotFunctions::summary() const {
  return {.functions = with_code_,
          .functions_left_out = left_out_,
          .left_out_share = samples_ == 0 ? 0
                                          : static_cast<double>(left_out_samples_) /
                                                static_cast<double>(samples_),
          .functions_without_code = chosen_ - std::min(chosen_, with_code_)};
}

}  // namespace prof::analysis
