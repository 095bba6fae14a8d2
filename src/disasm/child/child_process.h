// Runs a program and takes what it prints, bounded in time and size.
#pragma once

#include <string>
#include <vector>

#include "prof/base/result.h"

namespace prof::disasm {

struct ChildLimits {
  int timeout_ms = 30'000;
  std::size_t output_bytes = std::size_t{64} << 20U;
};

struct ChildOutput {
  int status = 0;  // as waitpid() has it
  std::string out;
  std::string err;  // its beginning
};

// `command[0]` is a path. The child has `input_fd` as descriptor 3, nothing to read on its standard
// input, and no locale. It is killed at a limit, which is an error (kSystem), as is a program that
// cannot be started.
Result<ChildOutput> RunChild(const std::vector<std::string>& command, int input_fd,
                             const ChildLimits& limits = {});

// The first program of that name in PATH, or `name` itself when it has a slash; empty: none that
// can be executed.
std::string FindProgram(const std::string& name);

}  // namespace prof::disasm
