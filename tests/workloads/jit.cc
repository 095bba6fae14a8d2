// A small JIT compiler: writes machine code into memory, a perf map to /tmp (unless told not to),
// and spends its time in the code. usage: jit [MILLISECONDS=1000] [nomap]
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

// void spin(long n): counts n down to 0.
#if defined(__x86_64__)
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
static const unsigned int code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#else
#error "no machine code for this CPU"
#endif

int main(int argc, char** argv) {
  void* memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  std::memcpy(memory, code, sizeof code);
  __builtin___clear_cache(static_cast<char*>(memory), static_cast<char*>(memory) + sizeof code);
  if (argc <= 2) {
    char path[64];
    std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
    std::FILE* map = std::fopen(path, "w");
    if (map == nullptr) return 1;
    std::fprintf(map, "%lx %zx jit::spin\n", reinterpret_cast<unsigned long>(memory), sizeof code);
    std::fclose(map);
  }
  void (*spin)(long);
  std::memcpy(&spin, &memory, sizeof spin);
  const double seconds = (argc > 1 ? std::atof(argv[1]) : 1000) / 1000;
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) spin(1'000'000);
}
