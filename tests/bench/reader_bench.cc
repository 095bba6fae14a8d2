// What the recorder's reader spends on a sample: ring, decoding, lookup of its thread, unwinding,
// interning, the stream and the file.
//
//     perf record -e cpu-clock -F 997 --call-graph dwarf,16384 -o perf.data -- COMMAND
//     reader_bench perf.data [--benchmark_...]
//     valgrind --tool=callgrind --toggle-collect='prof::collect::ReaderPair::Pass(bool)'
//         [--toggle-collect='prof::collect::QueuedSink::Write()']
//         reader_bench perf.data --rounds N shed|stream|store
//         instructions of reading alone; the difference between two N is of stacks seen before
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/replayed_reader.h"

namespace prof::bench {
namespace {

std::optional<Depth> DepthOf(std::string_view name) {
  if (name == "shed") return Depth::kShed;
  if (name == "stream") return Depth::kStream;
  if (name == "store") return Depth::kStore;
  return std::nullopt;
}

int Fails(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return 1;
}

void Measure(benchmark::State& state, const RecordedSamples& samples, Depth depth) {
  ReplayResult result;
  for (auto _ : state) {
    const auto replayed = samples.Replay(depth, static_cast<std::size_t>(state.range(0)));
    if (!replayed) {
      state.SkipWithError(replayed.error().message.c_str());
      return;
    }
    result = *replayed;
    state.SetIterationTime(result.seconds);
  }
  using benchmark::Counter;
  const auto count = static_cast<double>(result.samples);
  state.counters["s/sample"] =
      Counter(count, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["samples"] = count;
  state.counters["complete"] = static_cast<double>(result.complete) / count;
  if (depth == Depth::kStore) return;
  state.counters["frames"] = static_cast<double>(result.frames) / count;
  state.counters["new"] = static_cast<double>(result.nodes) / count;  // nodes
}

int Repeat(const RecordedSamples& samples, std::size_t rounds, Depth depth) {
  const auto result = samples.Replay(depth, rounds);
  if (!result) return Fails(result.error());
  std::printf("%llu samples\n", static_cast<unsigned long long>(result->samples));
  return 0;
}

int Run(const RecordedSamples& samples, int argc, char** argv) {
  for (const auto& [name, depth] :
       {std::pair{"shed", Depth::kShed}, {"stream", Depth::kStream}, {"store", Depth::kStore}}) {
    benchmark::RegisterBenchmark(
        name, [&samples, depth](benchmark::State& state) { Measure(state, samples, depth); })
        ->ArgName("rounds")
        ->Arg(1)
        ->Arg(10)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace prof::bench

int main(int argc, char** argv) {
  using namespace prof::bench;
  const bool repeats = argc == 5 && std::string_view(argv[2]) == "--rounds";
  const auto depth = repeats ? DepthOf(argv[4]) : Depth::kShed;
  if (argc < 2 || argv[1][0] == '-' || !depth) {
    std::fprintf(stderr,
                 "usage: reader_bench PERF_DATA [--rounds N shed|stream|store | "
                 "--benchmark_...]\n");
    return 2;
  }
  const auto samples = RecordedSamples::Read(argv[1]);
  if (!samples) return Fails(samples.error());
  if (repeats) return Repeat(*samples, std::strtoull(argv[3], nullptr, 10), *depth);
  argv[1] = argv[0];
  return Run(*samples, argc - 1, argv + 1);
}
