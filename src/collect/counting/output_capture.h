// Reads along in a command's output.
#pragma once

#include <poll.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "collect/counting/number_search.h"
#include "collect/workload.h"

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"

namespace prof::collect {

// The command's standard output and error are pipes; every byte is passed on to prof's own at once
// and looked at. Never blocks: what prof's own output does not take waits, and the command with it,
// as if it wrote there itself. When nobody reads prof's output any more, the bytes are only looked
// at. SIGPIPE must be ignored. One thread.
class OutputCapture {
 public:
  // `to` is where the bytes go; `search` must outlive it.
  static Result<std::unique_ptr<OutputCapture>> Open(const CommandOutput& to, NumberSearch& search);

  // For Workload::Fork; to be closed after it.
  [[nodiscard]] CommandOutput command_ends() const;
  void CloseCommandEnds();
  // Appends what to wait for.
  void AddTo(std::vector<pollfd>& news) const;
  // Moves what can be moved now.
  void Move();
  // Everything that the command and its children wrote was passed on, and none of them can write
  // more.
  [[nodiscard]] bool AtEnd() const;
  // Bytes are waiting for prof's own output to take them.
  [[nodiscard]] bool Waiting() const;
  // Looks at last lines without an end.
  void Finish();

 private:
  struct Stream {
    Stream(int target, NumberSearch& search)
        : to(target), lines([&search](std::string_view line) { search.Look(line); }) {}
    bool Fill();   // true: something was read, or the end
    bool Flush();  // true: something was written, or given up
    UniqueFd read_end;
    UniqueFd command_end;
    int to;  // -1: closed
    std::string pending;
    LineSplitter lines;
  };
  OutputCapture(const CommandOutput& to, NumberSearch& search)
      : streams_{Stream(to.out, search), Stream(to.err, search)} {}

  std::array<Stream, 2> streams_;  // standard output, standard error
};

}  // namespace prof::collect
