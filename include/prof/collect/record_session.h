// One recording: opens the events, reads the rings, unwinds, and pushes records into a sink.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/root_dir.h"
#include "prof/base/unique_fd.h"
#include "prof/collect/record_options.h"
#include "prof/model/record_sink.h"

namespace prof::collect {

enum class StopReason : std::uint8_t {
  kTargetExited,  // the command (or the timer command), or all attached processes, ended
  kInterrupted,   // SIGINT
  kTerminated,    // SIGTERM or SIGHUP without a command to forward it to
  kDuration,      // duration_s is over
  kSinkFailed,    // the sink refused a record; see RecordSession::sink_error
};

struct RecordSummary {
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;  // by the kernel and by prof
  bool lost_at_least = false;
  // Where prof could not keep up; `dropped` is part of `lost`.
  std::uint64_t cut = 0;      // stacks unwound from a copy of 8 KB, later
  std::uint64_t shed = 0;     // stacks given up, the samples kept
  std::uint64_t dropped = 0;  // samples
  std::uint64_t walked = 0;   // samples with a call graph
  std::uint64_t complete =
      0;  // of those, walked to the end (kernel frame-pointer chains count as not verified)
  std::uint64_t joined = 0;          // of walked, continued from earlier samples of the same thread
  bool stacks_lost_to_size = false;  // many truncated stacks while the dump size was a default of
                                     // an event without frequency
  double seconds = 0;                // of sampling
  std::vector<std::string> notes;    // for the user, one sentence each
};

// The distinct lookup addresses of one module that samples hit, ascending, and what the session
// holds of its files: the target, its root and the file at module.path may be gone.
struct HitModule {
  model::Module module;
  std::vector<model::FileAddr> addresses;
  // The whole file that ran, borrowed from the session; empty when it could not be opened in time.
  std::span<const std::byte> file;
  // The target's root directory, when it sees other files than prof does; else null.
  std::shared_ptr<const RootDir> root;
  // kJit: where the process writes its perf map, by its own pid and below `root`; that map, open,
  // if it was seen; the process's user and when it started (CLOCK_REALTIME, 0: not known).
  std::string perf_map_path;
  std::shared_ptr<const UniqueFd> perf_map;
  std::vector<int> jit_dumps;  // kJit: the jitdump files it mapped, open, borrowed from the session
  std::optional<uid_t> user;
  std::time_t process_start_s = 0;
};

// Steps: Open, Start, Run, [symbols by the caller from HitModules], Close, WaitForCommand. All on
// one thread, which must be the only one of the process when Open is called (it blocks SIGINT,
// SIGTERM, SIGHUP and SIGCHLD and reads them from a descriptor). The session's own threads read,
// unwind and write between Start and the end of Run (docs/architecture.md); the sink is called by
// one of them then, and by the caller's thread in Close.
class RecordSession {
 public:
  // Resolves the target, opens all events and maps the rings, forks the command (held before its
  // exec) and appends the head of the stream. Nothing runs yet. Errors are the user's: see
  // docs/record.md.
  static Result<std::unique_ptr<RecordSession>> Open(RecordOptions options, const HostFs& fs,
                                                     model::RecordSink& sink);
  ~RecordSession();
  RecordSession(const RecordSession&) = delete;
  RecordSession& operator=(const RecordSession&) = delete;

  // Notes of the opening: what replaced what, what was given up; one sentence each, to be shown
  // before Run.
  [[nodiscard]] const std::vector<std::string>& notes() const;
  // How the recording is set up, for -v; after Start.
  [[nodiscard]] std::vector<std::string> Details() const;
  // Enables the events and lets the command exec. kNotFound or kPermission when the exec failed;
  // nothing ran then.
  Status Start();
  // Samples until something stops it. A SIGINT after that ends prof at once, with the target alive.
  StopReason Run();
  [[nodiscard]] std::vector<HitModule> HitModules() const;
  // Appends losses, CPU usage and the totals. After it the sink may be finished.
  Status Close();
  [[nodiscard]] const RecordSummary& summary() const;
  [[nodiscard]] const Error& sink_error() const;
  // Waits for the command when it still runs and returns its exit status as a shell shows it;
  // returns 0 without a command and after kDuration (the command goes on).
  int WaitForCommand(StopReason reason);

 private:
  class Impl;
  explicit RecordSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::collect
