// Ways to arrive at a capture: recursion, variable-size frames, realigned frames, signals, threads.
#pragma once

#include <alloca.h>
#include <signal.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "unit/unwind/self_process.h"

namespace prof::unwind {

using Action = std::function<void()>;

// Keeps a call from being the last thing a function does, so that it is not a jump.
__attribute__((noinline)) inline void After() { asm volatile("" ::: "memory"); }

__attribute__((noinline)) inline void Recurse(int depth, const Action& action) {
  if (depth > 1) {
    Recurse(depth - 1, action);
  } else {
    action();
  }
  After();
}

// The frame's size is known at run time only: rbp holds the frame.
__attribute__((noinline)) inline void WithAlloca(std::size_t size, const Action& action) {
  auto* bytes = static_cast<volatile char*>(alloca(size));
  bytes[0] = 1;
  action();
  bytes[size - 1] = 1;
}

// A realigned stack: CFA = *(rbp - 8).
__attribute__((noinline)) inline void Realigned(std::size_t size, const Action& action) {
  alignas(64) volatile char block[64] = {};
  auto* bytes = static_cast<volatile char*>(alloca(size));
  bytes[0] = block[0];
  action();
  bytes[size - 1] = block[1];
}

__attribute__((noinline)) inline int CompareAndRun(const void* a, const void* b, void* action) {
  const int left = *static_cast<const int*>(a);
  const int right = *static_cast<const int*>(b);
  if (left == 1 || right == 1) (*static_cast<const Action*>(action))();
  return left - right;
}

// Through libc, which was built by somebody else.
__attribute__((noinline)) inline void InsideSort(const Action& action) {
  std::vector<int> numbers = {2, 1};
  qsort_r(numbers.data(), numbers.size(), sizeof(int), CompareAndRun, const_cast<Action*>(&action));
  After();
}

// The handler finds its action here; raise() runs it on the same thread at once.
inline const Action*& SignalAction() {
  static thread_local const Action* action = nullptr;
  return action;
}
inline void HandleSignal(int) { (*SignalAction())(); }

__attribute__((noinline)) inline void InsideSignal(const Action& action) {
  SignalAction() = &action;
  struct sigaction now {};
  struct sigaction before {};
  now.sa_handler = HandleSignal;
  sigaction(SIGUSR1, &now, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
}

struct Scene {
  std::string name;
  std::function<void(const Action&)> run;
};

inline std::vector<Scene> AllScenes() {
  return {
      {"direct", [](const Action& a) { a(); }},
      {"recursion", [](const Action& a) { Recurse(50, a); }},
      {"alloca", [](const Action& a) { Recurse(3, [&] { WithAlloca(200, a); }); }},
      {"realigned", [](const Action& a) { Recurse(3, [&] { Realigned(100, a); }); }},
      {"sort", [](const Action& a) { Recurse(3, [&] { InsideSort(a); }); }},
      {"signal", [](const Action& a) { Recurse(3, [&] { InsideSignal(a); }); }},
      {"signal in realigned frame",
       [](const Action& a) { Realigned(64, [&] { InsideSignal([&] { WithAlloca(40, a); }); }); }},
      {"thread", [](const Action& a) { std::thread([&] { Recurse(5, a); }).join(); }},
  };
}

}  // namespace prof::unwind
