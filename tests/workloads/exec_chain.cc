// Burns CPU time under its own name, then execs itself under the name second_name and burns as much
// again. usage: exec_chain [MILLISECONDS=500]      (per name)
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

static volatile unsigned long sink;

// The program's CPU clock goes on counting across exec, so each part starts from what it finds.
static void Burn(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  unsigned long x = sink;
  while (std::clock() < end) {
    for (int i = 0; i < 200000; i++) x = x * 31 + 7;
    sink = x;
  }
}

__attribute__((noinline)) void before_exec(double seconds) {
  Burn(seconds);
  sink = sink + 1;
}

__attribute__((noinline)) void after_exec(double seconds) {
  Burn(seconds);
  sink = sink + 1;
}

int main(int argc, char** argv) {
  const std::string milliseconds = argc > 1 ? argv[1] : "500";
  const double seconds = std::atof(milliseconds.c_str()) / 1000;
  if (argc > 2) {
    after_exec(seconds);
    std::printf("second_name %s ms\n", milliseconds.c_str());
    return 0;
  }
  before_exec(seconds);
  // The kernel names a process after the file it execs: a link gives this one another name.
  char folder[] = "/tmp/prof-exec-XXXXXX";
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0 || ::mkdtemp(folder) == nullptr) return 1;
  self[length] = '\0';
  const std::string link = std::string(folder) + "/second_name";
  if (::symlink(self, link.c_str()) != 0) return 1;
  if (::fork() == 0) {  // removes the link once the exec is through it
    ::sleep(1);
    ::unlink(link.c_str());
    ::rmdir(folder);
    ::_exit(0);
  }
  ::execl(link.c_str(), "second_name", milliseconds.c_str(), "again", nullptr);
  return 1;
}
