// Starts many short processes, one after the other: each is forked, execs this program as "storm
// burn" and ends after some CPU time of its own. Prints the CPU time that the children used, and
// with the parent's. usage: storm [PROCESSES=400 [MICROSECONDS=500]]
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

static double CpuSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

__attribute__((noinline)) void short_work(double seconds) {
  volatile unsigned long sink = 0;
  const double end = CpuSeconds() + seconds;
  while (CpuSeconds() < end) {
    unsigned long x = sink;
    for (int i = 0; i < 2000; i++) x = x * 31 + 7;
    sink = x;
  }
}

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "burn") == 0) {
    short_work(std::atof(argv[2]) * 1e-6);
    return 0;
  }
  const int processes = argc > 1 ? std::atoi(argv[1]) : 400;
  const std::string microseconds = argc > 2 ? argv[2] : "500";
  char self[4096] = {};  // exec by the real path: processes are named after it
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::vfork();  // as a shell or make does it
    if (child == 0) {
      ::execl(self, "storm", "burn", microseconds.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  const double children_cpu = Seconds(children.ru_utime) + Seconds(children.ru_stime);
  std::printf("processes %d children_cpu_s %.4f all_cpu_s %.4f\n", processes, children_cpu,
              children_cpu + CpuSeconds());
}
