// Inline chains, a cold clone, anonymous namespaces, calls through the PLT.
extern "C" int puts(const char*);
extern "C" int outside(int);
[[noreturn]] void Die(const char*);

namespace shapes {
namespace {
struct Counter {
  int total = 0;
  __attribute__((always_inline)) void Add(int n) { total += n * outside(n); }
};
__attribute__((always_inline)) inline int Deepest(int n) {
  Counter counter;
  counter.Add(n);
  counter.Add(n + 1);
  return counter.total;
}
}  // namespace

template <class T>
struct Box {
  T value;
  __attribute__((always_inline)) T Twice() const { return Deepest(value) + Deepest(value + 2); }
  __attribute__((noinline)) T Sum(T n) const {
    T sum = 0;
    for (T i = 0; i < n; ++i) {
      sum += Twice();
      if (sum > 1000000) Die("too much");
    }
    return sum;
  }
};
}  // namespace shapes

namespace {
__attribute__((noinline)) int Local(int n) { return shapes::Box<int>{n}.Sum(n) + 1; }
}  // namespace

void Die(const char* text) {
  puts(text);
  __builtin_trap();
}

extern "C" int entry(int n) {
  auto add = [n](int m) __attribute__((always_inline)) { return outside(n + m); };
  if (n == 3) puts("three");
  return Local(n) + add(4);
}
