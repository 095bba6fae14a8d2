// A small JIT compiler that writes a jitdump file, as node --perf-prof and LLVM do: puts a hot loop
// of two lines into memory, describes it with name, line table and code bytes, and runs it. With
// "remove" it deletes the file before it ends. usage: jit_dump FOLDER [MILLISECONDS=1000] [remove]
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

// void spin(long n): line 10 counts n down by one, line 11 jumps back as long as it is not 0.
#if defined(__x86_64__)
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
static const unsigned line_11_at = 3;
static const std::uint32_t machine = EM_X86_64;
#elif defined(__aarch64__)
static const unsigned int code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
static const unsigned line_11_at = 4;
static const std::uint32_t machine = EM_AARCH64;
#else
#error "no machine code for this CPU"
#endif

struct Header {
  std::uint32_t magic = 0x4a695444, version = 1, size = sizeof(Header), elf_machine = machine,
                padding = 0, pid = static_cast<std::uint32_t>(getpid());
  std::uint64_t time = 0, flags = 0;
};
struct Prefix {
  std::uint32_t id, size;
  std::uint64_t time = 0;
};
struct Load {
  Prefix prefix;
  std::uint32_t pid = static_cast<std::uint32_t>(getpid()), tid = pid;
  std::uint64_t vma, address, size = sizeof code, index = 1;
};
struct DebugInfo {
  Prefix prefix;
  std::uint64_t address, entries = 2;
};
struct Entry {
  std::uint64_t address;
  std::uint32_t line, column = 0;
};

static const char name[] = "jit::dumped_spin";
static const char source[] = "/src/spin.jit";
static const char same_source[] = "\xff";

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  std::memcpy(memory, code, sizeof code);
  __builtin___clear_cache(static_cast<char*>(memory), static_cast<char*>(memory) + sizeof code);
  const auto address = reinterpret_cast<std::uint64_t>(memory);

  char path[4096];
  std::snprintf(path, sizeof path, "%s/jit-%d.dump", argv[1], static_cast<int>(getpid()));
  std::FILE* file = std::fopen(path, "w+");
  if (file == nullptr) return 1;
  const Header header;
  std::fwrite(&header, sizeof header, 1, file);
  std::fflush(file);
  // The marker: that it was mapped executable tells a profiler where the file is.
  if (mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) == MAP_FAILED)
    return 1;
  const DebugInfo debug{
      {2, sizeof(DebugInfo) + 2 * sizeof(Entry) + sizeof source + sizeof same_source}, address};
  const Entry first{address, 10};
  const Entry second{address + line_11_at, 11};
  std::fwrite(&debug, sizeof debug, 1, file);
  std::fwrite(&first, sizeof first, 1, file);
  std::fwrite(source, sizeof source, 1, file);
  std::fwrite(&second, sizeof second, 1, file);
  std::fwrite(same_source, sizeof same_source, 1, file);
  Load load{{0, sizeof(Load) + sizeof name + sizeof code}};
  load.vma = load.address = address;
  std::fwrite(&load, sizeof load, 1, file);
  std::fwrite(name, sizeof name, 1, file);
  std::fwrite(code, sizeof code, 1, file);
  std::fclose(file);

  void (*spin)(long);
  std::memcpy(&spin, &memory, sizeof spin);
  const double seconds = (argc > 2 ? std::atof(argv[2]) : 1000) / 1000;
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) spin(1'000'000);
  if (argc > 3) std::remove(path);
}
