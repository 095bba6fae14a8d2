// One function per kind of place where time can hide; most of each one's time is spent on the line
// marked HOT, the rest on the line marked WARM. Divisions of 64 bits cost many times a
// multiplication on every CPU. usage: hot_places PLACE|all [MILLISECONDS=800]
// Milliseconds are of CPU time, so that a busy machine changes nothing. PLACE: instruction
// line lambda template macro cold
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

volatile std::uint64_t sink;
volatile std::uint64_t divisor = 0x9e3779b97f4a7c15u;

constexpr int kSteps = 20000;

__attribute__((noinline)) std::uint64_t hot_instruction(std::uint64_t value) {
  std::uint64_t sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    std::uint64_t low = value, high = 0;
    asm volatile("divq %2" : "+a"(low), "+d"(high) : "r"(divisor | 1));  // HOT instruction
    sum += low + high;
    value = (value + sum) * 31;  // WARM instruction
  }
  return sum;
}

__attribute__((noinline)) std::uint64_t hot_line(std::uint64_t value) {
  std::uint64_t sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    sum += value % divisor % (sum | 7) % (value | 5) * 1000003;  // HOT line
    value = (value + sum) * 31;                                  // WARM line
  }
  return sum;
}

__attribute__((noinline)) std::uint64_t hot_lambda(std::uint64_t value) {
  std::uint64_t sum = 0;
  const auto reduce = [&sum](std::uint64_t x) {
    sum += x % divisor % (sum | 7) % (x | 5) * 1000003;  // HOT lambda
  };
  for (int i = 0; i < kSteps; ++i) {
    reduce(value);               // CALL lambda
    value = (value + sum) * 31;  // WARM lambda
  }
  return sum;
}

template <class T, int kMask>
inline __attribute__((always_inline)) T Reduce(T x, T sum) {
  return x % divisor % (sum | kMask) % (x | 5) * 1000003;  // HOT template
}

__attribute__((noinline)) std::uint64_t hot_template(std::uint64_t value) {
  std::uint64_t sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    sum += Reduce<std::uint64_t, 7>(value, sum);  // CALL template
    value = (value + sum) * 31;                   // WARM template
  }
  return sum;
}

#define REDUCE(x, sum) ((x) % divisor % ((sum) | 7) % ((x) | 5) * 1000003)

__attribute__((noinline)) std::uint64_t hot_macro(std::uint64_t value) {
  std::uint64_t sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    sum += REDUCE(value, sum);   // HOT macro
    value = (value + sum) * 31;  // WARM macro
  }
  return sum;
}

__attribute__((noinline, cold)) void NoteTheUnlikely(std::uint64_t value) { sink = value; }

// Compilers put what leads to a cold call into a part of its own, far away: hot_cold.cold.
__attribute__((noinline)) std::uint64_t hot_cold(std::uint64_t value) {
  std::uint64_t sum = value;
  if (value != 0) {
    NoteTheUnlikely(value);
    for (int i = 0; i < kSteps; ++i) {
      sum += value % divisor % (sum | 7) % (value | 5) * 1000003;  // HOT cold
      value = (value + sum) * 31;                                  // WARM cold
    }
    sink = sum;
  }
  return sum;
}

struct Place {
  const char* name;
  std::uint64_t (*run)(std::uint64_t);
};
constexpr Place kPlaces[] = {
    {"instruction", hot_instruction}, {"line", hot_line},   {"lambda", hot_lambda},
    {"template", hot_template},       {"macro", hot_macro}, {"cold", hot_cold}};

void Spend(const Place& place, int milliseconds) {
  const std::clock_t end = std::clock() + milliseconds * (CLOCKS_PER_SEC / 1000);
  std::uint64_t value = 12345;
  while (std::clock() < end) value += place.run(value | 1);
  sink = value;
}

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "all";
  const int milliseconds = argc > 2 ? std::atoi(argv[2]) : 800;
  int found = 0;
  for (const Place& place : kPlaces) {
    if (std::strcmp(wanted, "all") != 0 && std::strcmp(wanted, place.name) != 0) continue;
    Spend(place, milliseconds);
    ++found;
  }
  if (found == 0) std::fprintf(stderr, "hot_places: no place '%s'\n", wanted);
  return found == 0 ? 2 : 0;
}
