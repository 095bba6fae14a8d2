// Reads the files that JIT compilers write for perf: names, lines and machine code of functions
// ("jitdump", version 1; linux/tools/perf/Documentation/jitdump-specification.txt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prof/base/result.h"
#include "prof/model/address.h"
#include "prof/model/code.h"
#include "prof/symbols/symbolizer.h"

namespace prof::symbols {

// A function that the JIT put into memory, or moved there.
struct JitLoad {
  std::uint64_t start = 0;
  std::uint64_t size = 0;  // bytes, not 0; start + size does not overflow
  std::uint64_t time_ns = 0;
  std::uint64_t code_index = 0;  // of the JIT; a moved function keeps its own
  std::uint64_t loaded_at = 0;   // where it was before it moved: the addresses of its lines
  std::uint64_t record = 0;      // file offset of its load record
  std::uint64_t debug_info = 0;  // file offset of its debug record; 0: none
};

// Its file, which the process may still be writing: what is there when it is opened counts. Only
// an index stays in memory, at most kMaxLoads of 56 bytes. Nothing in the file is trusted. Not
// thread-safe.
class JitDump {
 public:
  static constexpr std::size_t kMaxLoads = 1 << 21;

  // `fd` is borrowed, read with pread() and never mapped. kBadData or kUnsupported for what is no
  // jitdump of this machine's byte order and of version 1.
  static Result<JitDump> Open(int fd);

  [[nodiscard]] const std::string& name() const { return name_; }  // "jit-PID.dump"
  [[nodiscard]] model::CodeMachine machine() const { return machine_; }
  // "", or what kept it from being read to its end, for people.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // For each wanted address (ascending) the newest load that covers it, as JITs use memory again;
  // null where there is none. Valid as long as the JitDump is.
  [[nodiscard]] std::vector<const JitLoad*> Find(std::span<const model::FileAddr> wanted) const;
  // For each function (ascending by start) the newest load of exactly that range and name.
  std::vector<const JitLoad*> FindFunctions(std::span<const FunctionRange> functions);

  // Empty when the record is broken.
  std::string NameOf(const JitLoad& load);
  // At most model::kMaxFunctionBytes.
  std::vector<std::byte> CodeOf(const JitLoad& load);
  // By address, each address once.
  struct Lines {
    std::vector<std::string> files;
    std::vector<model::CodeLine> rows;
  };
  // Empty without debug information, or when that is broken.
  Lines LinesOf(const JitLoad& load);

 private:
  // Bytes of the file, read in large pieces.
  class Window {
   public:
    explicit Window(int fd) : fd_(fd) {}
    // Fewer bytes only at the end of the file. Valid until the next call.
    std::span<const std::byte> At(std::uint64_t offset, std::size_t size);

   private:
    int fd_;
    std::uint64_t begin_ = 0;
    std::vector<std::byte> bytes_;
  };
  struct RawLine {
    std::uint64_t address = 0;
    std::uint32_t file = model::kNoFile;
    std::uint32_t line = 0;
  };
  struct RawLines {
    std::vector<std::string> files;
    std::vector<RawLine> rows;
  };

  explicit JitDump(int fd) : window_(fd) {}
  Status ReadHeader();
  void ReadIndex();
  void FollowMoves(std::span<const std::size_t> moves);
  std::optional<RawLines> ReadLines(const JitLoad& load);
  std::uint64_t LineShift();

  Window window_;
  std::string name_;
  std::string problem_;
  model::CodeMachine machine_;
  std::uint64_t first_record_ = 0;
  std::vector<JitLoad> loads_;  // in file order; size 0: a move of what nobody loaded
  std::optional<std::uint64_t> line_shift_;
};

}  // namespace prof::symbols
