// A program of 30 functions of known cost, one of which can be made slower by a known amount of
// work. usage: thirty_functions [--rounds N] [--slow-function I] [--by PERCENT]
// A round calls function_00 to function_29 once each, in which function I does kUnits[I] units of
// work. With --slow-function it does PERCENT % of a round's units more, which is that share of the
// CPU time of the whole program. The work is fixed, not the time: slower means a longer run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

volatile std::uint64_t sink;

constexpr int kFunctions = 30;
constexpr int kStepsPerUnit = 250;

// As in real programs: a few large functions (17 % of the work) and a long tail (0.6 %).
constexpr int Units(int function) { return 2400 / (function + 2) / (function < 12 ? 1 : 2); }

}  // namespace

// The same work per unit in each, so that shares follow from the units alone; the constants differ
// lest the linker folds them into one.
#define FUNCTION(number)                                                     \
  extern "C" __attribute__((noinline)) void function_##number(long units) {  \
    std::uint64_t x = sink;                                                  \
    for (long i = 0; i < units * kStepsPerUnit; ++i) x = x * 31 + 1##number; \
    sink = x;                                                                \
  }
#define FUNCTIONS(apply)                                                                        \
  apply(00) apply(01) apply(02) apply(03) apply(04) apply(05) apply(06) apply(07) apply(08)     \
      apply(09) apply(10) apply(11) apply(12) apply(13) apply(14) apply(15) apply(16) apply(17) \
          apply(18) apply(19) apply(20) apply(21) apply(22) apply(23) apply(24) apply(25)       \
              apply(26) apply(27) apply(28) apply(29)
FUNCTIONS(FUNCTION)

int main(int argc, char** argv) {
  long rounds = 1000;
  int slow = -1;
  double percent = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--rounds") == 0) rounds = std::atol(argv[i + 1]);
    if (std::strcmp(argv[i], "--slow-function") == 0) slow = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--by") == 0) percent = std::atof(argv[i + 1]);
  }
#define NAME(number) function_##number,
  void (*const functions[kFunctions])(long) = {FUNCTIONS(NAME)};
  long total = 0;
  for (int i = 0; i < kFunctions; ++i) total += Units(i);
  for (long round = 0; round < rounds; ++round) {
    for (int i = 0; i < kFunctions; ++i) {
      const double more = i == slow ? percent / 100 * static_cast<double>(total) : 0;
      functions[i](Units(i) + static_cast<long>(more));
    }
  }
  std::printf("%lu\n", static_cast<unsigned long>(sink));
}
