// Debug files from debuginfod servers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/model/module.h"
#include "prof/symbols/symbolizer.h"

struct debuginfod_client;

namespace prof::symbols {

// libdebuginfod, loaded when it is wanted and not before: it brings a whole HTTP client. It keeps
// files, and for ten minutes what servers do not have, in its cache folder. Only build IDs are
// sent. One thread.
class Debuginfod {
 public:
  // kUnsupported without the library, kUsage without a server in DEBUGINFOD_URLS.
  static Result<std::unique_ptr<Debuginfod>> Load(DebuginfodOptions options);
  ~Debuginfod();
  Debuginfod(const Debuginfod&) = delete;
  Debuginfod& operator=(const Debuginfod&) = delete;

  // The debug file with this build ID. kNotFound: no server has it; kSystem: the servers failed, or
  // the deadline, which counts all time spent in here, is over. `name` is for the progress.
  Result<UniqueFd> Find(const model::BuildId& id, const std::string& name);
  [[nodiscard]] const DebuginfodCounts& counts() const { return counts_; }

 private:
  struct Library;
  Debuginfod() = default;
  Result<UniqueFd> Ask(const model::BuildId& id, const std::string& name);
  bool Continue(long done, long total) const;
  static int OnProgress(debuginfod_client* client, long done, long total);

  DebuginfodOptions options_;
  std::unique_ptr<const Library> library_;
  debuginfod_client* client_ = nullptr;
  std::set<model::BuildId> missing_;
  const std::string* asked_for_ = nullptr;
  std::uint64_t left_ns_ = 0;
  std::uint64_t stop_at_ns_ = 0;
  DebuginfodCounts counts_;
};

}  // namespace prof::symbols
