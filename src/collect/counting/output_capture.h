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
  // The command has ended: what is in the pipes now is the last that it wrote.
  void CommandEnded();
  // From now on only what was there at CommandEnded is still read; children that live on can write
  // no more.
  void LeaveChildren();
  // Everything was passed on, and nobody can write more.
  [[nodiscard]] bool AtEnd() const;
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
    std::size_t due = 0;    // bytes of the command's own that are still to be read
    bool only_due = false;  // read nothing else
    LineSplitter lines;
  };
  OutputCapture(const CommandOutput& to, NumberSearch& search)
      : streams_{Stream(to.out, search), Stream(to.err, search)} {}

  std::array<Stream, 2> streams_;  // standard output, standard error
};

}  // namespace prof::collect
