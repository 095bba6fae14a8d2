// Addresses of one module to functions, inline chains and source lines.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/host_fs.h"
#include "prof/base/result.h"
#include "prof/base/root_dir.h"
#include "prof/model/address.h"
#include "prof/model/code.h"
#include "prof/model/record.h"

namespace prof::symbols {

// Asking debuginfod servers (those in DEBUGINFOD_URLS) for debug files that are not here.
struct DebuginfodOptions {
  double deadline_s = 30;  // for all files together
  // Called now and then while one is fetched: the module it is for, bytes so far, all bytes (0: not
  // known).
  std::function<void(const std::string& module, long done, long total)> progress;
};

struct DebuginfodCounts {
  std::uint64_t found = 0;
  std::uint64_t missing = 0;  // no server has it
  std::uint64_t failed = 0;   // the deadline was over, or the servers failed
};

// Whether servers can be asked: kUnsupported without libdebuginfod, kUsage without DEBUGINFOD_URLS.
Status CheckDebuginfod();

struct SymbolizerOptions {
  HostFs fs;            // /proc, /sys and all module paths are read below its root
  bool inlines = true;  // inline chains and lines from DWARF, not only symbol tables
  std::vector<std::string> debug_dirs = {"/usr/lib/debug"};
  std::string kallsyms;        // file to use instead of /proc/kallsyms
  std::string vmlinux;         // the kernel's own ELF file with code, instead of looking for it
  bool references = true;      // ReadCode(): names of what the code calls and refers to
  bool running_kernel = true;  // the recording's kernel is the one running now (same boot id)
  std::string cache_dir;       // where kernel symbols are cached per boot; empty: no cache
  std::optional<DebuginfodOptions>
      debuginfod;  // nothing: no network, whatever the environment says
};

// What is known of a module's files beyond its path. All of it is borrowed; `image` and `root`
// until the Symbolizer is asked about another module, or is gone.
struct ModuleFiles {
  // The whole ELF file that ran, as the recorder mapped it; empty: read the file at module.path.
  // The module's path may lead to another file by now, or only in a container.
  std::span<const std::byte> image;
  // Debug files are looked for below this root first: the container's, which has the packages that
  // the module came from. Null: the target sees the files that prof sees.
  const RootDir* root = nullptr;
  bool ask_server = false;  // with SymbolizerOptions::debuginfod: the module is worth a download
  // kJit: the perf map of the process, when that is not the file at module.path: by its name below
  // `root`, or open already.
  std::string perf_map_path;
  int perf_map_fd = -1;
  // kJit: the jitdump files ("jit-PID.dump") that the process mapped, open; borrowed.
  std::span<const int> jit_dump_fds;
  std::optional<uid_t> user;        // of the process; nothing: ask /proc
  std::time_t process_start_s = 0;  // CLOCK_REALTIME; an older map is not the process's. 0: unknown
};

// A function as AddressSymbols states it.
struct FunctionRange {
  model::FileAddr start;
  std::uint64_t size = 0;
  std::string name;  // linkage name of the outermost frame
  friend bool operator==(const FunctionRange&, const FunctionRange&) = default;
};

// Not thread-safe; keeps kernel symbols, and the files of the last module, between calls. Never
// runs a child process, and uses the network only when told to.
class Symbolizer {
 public:
  explicit Symbolizer(SymbolizerOptions options);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // `addresses` are distinct LookupAddress() values, ascending. Never fails as a whole: what is
  // missing is said in status and detail. The file at module.path is used only when its build ID is
  // module's (or, when the module has none, when it was not seen replaced); a debug file only when
  // its build ID is the same.
  model::ModuleSymbols Resolve(const model::Module& module,
                               std::span<const model::FileAddr> addresses,
                               const ModuleFiles& files = {});

  // Code bytes, line table, inlined calls and named references of functions of one module;
  // `functions` ascending by start. From the same files under the same conditions as Resolve()
  // (after it, for the same module, they are still open). Never fails as a whole: a function whose
  // code cannot be read has none, and `detail` says why. Kernel code comes from /proc/kcore (as
  // the kernel patched itself) while the recorded kernel runs and that may be read, else from the
  // vmlinux or module file that debug packages install; JIT code from jitdump files.
  model::ModuleCode ReadCode(const model::Module& module, std::span<const FunctionRange> functions,
                             const ModuleFiles& files = {});

  // Whether ModuleFiles::ask_server makes a difference, and what came of it so far.
  [[nodiscard]] bool AsksServers() const;
  [[nodiscard]] DebuginfodCounts debuginfod_counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace prof::symbols
