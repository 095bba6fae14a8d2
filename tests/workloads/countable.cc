// Does countable things an exact number of times: calls getppid(2), touches fresh pages, sleeps for
// a millisecond, and burns CPU time. usage: countable [CALLS=0 [PAGES=0 [SLEEPS=0 [CPU_MS=0]]]]
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

int main(int argc, char** argv) {
  const auto number = [&](int at) { return argc > at ? std::atol(argv[at]) : 0L; };
  for (long i = 0; i < number(1); ++i) ::syscall(SYS_getppid);
  const long page = ::sysconf(_SC_PAGESIZE), pages = number(2);
  if (pages > 0) {
    const auto size = static_cast<std::size_t>(page * pages);
    void* memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    for (long i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  }
  for (long i = 0; i < number(3); ++i) {
    const timespec millisecond{0, 1'000'000};
    ::nanosleep(&millisecond, nullptr);
  }
  timespec used{};
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  } while (used.tv_sec * 1000 + used.tv_nsec / 1'000'000 < number(4));
}
