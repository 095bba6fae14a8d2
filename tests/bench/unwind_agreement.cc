// Unwinds every sample twice and sorts the differences.
#include "bench/unwind_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "bench/recorded_stacks.h"
#include "unit/unwind/engines.h"

namespace prof::bench {

namespace {

using model::StackEnd;
using unwind::Outcome;
using unwind::UnwoundFrame;

class Comparison {
 public:
  Comparison(const test::RecordedProcesses& processes, std::size_t examples)
      : processes_(processes), examples_(examples), engines_(processes), unwinder_(processes) {}

  void Add(const RecordedStack& stack) {
    constexpr std::size_t kMostFrames = 4096;
    own_.end = unwinder_.Unwind(stack.input, stack.space, kMostFrames, own_.frames);
    engines_.Slow(stack.input, stack.space, oracle_);
    engines_.Fast(stack.input, stack.space, fast_);
    ++stacks_;
    frames_ += own_.frames.size();
    fast_only_ += fast_.needs_all_registers ? 0 : 1;
    ++own_ends_[own_.end];
    ++oracle_ends_[oracle_.end];
    if (std::ranges::equal(own_.frames, oracle_.frames, unwind::SameFrame)) {
      ++same_;
    } else {
      Classify();
    }
    if (own_.end != StackEnd::kComplete && own_.end != StackEnd::kTruncated) KeepEarlyEnd();
  }

  [[nodiscard]] std::string Text() const {
    std::string text;
    const auto share = [this](std::size_t count) {
      return stacks_ == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(stacks_);
    };
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{} stacks, {} frames, {:.3f} % of stacks the same, {:.3f} % fast only\n",
                   stacks_, frames_, share(same_), share(fast_only_));
    for (const auto* ends : {&own_ends_, &oracle_ends_}) {
      fmt::format_to(out, "{:>10}:", ends == &own_ends_ ? "own" : "libunwind");
      for (const auto& [end, count] : *ends) {
        fmt::format_to(out, "  {} {} ({:.3f} %)", model::StackEndName(end), count, share(count));
      }
      text += '\n';
    }
    for (const auto* classes : {&classes_, &early_}) {
      for (const auto& [name, difference] : *classes) {
        fmt::format_to(out, "\n{} x {}{}\n", difference.count,
                       classes == &early_ ? "own ended early: " : "", name);
        for (const std::string& example : difference.examples) text += example;
      }
    }
    return text;
  }

 private:
  struct Difference {
    std::size_t count = 0;
    std::vector<std::string> examples;
  };

  [[nodiscard]] std::string FrameText(const std::vector<UnwoundFrame>& frames,
                                      std::size_t index) const {
    if (index >= frames.size()) return "-";
    const UnwoundFrame& frame = frames[index];
    return fmt::format("{}+{:#x}{}", processes_.PathOf(frame.module), frame.file_address.value,
                       frame.kind == model::FrameKind::kReturn ? "" : " (instruction)");
  }

  // Stacks that end before they should are worth a look even where both engines say so.
  void KeepEarlyEnd() {
    const std::vector<UnwoundFrame>& frames = own_.frames;
    Difference& ends = early_[fmt::format("{} after a frame in {}", model::StackEndName(own_.end),
                                          processes_.PathOf(frames.back().module))];
    if (ends.count++ >= examples_) return;
    std::string text = fmt::format("  stack {}: {} frames\n", stacks_ - 1, frames.size());
    for (std::size_t i = frames.size() < 4 ? 0 : frames.size() - 4; i < frames.size(); ++i) {
      text += fmt::format("    {:3} {}   sp {:#x}\n", i, FrameText(frames, i), frames[i].sp);
    }
    ends.examples.push_back(std::move(text));
  }

  // By how both ended and by the module that both last agreed on.
  void Classify() {
    std::size_t common = 0;
    const std::size_t both = std::min(own_.frames.size(), oracle_.frames.size());
    while (common < both && unwind::SameFrame(own_.frames[common], oracle_.frames[common])) {
      ++common;
    }
    const UnwoundFrame& last = own_.frames[common == 0 ? 0 : common - 1];
    const char* shape = common == own_.frames.size()      ? "own stops first"
                        : common == oracle_.frames.size() ? "libunwind stops first"
                                                          : "callers differ";
    Difference& difference =
        classes_[fmt::format("{}: own {}, libunwind {}, after a frame in {}{}", shape,
                             model::StackEndName(own_.end), model::StackEndName(oracle_.end),
                             processes_.PathOf(last.module), common == 1 ? " (frame 0)" : "")];
    if (difference.count++ >= examples_) return;
    std::string text = fmt::format("  stack {}: {} and {} frames, {} the same\n", stacks_ - 1,
                                   own_.frames.size(), oracle_.frames.size(), common);
    for (std::size_t i = common < 2 ? 0 : common - 2; i < common + 3; ++i) {
      text +=
          fmt::format("    {:3} {}   sp {:#x}\n        {}\n", i, FrameText(own_.frames, i),
                      i < own_.frames.size() ? own_.frames[i].sp : 0, FrameText(oracle_.frames, i));
    }
    difference.examples.push_back(std::move(text));
  }

  const test::RecordedProcesses& processes_;
  std::size_t examples_;
  unwind::Engines engines_;
  unwind::StackUnwinder unwinder_;
  Outcome own_, oracle_, fast_;
  std::size_t stacks_ = 0, same_ = 0, fast_only_ = 0, frames_ = 0;
  std::map<StackEnd, std::size_t> own_ends_, oracle_ends_;
  std::map<std::string, Difference> classes_, early_;
};

}  // namespace

Result<std::string> CompareEngines(const std::string& path, std::size_t examples) {
  PROF_TRY_ASSIGN(const auto data, test::PerfData::Open(path));
  test::RecordedProcesses processes;
  Comparison comparison(processes, examples);
  ForEachStack(data, processes, [&](const RecordedStack& stack) { comparison.Add(stack); });
  return comparison.Text();
}

}  // namespace prof::bench
