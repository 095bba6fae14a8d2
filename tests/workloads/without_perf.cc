// Executes a command that may not call perf_event_open(2), as in many containers.
// usage: without_perf COMMAND [ARG...]
#include <unistd.h>

#include <cstdio>

#include "../support/deny_perf.h"

int main(int argc, char** argv) {
  if (argc < 2 || !prof::test::DenyPerfEventOpen()) {
    std::fputs("without_perf: no command, or no seccomp\n", stderr);
    return 125;
  }
  ::execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
