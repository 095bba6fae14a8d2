// A 32-bit program without a library: spends about a second in work32, called by way of caller32.
// Built only where the compiler can.
static volatile unsigned sink;

extern "C" __attribute__((noinline)) void work32(unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) sink = sink * 31 + i;
}

extern "C" __attribute__((noinline)) void caller32() {
  for (int i = 0; i < 600; i++) {
    work32(1000 * 1000);
    sink = sink + 1;
  }
}

extern "C" [[noreturn]] void _start() {
  caller32();
  asm volatile("int $0x80" : : "a"(1), "b"(0));  // exit
  __builtin_unreachable();
}
