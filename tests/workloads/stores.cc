// Writes a global variable a known number of times, in write_it. usage: stores [TIMES=1000]
// Linked without PIE, so that the variable is at the address that nm shows.
#include <cstdio>
#include <cstdlib>

extern "C" {
volatile long watched_value = 1;
}

__attribute__((noinline)) void write_it(int times) {
  for (int i = 0; i < times; ++i) watched_value = i;
}

int main(int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '@') {  // only says where the variable is
    std::printf("%p\n", static_cast<volatile void*>(&watched_value));
    return 0;
  }
  write_it(argc > 1 ? std::atoi(argv[1]) : 1000);
}
