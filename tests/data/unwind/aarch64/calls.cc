// Runs on bare Linux for aarch64, without a library: ways to arrive at a place that unwinding has
// to know. make.sh runs it step by step and records registers and stack.

namespace {

constexpr long kRtSigaction = 134;
constexpr long kGetpid = 172;
constexpr long kKill = 129;
constexpr int kSigusr1 = 10;
constexpr unsigned long kSaRestorer = 0x04000000;
constexpr unsigned long kSaSiginfo = 4;

long SystemCall(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}

struct KernelSigaction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

volatile int sink;
volatile int two = 2;

}  // namespace

#if defined(__clang__)
#define NOINLINE extern "C" __attribute__((noinline))
#else
#define NOINLINE extern "C" __attribute__((noipa))
#endif

// As musl and the kernel's vdso have it: without unwind information.
asm(R"(
  .text
  nop
  .globl Restorer
  .type Restorer, %function
Restorer:
  mov x8, #139
  svc #0
  .size Restorer, . - Restorer
  .globl _start
  .type _start, %function
_start:
  .cfi_startproc
  .cfi_undefined x30
  mov x29, #0
  bl Main
  mov x8, #93
  svc #0
  .cfi_endproc
  .size _start, . - _start
)");
extern "C" void Restorer();

NOINLINE int Leaf(int value) { return value * 3 + sink; }

NOINLINE int Recurse(int depth) {
  if (depth == 0) return Leaf(depth);
  return Recurse(depth - 1) + 1;
}

// The frame's size is known at run time only.
NOINLINE int WithAlloca(int size) {
  volatile char* bytes = static_cast<volatile char*>(__builtin_alloca(static_cast<unsigned>(size)));
  bytes[0] = 1;
  return Leaf(size) + bytes[0];
}

// Further from its CFA to the saved registers than 32 KiB.
NOINLINE int BigFrame(int value) {
  volatile char bytes[40000];
  bytes[value] = 7;
  return Leaf(value) + bytes[value];
}

NOINLINE int ManyRegisters(int a) {
  int b = Leaf(a), c = Leaf(b), d = Leaf(c), e = Leaf(d), f = Leaf(e), g = Leaf(f), h = Leaf(g);
  sink = b;
  return a + b * c + d * e + f * g + h + Leaf(a + b + c + d + e + f + g + h);
}

NOINLINE int Callback(int value) { return Recurse(value) + 1; }
NOINLINE int Through(int (*function)(int), int value) { return function(value) + two; }

// Tail calls keep the link register.
NOINLINE int Tail(int value) { return Leaf(value + 1); }

NOINLINE void Handler(int) { sink = Recurse(1); }
NOINLINE int InSignal() {
  sink = static_cast<int>(SystemCall(kKill, SystemCall(kGetpid), kSigusr1));
  return sink + 1;
}

NOINLINE int Main() {
  KernelSigaction action{Handler, kSaRestorer | kSaSiginfo, Restorer, 0};
  SystemCall(kRtSigaction, kSigusr1, reinterpret_cast<long>(&action), 0, 8);
  sink = Leaf(two) + Recurse(2) + WithAlloca(16 * two);
  sink = BigFrame(two) + ManyRegisters(two);
  sink = Through(Callback, 1) + Tail(two);
  sink = InSignal();
  return 0;
}
