// What a frame costs with the own walk, the whole unwinder and libunwind, data in cache.
//
//     perf record -F 997 --call-graph dwarf,65528 -o perf.data -- COMMAND
//     unwind_bench perf.data [--benchmark_...]
//     unwind_bench perf.data --agreement [EXAMPLES=3]
//     valgrind --tool=callgrind unwind_bench perf.data --rounds N
//         the difference between two N is what the unwinder alone executes
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/recorded_stacks.h"
#include "bench/unwind_agreement.h"
#include "unit/unwind/engines.h"

namespace prof::bench {
namespace {

// A sample of its own, so that repeating a few of them stays in the caches.
struct KeptStack {
  std::vector<std::byte> bytes;
  model::AddressSpace space;
  unwind::StackInput input;
};

constexpr std::size_t kStacks = 32;

// `count` stacks spread evenly over the recording.
std::vector<KeptStack> KeepSome(const test::PerfData& data, test::RecordedProcesses& processes,
                                std::size_t count) {
  std::size_t all = 0;
  {
    test::RecordedProcesses other;
    ForEachStack(data, other, [&](const RecordedStack&) { ++all; });
  }
  std::vector<KeptStack> kept;
  kept.reserve(count);
  std::size_t i = 0;
  ForEachStack(data, processes, [&](const RecordedStack& stack) {
    if (i++ * count / all < kept.size() || kept.size() == count) return;
    KeptStack& copy = kept.emplace_back();
    copy.bytes.assign(stack.input.stack.begin(), stack.input.stack.end());
    copy.space = stack.space;
    copy.input = {stack.input.registers, copy.bytes};
  });
  return kept;
}

// Reports nanoseconds per frame; the unwound frames of one round over all stacks are the same in
// every round.
template <class Unwind>
void Measure(benchmark::State& state, const std::vector<KeptStack>& stacks, const Unwind& unwind) {
  std::size_t frames = 0;
  for (const KeptStack& stack : stacks) frames += unwind(stack);
  for (auto _ : state) {
    for (const KeptStack& stack : stacks) benchmark::DoNotOptimize(unwind(stack));
  }
  using benchmark::Counter;
  state.counters["frames"] = static_cast<double>(frames) / static_cast<double>(stacks.size());
  state.counters["s/frame"] =
      Counter(static_cast<double>(frames), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

// None where something is wrong, which has been printed.
std::vector<KeptStack> StacksOf(const std::string& path, test::RecordedProcesses& processes) {
  const auto data = test::PerfData::Open(path);
  std::vector<KeptStack> stacks;
  if (data) stacks = KeepSome(*data, processes, kStacks);
  if (stacks.empty())
    std::fprintf(stderr, "error: %s\n",
                 data ? (path + ": no sample has user registers and stack bytes").c_str()
                      : data.error().message.c_str());
  return stacks;
}

int Run(const std::string& path, int argc, char** argv) {
  test::RecordedProcesses processes;
  const std::vector<KeptStack> stacks = StacksOf(path, processes);
  if (stacks.empty()) return 1;
  unwind::Engines engines(processes);
  unwind::StackUnwinder unwinder(processes);
  unwind::Outcome outcome;
  benchmark::RegisterBenchmark("walk", [&](benchmark::State& state) {
    Measure(state, stacks, [&](const KeptStack& stack) {
      engines.Fast(stack.input, stack.space, outcome);
      return outcome.frames.size();
    });
  });
  benchmark::RegisterBenchmark("unwinder", [&](benchmark::State& state) {
    Measure(state, stacks, [&](const KeptStack& stack) {
      outcome.end = unwinder.Unwind(stack.input, stack.space, 4096, outcome.frames);
      return outcome.frames.size();
    });
  });
  benchmark::RegisterBenchmark("libunwind", [&](benchmark::State& state) {
    Measure(state, stacks, [&](const KeptStack& stack) {
      engines.Slow(stack.input, stack.space, outcome);
      return outcome.frames.size();
    });
  });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// The same stacks through the whole unwinder, a fixed number of times.
int Repeat(const std::string& path, std::size_t rounds) {
  test::RecordedProcesses processes;
  const std::vector<KeptStack> stacks = StacksOf(path, processes);
  if (stacks.empty()) return 1;
  unwind::StackUnwinder unwinder(processes);
  std::vector<unwind::UnwoundFrame> frames;
  std::size_t count = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const KeptStack& stack : stacks) {
      unwinder.Unwind(stack.input, stack.space, 4096, frames);
      count += frames.size();
    }
  }
  std::printf("%zu frames\n", count);
  return 0;
}

int Compare(const std::string& path, std::size_t examples) {
  const auto text = CompareEngines(path, examples);
  if (!text) {
    std::fprintf(stderr, "error: %s\n", text.error().message.c_str());
    return 1;
  }
  std::fputs(text->c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace prof::bench

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(
        stderr,
        "usage: unwind_bench PERF_DATA [--agreement [EXAMPLES] | --rounds N | --benchmark_...]\n");
    return 2;
  }
  const std::string path = argv[1];
  if (argc > 2 && std::string_view(argv[2]) == "--agreement") {
    return prof::bench::Compare(path, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 3);
  }
  if (argc > 3 && std::string_view(argv[2]) == "--rounds") {
    return prof::bench::Repeat(path, std::strtoull(argv[3], nullptr, 10));
  }
  argv[1] = argv[0];
  return prof::bench::Run(path, argc - 1, argv + 1);
}
