// The prof binary: finds the subcommand and runs it.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"

#include "prof/base/near_names.h"

namespace prof::tools {
namespace {

constexpr CommandEntry kCommands[] = {
    {"record", "sample a command, processes or the whole system into prof.data", RecordMain},
    {"report", "show who spends the time: tables and call graphs", ReportMain},
    {"annotate", "show a function line by line and instruction by instruction", AnnotateMain},
    {"diff", "say whether it became faster, by how much, and which functions did it", DiffMain},
    {"stat", "count events and time, repeat, compare commands", StatMain},
    {"list", "list events, and whether they can be counted and sampled here", ListMain},
};

void PrintUsage(std::FILE* out) {
  std::fputs("usage: prof COMMAND [OPTIONS]\n\n", out);
  for (const CommandEntry& command : kCommands)
    std::fprintf(out, "  %-8s  %s\n", command.name, command.summary);
  std::fputs("\nprof COMMAND --help explains a command; prof --version prints the version.\n", out);
}

// Where one of them is closed, a file opened later must not take its place: messages would end up
// in it. As before reading and writing fail, and a command finds it closed.
void KeepStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0)
      ::open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

int Run(const std::vector<std::string>& words) {
  if (words.empty()) {
    PrintUsage(stderr);
    return kExitFailure;
  }
  const std::string& name = words.front();
  if (name == "--version" || name == "version") {
    std::printf("prof %s\n", PROF_VERSION);
    return 0;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    PrintUsage(stdout);
    return 0;
  }
  for (const CommandEntry& command : kCommands) {
    if (name == command.name) return command.main({words.begin() + 1, words.end()});
  }
  std::vector<std::string> names;
  for (const CommandEntry& command : kCommands) names.emplace_back(command.name);
  const std::string hint =
      DidYouMean(NearestNames(name, std::move(names), 1), "prof --help lists the commands");
  std::fprintf(stderr, "prof: '%s' is not a prof command\nhint: %s\n", name.c_str(), hint.c_str());
  return kExitFailure;
}

}  // namespace
}  // namespace prof::tools

int main(int argc, char** argv) {
  prof::tools::KeepStandardDescriptors();
  try {
    return prof::tools::Run({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // only libraries throw
    std::fprintf(stderr, "prof: internal error: %s\n", error.what());
    return prof::tools::kExitFailure;
  }
}
